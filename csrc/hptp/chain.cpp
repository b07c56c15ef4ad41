#include "chain.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "check.h"
#include "tuning.h"

namespace hptp {

Rest all_axes(const Layout& layout) noexcept {
  Rest rest;
  rest.count = layout.rank;
  std::copy_n(layout.axes, layout.rank, rest.axes);
  return rest;
}

Axis take(Rest& rest, int index) noexcept {
  const Axis taken = rest.axes[index];
  std::copy(rest.axes + index + 1, rest.axes + rest.count, rest.axes + index);
  --rest.count;
  return taken;
}

void append(Chain& chain, const Axis& axis) noexcept {
  HPTP_DCHECK(chain.rank < Chain::kMaxRank);
  chain.axes[chain.rank++] = axis;
  chain.total *= axis.extent;
}

void clear(Chain& chain) noexcept {
  chain.rank = 0;
  chain.total = 1;
  chain.block = 1;
}

int find_src_stride(const Rest& rest, int64_t stride) noexcept {
  int i = rest.count - 1;
  while (i >= 0 && rest.axes[i].src_stride != stride) --i;
  return i;
}

int find_dst_stride(const Rest& rest, int64_t stride) noexcept {
  int i = rest.count - 1;
  while (i >= 0 && rest.axes[i].dst_stride != stride) --i;
  return i;
}

int find_nearest_in_src(const Rest& rest) noexcept {
  int nearest = -1;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int i = 0; i < rest.count; ++i) {
    const int64_t step = std::abs(rest.axes[i].src_stride);
    if (step != 0 && step < least) {
      least = step;
      nearest = i;
    }
  }
  return nearest;
}

void choose_block(Chain& chain, int64_t target, int64_t whole) noexcept {
  target = std::clamp<int64_t>(target, 1, tuning::kMaxPositions * 2 / 3);
  const int64_t limit = target + target / 2;
  if (chain.total <= limit) {
    chain.block = chain.total;
    return;
  }
  const int64_t lower = chain.total / chain.axes[chain.rank - 1].extent;
  const int64_t step = std::lcm(lower, whole);
  chain.block = step <= limit ? limit / step * step : lower * std::max<int64_t>(1, target / lower);
  HPTP_DCHECK(chain.block <= tuning::kMaxPositions);
}

}  // namespace hptp
