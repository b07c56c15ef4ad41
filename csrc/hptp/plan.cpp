// Planning: which axes form the chains, which kernel moves a block, how large a block is.
#include "plan.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "check.h"
#include "plan_pieces.h"
#include "tuning.h"

namespace hptp {
namespace {

constexpr int64_t kLaneBytes = 16;

// Both chains go on as long as the next axis lies directly behind them, the shorter chain first.
void grow_chains(Rest& rest, Plan& plan, int64_t a_target, int64_t b_target) noexcept {
  for (;;) {
    const int next_a =
        plan.a.total < a_target ? find_src_stride(rest, plan.a.total * plan.elem_size) : -1;
    const int next_b =
        plan.b.total < b_target ? find_dst_stride(rest, plan.b.total * plan.elem_size) : -1;
    if (next_a < 0 && next_b < 0) return;
    if (next_a >= 0 && (next_b < 0 || plan.a.total <= plan.b.total)) {
      append(plan.a, take(rest, next_a));
    } else {
      append(plan.b, take(rest, next_b));
    }
  }
}

void plan_rows(Rest& rest, Plan& plan) noexcept {
  plan.kind = Kind::rows;
  plan.piece_bytes = std::min(plan.elem_size, tuning::kPieceBytes);
  if (rest.count == 0) return;
  append(plan.b, take(rest, rest.count - 1));
  const int64_t elements = std::max<int64_t>(1, tuning::kRowsBlockBytes / plan.piece_bytes);
  const int nearest = find_nearest_in_src(rest);
  const bool moves =
      nearest >= 0 && std::abs(rest.axes[nearest].src_stride) < std::abs(plan.b.axes[0].src_stride);
  if (!moves) return choose_block(plan.b, elements, 1);
  append(plan.a, take(rest, nearest));
  const int64_t strip_bytes =
      plan.stores == Stores::streaming ? tuning::kRowStripBytes : tuning::kCachedRowStripBytes;
  const int64_t strip = std::max(strip_bytes / plan.piece_bytes, tuning::kMinRowsPerStrip);
  choose_block(plan.b, std::min(elements, strip), 1);
  choose_block(plan.a, elements / plan.b.block, 1);
}

// Whether the source is walked in smaller steps along another axis than the innermost of the
// destination.
bool is_transposed(const Rest& rest) noexcept {
  const int nearest = find_nearest_in_src(rest);
  const int64_t inner = std::abs(rest.axes[rest.count - 1].src_stride);
  return nearest >= 0 && std::abs(rest.axes[nearest].src_stride) < inner;
}

bool has_src_step(const Plan& plan) noexcept { return plan.a.axes[0].src_stride != plan.elem_size; }

bool has_dst_step(const Plan& plan) noexcept { return plan.b.axes[0].dst_stride != plan.elem_size; }

bool has_channel_kernel(const Plan& plan, const Axis& channels, int64_t position_extent) noexcept {
  const int size = elem_size_index(plan.elem_size);
  return size >= 0 && size < kChannelElemSizes && channels.extent >= kMinChannels &&
         channels.extent <= kMaxChannels &&
         position_extent * plan.elem_size >= tuning::kMinPlaneBytes;
}

// So many positions that the next block begins with a line on both sides where this one does.
int64_t whole_lines(int64_t positions) noexcept {
  return positions < kLineBytes ? positions : positions / kLineBytes * kLineBytes;
}

// A and B hold one axis each. True where one of them is a few channels of the other's positions.
bool plan_channels(Plan& plan) noexcept {
  const Axis& a = plan.a.axes[0];
  const Axis& b = plan.b.axes[0];
  const int64_t target = tuning::kUnitBytes / plan.elem_size;
  if (has_src_step(plan) || has_dst_step(plan)) return false;
  if (has_channel_kernel(plan, b, a.extent) && a.dst_stride == b.extent * plan.elem_size) {
    plan.kind = Kind::interleave;
    plan.a.block = std::min(a.extent, whole_lines(target / b.extent));
    plan.b.block = b.extent;
    return true;
  }
  if (has_channel_kernel(plan, a, b.extent) && b.src_stride == a.extent * plan.elem_size) {
    plan.kind = Kind::deinterleave;
    plan.b.block = std::min(b.extent, whole_lines(target / a.extent));
    plan.a.block = a.extent;
    return true;
  }
  return false;
}

// A row of one side is shorter than a lane of a register, and nothing has to be packed.
bool is_narrow(const Plan& plan) noexcept {
  return !has_src_step(plan) && !has_dst_step(plan) &&
         std::min(plan.a.total, plan.b.total) * plan.elem_size < kLaneBytes;
}

// Few source rows, whose columns lie side by side in the destination.
bool is_joined(const Plan& plan) noexcept {
  return plan.stores == Stores::streaming && !has_src_step(plan) && !has_dst_step(plan) &&
         !is_narrow(plan) && plan.b.total <= tuning::kMaxJoinedRows && plan.a.rank == 1 &&
         plan.a.axes[0].dst_stride == plan.b.total * plan.elem_size;
}

void plan_transpose(Rest& rest, Plan& plan) noexcept {
  constexpr int64_t kMostRows =
      (2 * tuning::kStageRows + 2) / 3;  // half as many again may be taken
  const int64_t a_target = std::max<int64_t>(1, tuning::kBlockSrcBytes / plan.elem_size);
  const int64_t b_target =
      std::clamp<int64_t>(tuning::kBlockDstBytes / plan.elem_size, 1, kMostRows);
  plan.kind = Kind::transpose;
  // A side with a step has no axis directly behind it.
  grow_chains(rest, plan, has_src_step(plan) ? 0 : a_target, has_dst_step(plan) ? 0 : b_target);
  if (has_src_step(plan)) plan.periods = choose_element_periods(plan);
  if (is_narrow(plan) || is_joined(plan)) {
    choose_block(plan.b, tuning::kMaxPositions, 1);
    return choose_block(plan.a, tuning::kUnitBytes / (plan.b.block * plan.elem_size), 1);
  }
  choose_block(plan.a, a_target, 1);
  choose_block(plan.b, b_target, kLineBytes / std::gcd(kLineBytes, plan.elem_size));
}

// A small rectangle with axes around it.
bool is_tiny(const Plan& plan, const Rest& rest) noexcept {
  return rest.count > 0 &&
         plan.a.total * plan.b.total * plan.elem_size < tuning::kTinyRectangleBytes;
}

// A batch of small rectangles as a pattern; leaves all as it is where that cannot be.
void plan_tiny(const Layout& layout, Rest& rest, Plan& plan) noexcept {
  const Plan before = plan;
  Rest all = all_axes(layout);
  clear(plan.a);
  clear(plan.b);
  if (plan_pattern(all, plan)) {
    rest = all;
  } else {
    plan = before;
  }
}

bool is_broadcast(const Axis& inner, int64_t elem_size) noexcept {
  return inner.src_stride == 0 && inner.dst_stride == elem_size &&
         inner.extent * elem_size >= tuning::kMinFillBytes;
}

void plan_chains(const Layout& layout, Rest& rest, Plan& plan) noexcept {
  if (plan.elem_size >= tuning::kRowBytes || rest.count == 0) return plan_rows(rest, plan);
  if (is_broadcast(rest.axes[rest.count - 1], plan.elem_size)) {
    return plan_lines(rest, Kind::fill, plan);
  }
  if (!is_transposed(rest)) return plan_pieces(rest, plan);
  append(plan.b, take(rest, rest.count - 1));
  append(plan.a, take(rest, find_nearest_in_src(rest)));
  if (plan_channels(plan)) {
    if (is_tiny(plan, rest)) plan_tiny(layout, rest, plan);
    return;
  }
  plan_transpose(rest, plan);
  if (!is_tiny(plan, rest)) return;
  rest = all_axes(layout);
  clear(plan.a);
  clear(plan.b);
  plan.periods = 0;
  plan_pieces(rest, plan);
}

// Whether the rows of a block fall on one another in the first cache level.
bool rows_collide(const Chain& b) noexcept {
  const int64_t apart = std::gcd(b.axes[0].src_stride, tuning::kCacheWayBytes);
  const int64_t sets = tuning::kCacheWayBytes / std::max(apart, kLineBytes);
  return b.block > sets * tuning::kCacheWays;
}

Path choose_path(const Plan& plan, const Machine& machine, int64_t bytes) noexcept {
  if (plan.kind != Kind::transpose) return Path::direct;
  if (has_src_step(plan) || has_dst_step(plan)) return Path::packed;
  if (is_joined(plan)) return Path::joined;
  if (is_narrow(plan)) return Path::direct;
  if (bytes >= machine.stream_bytes) return Path::staged;
  const bool collides = bytes >= tuning::kCollidingBytes && rows_collide(plan.b);
  return collides ? Path::staged : Path::direct;
}

// The blocks of a chain are steps along its last axis.
Axis block_loop(const Chain& chain) noexcept {
  if (chain.rank == 0) return {1, 0, 0};
  const Axis& last = chain.axes[chain.rank - 1];
  const int64_t lower = chain.total / last.extent;
  const int64_t steps = chain.block / lower;
  return {(chain.total + chain.block - 1) / chain.block, steps * last.src_stride,
          steps * last.dst_stride};
}

int add_loop(Plan& plan, const Axis& loop) noexcept {
  plan.loops[plan.loop_count] = loop;
  plan.unit_count *= loop.extent;
  return plan.loop_count++;
}

Axis group_loop(const Axis& blocks, int64_t group) noexcept {
  return {(blocks.extent + group - 1) / group, group * blocks.src_stride,
          group * blocks.dst_stride};
}

Axis loop_in_group(const Axis& blocks, int64_t group) noexcept {
  return {std::min(blocks.extent, group), blocks.src_stride, blocks.dst_stride};
}

// Takes a loop of at most `group` steps out of an axis, which keeps the rest of them.
Axis split(Rest& rest, int index, int64_t group) noexcept {
  if (index < 0) return {1, 0, 0};
  Axis& axis = rest.axes[index];
  int64_t steps = std::min(group, axis.extent);
  while (axis.extent % steps != 0) --steps;
  const Axis inner = {steps, axis.src_stride, axis.dst_stride};
  axis = {axis.extent / steps, axis.src_stride * steps, axis.dst_stride * steps};
  return inner;
}

// The innermost loops are those that stay near in the source and near in the destination: over the
// blocks of a chain, or over the nearest other axis where the chain is a single block.
void plan_loops(Rest& rest, Plan& plan) noexcept {
  const int64_t group = tuning::kGroupBlocks;
  const Axis a = block_loop(plan.a);
  const Axis b = block_loop(plan.b);
  const Axis near_src =
      a.extent > 1 ? Axis{1, 0, 0} : split(rest, find_nearest_in_src(rest), group);
  const Axis near_dst = b.extent > 1 ? Axis{1, 0, 0} : split(rest, rest.count - 1, group);
  plan.unit_count = 1;
  for (int i = 0; i < rest.count; ++i) add_loop(plan, rest.axes[i]);
  plan.a_loops.groups = add_loop(plan, group_loop(a, group));
  plan.b_loops.groups = add_loop(plan, group_loop(b, group));
  add_loop(plan, near_src);
  plan.a_loops.blocks = add_loop(plan, loop_in_group(a, group));
  add_loop(plan, near_dst);
  plan.b_loops.blocks = add_loop(plan, loop_in_group(b, group));
  const int64_t pieces = (plan.elem_size + plan.piece_bytes - 1) / plan.piece_bytes;
  plan.piece_loop = add_loop(plan, {pieces, plan.piece_bytes, plan.piece_bytes});
}

}  // namespace

int choose_threads(int64_t bytes, int max_threads) noexcept {
  return static_cast<int>(
      std::clamp<int64_t>(bytes / tuning::kBytesPerThread, 1, std::max(max_threads, 1)));
}

Plan build_plan(const Layout& layout, const Machine& machine, int max_threads) noexcept {
  Plan plan;
  plan.kernels = machine.kernels;
  plan.elem_size = layout.elem_size;
  plan.piece_bytes = layout.elem_size;
  plan.src_offset = layout.src_offset;
  plan.dst_offset = layout.dst_offset;
  if (layout.empty) return plan;
  const int64_t bytes = byte_count(layout);
  plan.stores = bytes >= machine.stream_bytes ? Stores::streaming : Stores::ordinary;
  Rest rest = all_axes(layout);
  plan_chains(layout, rest, plan);
  plan_loops(rest, plan);
  plan.path = choose_path(plan, machine, bytes);
  plan.threads = choose_threads(bytes, max_threads);
  return plan;
}

}  // namespace hptp
