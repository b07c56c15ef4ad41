// Normalising: the fewest axes that describe the same copy, in the order of the destination.
#include "layout.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

namespace hptp {
namespace {

bool has_zero_extent(const Problem& problem) {
  return std::any_of(problem.axes.begin(), problem.axes.end(),
                     [](const Axis& axis) { return axis.extent == 0; });
}

void check_problem(const Problem& problem) {
  if (problem.elem_size < 1) {
    throw std::invalid_argument("elem_size must be at least 1, got " +
                                std::to_string(problem.elem_size));
  }
  for (const Axis& axis : problem.axes) {
    if (axis.extent < 0) {
      throw std::invalid_argument("an extent must not be negative, got " +
                                  std::to_string(axis.extent));
    }
  }
}

// Called only where no extent is 0, so that a product within 63 bits bounds the number of axes.
void check_writable(const Problem& problem) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  int64_t bytes = problem.elem_size;
  for (const Axis& axis : problem.axes) {
    if (bytes > kMost / axis.extent) {
      throw std::length_error("the bytes to copy cannot be counted in 63 bits");
    }
    bytes *= axis.extent;
    if (axis.extent > 1 && axis.dst_stride == 0) {
      throw std::invalid_argument(
          "a destination stride must not be 0 along an axis longer than 1: several elements would "
          "be written to one place");
    }
  }
}

// Reverses an axis whose destination stride is negative: the same elements, last one first.
Axis make_dst_stride_positive(Axis axis, Layout& layout) noexcept {
  if (axis.dst_stride > 0) return axis;
  layout.src_offset += (axis.extent - 1) * axis.src_stride;
  layout.dst_offset += (axis.extent - 1) * axis.dst_stride;
  return {axis.extent, -axis.src_stride, -axis.dst_stride};
}

// Outermost first; equal strides stay in the order they came in. std::stable_sort would take memory
// from the heap, which costs more than to sort a few axes.
void sort_by_dst_stride(Layout& layout) noexcept {
  for (int i = 1; i < layout.rank; ++i) {
    const Axis axis = layout.axes[i];
    int place = i;
    for (; place > 0 && layout.axes[place - 1].dst_stride < axis.dst_stride; --place) {
      layout.axes[place] = layout.axes[place - 1];
    }
    layout.axes[place] = axis;
  }
}

bool can_merge(const Axis& outer, const Axis& inner) noexcept {
  return outer.src_stride == inner.extent * inner.src_stride &&
         outer.dst_stride == inner.extent * inner.dst_stride;
}

void merge_neighbours(Layout& layout) noexcept {
  int kept = 0;
  for (int i = 1; i < layout.rank; ++i) {
    Axis& outer = layout.axes[kept];
    const Axis& inner = layout.axes[i];
    if (can_merge(outer, inner)) {
      outer = {outer.extent * inner.extent, inner.src_stride, inner.dst_stride};
    } else {
      layout.axes[++kept] = inner;
    }
  }
  layout.rank = std::min(layout.rank, kept + 1);
}

void fold_inner_run(Layout& layout) noexcept {
  if (layout.rank == 0) return;
  const Axis& inner = layout.axes[layout.rank - 1];
  if (inner.src_stride != layout.elem_size || inner.dst_stride != layout.elem_size) return;
  layout.elem_size *= inner.extent;
  --layout.rank;
}

}  // namespace

Layout make_layout(const Problem& problem) {
  check_problem(problem);
  Layout layout;
  layout.elem_size = problem.elem_size;
  layout.empty = has_zero_extent(problem);
  if (layout.empty) return layout;
  check_writable(problem);
  for (const Axis& axis : problem.axes) {
    if (axis.extent > 1) layout.axes[layout.rank++] = make_dst_stride_positive(axis, layout);
  }
  sort_by_dst_stride(layout);
  merge_neighbours(layout);
  fold_inner_run(layout);
  return layout;
}

int64_t byte_count(const Layout& layout) noexcept {
  if (layout.empty) return 0;
  int64_t bytes = layout.elem_size;
  for (int i = 0; i < layout.rank; ++i) bytes *= layout.axes[i].extent;
  return bytes;
}

}  // namespace hptp
