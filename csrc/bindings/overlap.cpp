#include "overlap.h"

#include <c10/util/SmallVector.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>

namespace hptp::bindings {
namespace {

// Steps after which a search gives up. Nested strides take about two steps an axis.
constexpr int kMostSteps = 20000;

// A multiple of `stride` between 0 and `most` times. Strides are positive.
struct Term {
  int64_t stride;
  int64_t most;
};

// sum(count[k] * stride[k]) == target with 0 <= count[k] <= most[k].
struct Equation {
  c10::SmallVector<Term, 16> terms;
  int64_t target = 0;

  // Adds count * stride with `least` <= count <= `most`.
  void add(int64_t stride, int64_t least, int64_t most) {
    target -= std::min(least * stride, most * stride);
    if (stride != 0 && most > least) terms.push_back({std::abs(stride), most - least});
  }
};

// The largest stride first, and each stride once: views of one buffer have most of theirs in
// common, and a term for each view would have as many solutions as the views have rows.
void merge_terms(c10::SmallVector<Term, 16>& terms) {
  std::sort(terms.begin(), terms.end(),
            [](const Term& left, const Term& right) { return left.stride > right.stride; });
  size_t kept = 0;
  for (size_t k = 1; k < terms.size(); ++k) {
    if (terms[k].stride == terms[kept].stride) {
      terms[kept].most += terms[k].most;
    } else {
      terms[++kept] = terms[k];
    }
  }
  if (!terms.empty()) terms.resize(kept + 1);
}

struct Search {
  std::span<const Term> terms;
  int steps = 0;

  // Whether the terms from k on, which reach from 0 to `reach`, can make `target`.
  bool can_make(size_t k, int64_t target, int64_t reach) {
    if (target < 0 || target > reach) return false;
    if (target == 0) return true;
    if (++steps > kMostSteps) return true;
    const Term& term = terms[k];
    const int64_t rest = reach - term.stride * term.most;
    const int64_t shortfall = std::max<int64_t>(0, target - rest);
    const int64_t least = (shortfall + term.stride - 1) / term.stride;
    for (int64_t n = std::min(term.most, target / term.stride); n >= least; --n) {
      if (can_make(k + 1, target - n * term.stride, rest)) return true;
    }
    return false;
  }
};

bool has_solution(Equation& equation) {
  merge_terms(equation.terms);
  int64_t reach = 0;
  int64_t common = 0;
  for (const Term& term : equation.terms) {
    reach += term.stride * term.most;
    common = std::gcd(common, term.stride);
  }
  if (common > 1 && equation.target % common != 0) return false;
  return Search{equation.terms}.can_make(0, equation.target, reach);
}

bool is_empty(const Problem& problem) {
  return std::any_of(problem.axes.begin(), problem.axes.end(),
                     [](const Axis& axis) { return axis.extent == 0; });
}

// True for destinations whose every axis steps over all that the axes inside it span.
bool is_dst_nested(const Problem& problem) {
  c10::SmallVector<Term, 16> terms;
  for (const Axis& axis : problem.axes) {
    if (axis.extent > 1) terms.push_back({std::abs(axis.dst_stride), axis.extent - 1});
  }
  std::sort(terms.begin(), terms.end(),
            [](const Term& left, const Term& right) { return left.stride < right.stride; });
  int64_t span = problem.elem_size;
  for (const Term& term : terms) {
    if (term.stride < span) return false;
    span += term.stride * term.most;
  }
  return true;
}

}  // namespace

bool is_overlapping(const Problem& problem, int64_t dst_minus_src) {
  if (is_empty(problem)) return false;
  Equation equation;
  equation.target = dst_minus_src;
  for (const Axis& axis : problem.axes) {
    equation.add(axis.src_stride, 0, axis.extent - 1);
    equation.add(axis.dst_stride, 1 - axis.extent, 0);
  }
  equation.add(1, 1 - problem.elem_size, problem.elem_size - 1);
  return has_solution(equation);
}

bool is_dst_overlapping_itself(const Problem& problem) {
  if (is_empty(problem) || is_dst_nested(problem)) return false;
  // Two elements that differ have a first axis along which they differ, there by 1 or more.
  for (size_t first = 0; first < problem.axes.size(); ++first) {
    if (problem.axes[first].extent == 1) continue;
    Equation equation;
    equation.add(problem.axes[first].dst_stride, 1, problem.axes[first].extent - 1);
    for (const Axis& axis : problem.axes.subspan(first + 1)) {
      equation.add(axis.dst_stride, 1 - axis.extent, axis.extent - 1);
    }
    equation.add(1, 1 - problem.elem_size, problem.elem_size - 1);
    if (has_solution(equation)) return true;
  }
  return false;
}

}  // namespace hptp::bindings
