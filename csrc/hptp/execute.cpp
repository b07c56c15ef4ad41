// Execution: a cursor walks the units, tables hold the offsets of a block, and one small function a
// kind turns a unit into kernel calls.
#include "execute.h"

#include <algorithm>

#include "check.h"
#include "staged.h"
#include "strided.h"
#include "tuning.h"
#include "unit.h"

namespace hptp {
namespace {

struct Work {
  const Plan* plan;
  const std::byte* src;
  std::byte* dst;
};

class Cursor {
 public:
  Cursor(const Work& work, int64_t unit) noexcept : plan_(*work.plan) {
    src_ = work.src;
    dst_ = work.dst;
    for (int i = plan_.loop_count - 1; i >= 0; --i) {
      const Axis& loop = plan_.loops[i];
      index_[i] = unit % loop.extent;
      unit /= loop.extent;
      src_ += index_[i] * loop.src_stride;
      dst_ += index_[i] * loop.dst_stride;
    }
  }

  void advance() noexcept {
    for (int i = plan_.loop_count - 1; i >= 0; --i) {
      const Axis& loop = plan_.loops[i];
      src_ += loop.src_stride;
      dst_ += loop.dst_stride;
      if (++index_[i] < loop.extent) return;
      index_[i] = 0;
      src_ -= loop.extent * loop.src_stride;
      dst_ -= loop.extent * loop.dst_stride;
    }
  }

  Unit unit() const noexcept {
    return {src_, dst_, count(plan_.a, plan_.a_loops), count(plan_.b, plan_.b_loops),
            count(plan_.elem_size, plan_.piece_bytes, index_[plan_.piece_loop])};
  }

 private:
  // The last block may be a part of one, and what a last group lacks is below 0.
  static int64_t count(int64_t total, int64_t block, int64_t index) noexcept {
    return std::min(block, total - index * block);
  }

  int64_t count(const Chain& chain, const BlockLoops& loops) const noexcept {
    const int64_t group = plan_.loops[loops.blocks].extent;
    return count(chain.total, chain.block, index_[loops.groups] * group + index_[loops.blocks]);
  }

  const Plan& plan_;
  const std::byte* src_;
  std::byte* dst_;
  int64_t index_[Plan::kMaxLoops];
};

void run_rows(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept {
  const RowsKernel move_rows = choose_rows(plan);
  for (int64_t a = 0; a < unit.a_count; ++a) {
    move_rows(unit.src + scratch.a.src[a], scratch.b.src, unit.dst + scratch.a.dst[a],
              scratch.b.dst, unit.b_count, unit.bytes);
  }
}

void run_transpose(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept {
  if (is_staged(plan)) return run_staged(plan, unit, scratch);
  if (plan.path == Path::joined) return run_joined(plan, unit, scratch);
  choose_transpose(plan)(unit.src, scratch.b.src, unit.dst, scratch.a.dst, unit.b_count,
                         unit.a_count, plan.elem_size);
}

void run_interleave(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept {
  const int64_t channels = plan.b.total;
  const InterleaveKernel interleave =
      plan.kernels->interleave[channels - kMinChannels][elem_size_index(plan.elem_size)];
  if (plan.stores == Stores::ordinary) {
    return interleave(unit.src, scratch.b.src, unit.dst, unit.a_count,
                      tuning::kPlaneFetchAheadBytes);
  }
  const int64_t pixel = channels * plan.elem_size;
  const int64_t step = tuning::kPixelStripBytes / pixel;
  for (int64_t p = 0; p < unit.a_count; p += step) {
    const int64_t count = std::min(step, unit.a_count - p);
    const int64_t zero = 0;
    interleave(unit.src + p * plan.elem_size, scratch.b.src, scratch.strip, count,
               tuning::kPlaneFetchAheadBytes);
    plan.kernels->stream_rows(scratch.strip, &zero, unit.dst + p * pixel, &zero, 1, count * pixel);
  }
}

// The strip, shared among the planes of up to kMaxChannels channels.
constexpr int64_t kPlaneStripBytes = tuning::kStripBytes / kMaxChannels / 64 * 64;

void run_deinterleave(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept {
  const int64_t channels = plan.a.total;
  const DeinterleaveKernel deinterleave =
      plan.kernels->deinterleave[channels - kMinChannels][elem_size_index(plan.elem_size)];
  if (plan.stores == Stores::ordinary) {
    return deinterleave(unit.src, unit.dst, scratch.a.dst, unit.b_count,
                        tuning::kPixelFetchAheadBytes);
  }
  const int64_t pixel = channels * plan.elem_size;
  const int64_t step = kPlaneStripBytes / plan.elem_size;
  for (int64_t p = 0; p < unit.b_count; p += step) {
    const int64_t count = std::min(step, unit.b_count - p);
    deinterleave(unit.src + p * pixel, scratch.strip, scratch.strip_rows, count,
                 tuning::kPixelFetchAheadBytes);
    plan.kernels->stream_rows(scratch.strip, scratch.strip_rows, unit.dst + p * plan.elem_size,
                              scratch.a.dst, channels, count * plan.elem_size);
  }
}

void run_unit(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept {
  switch (plan.kind) {
    case Kind::empty:
      return;
    case Kind::rows:
      return run_rows(plan, unit, scratch);
    case Kind::transpose:
      return run_transpose(plan, unit, scratch);
    case Kind::interleave:
      return run_interleave(plan, unit, scratch);
    case Kind::deinterleave:
      return run_deinterleave(plan, unit, scratch);
    case Kind::fill:
      return run_fill(plan, unit, scratch);
    case Kind::steps:
      return run_steps(plan, unit, scratch);
    case Kind::pattern:
      return run_pattern(plan, unit, scratch);
    case Kind::gather:
      return run_gather(plan, unit, scratch);
  }
}

// Chains of positions that a kernel walks by itself may be longer than a table.
void fill_scratch(const Plan& plan, Scratch& scratch) noexcept {
  if (plan.a.block <= tuning::kMaxPositions) fill_offsets(plan.a, scratch.a);
  if (plan.b.block <= tuning::kMaxPositions) fill_offsets(plan.b, scratch.b);
  if (plan.kind == Kind::deinterleave) {
    fill_rows(scratch.strip_rows, plan.a.total, kPlaneStripBytes);
  }
  if (plan.periods > 0) fill_pattern(plan, scratch);
  if (is_staged(plan)) fill_staged(plan, scratch);
}

void run_units(const void* opaque, int64_t begin, int64_t end) noexcept {
  const Work& work = *static_cast<const Work*>(opaque);
  const Plan& plan = *work.plan;
  HPTP_DCHECK(0 <= begin && begin <= end && end <= plan.unit_count);
  if (begin == end) return;
  Scratch scratch;
  fill_scratch(plan, scratch);
  Cursor cursor(work, begin);
  for (int64_t i = begin; i < end; ++i, cursor.advance()) {
    const Unit unit = cursor.unit();
    if (unit.a_count > 0 && unit.b_count > 0) run_unit(plan, unit, scratch);
  }
  if (plan.stores == Stores::streaming) plan.kernels->finish_streams();
}

}  // namespace

void execute(const Plan& plan, const void* src, void* dst, ParallelFor parallel_for) {
  if (plan.unit_count == 0) return;
  const Work work = {&plan, static_cast<const std::byte*>(src) + plan.src_offset,
                     static_cast<std::byte*>(dst) + plan.dst_offset};
  if (plan.threads == 1) return run_units(&work, 0, plan.unit_count);
  parallel_for(plan.threads, plan.unit_count, run_units, &work);
}

}  // namespace hptp
