#include "plan_pieces.h"

#include <algorithm>

#include "pattern.h"
#include "tuning.h"

namespace hptp {
namespace {

// The innermost axes of the destination are walked as one, so that rectangles of a few elements
// cost no more than long ones.
void plan_gather(Rest& rest, Plan& plan) noexcept {
  plan.kind = Kind::gather;
  plan.stores = Stores::ordinary;  // an element is nothing to stream
  const int64_t target =
      std::clamp<int64_t>(tuning::kUnitBytes / plan.elem_size, 1, tuning::kMaxPositions);
  append(plan.b, take(rest, rest.count - 1));
  while (rest.count > 0 && plan.b.total < target) append(plan.b, take(rest, rest.count - 1));
  choose_block(plan.b, target, 1);
}

}  // namespace

void plan_lines(Rest& rest, Kind kind, Plan& plan) noexcept {
  plan.kind = kind;
  append(plan.b, take(rest, rest.count - 1));
  plan.b.block = std::min(plan.b.total, tuning::kUnitBytes / plan.elem_size);
  if (rest.count == 0) return;
  append(plan.a, take(rest, rest.count - 1));
  choose_block(plan.a, tuning::kUnitBytes / (plan.b.block * plan.elem_size), 1);
}

bool plan_pattern(Rest& rest, Plan& plan) noexcept {
  if (plan.kernels->regroup == nullptr) return false;
  Rest left = rest;
  Chain period;
  for (;;) {
    const int64_t bytes = period.total * plan.elem_size;
    const int next = find_dst_stride(left, bytes);
    if (next < 0 || period.rank == Chain::kMaxRank) return false;
    const Axis repeat = take(left, next);
    const bool goes_on = bytes * repeat.extent <= kMaxPatternBytes &&
                         find_dst_stride(left, bytes * repeat.extent) >= 0;
    const int64_t periods = goes_on ? 0 : choose_periods(period, repeat, plan.elem_size);
    if (!goes_on && (periods == 0 || periods > repeat.extent)) return false;
    if (!goes_on) {
      const int64_t most = std::max<int64_t>(1, tuning::kUnitBytes / (bytes * periods)) * periods;
      plan.kind = Kind::pattern;
      plan.periods = periods;
      plan.b = period;
      plan.b.block = period.total;
      append(plan.a, repeat);
      plan.a.block = std::min(repeat.extent, most);
      rest = left;
      return true;
    }
    append(period, repeat);
  }
}

int64_t choose_element_periods(const Plan& plan) noexcept {
  // From half a chunk on, an element alone moves as fast.
  if (plan.kernels->regroup == nullptr || plan.elem_size * 2 >= kChunkBytes) return 0;
  return choose_periods(Chain{}, plan.a.axes[0], plan.elem_size);
}

void plan_pieces(Rest& rest, Plan& plan) noexcept {
  if (plan_pattern(rest, plan)) return;
  const int64_t extent = rest.axes[rest.count - 1].extent;
  if (extent < tuning::kMinLineElements) return plan_gather(rest, plan);
  plan_lines(rest, Kind::steps, plan);
  plan.stores = Stores::ordinary;
}

}  // namespace hptp
