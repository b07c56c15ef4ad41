#include "strided.h"

#include <algorithm>

#include "check.h"
#include "tuning.h"

namespace hptp {
namespace {

// `bytes` bytes of a destination row, by the stores that the plan asks for.
void write_row(const Plan& plan, const std::byte* src, std::byte* dst, int64_t bytes) noexcept {
  const int64_t zero = 0;
  choose_rows(plan)(src, &zero, dst, &zero, 1, bytes);
}

void stream_fill(const Plan& plan, const std::byte* src, std::byte* dst, int64_t count,
                 std::byte* strip) noexcept {
  const int64_t most = std::min(count, tuning::kStripBytes / plan.elem_size);
  plan.kernels->fill(src, strip, most, plan.elem_size);
  for (int64_t p = 0; p < count; p += most) {
    write_row(plan, strip, dst + p * plan.elem_size, std::min(most, count - p) * plan.elem_size);
  }
}

// Some periods of a pattern, whose stores are ordinary. What is no whole round ends with a round
// that is moved back to end there, or goes element by element where there is not even one.
void regroup(const Plan& plan, const std::byte* src, std::byte* dst, int64_t periods,
             const Scratch& scratch) noexcept {
  const Axis& repeat = plan.a.axes[0];
  const int64_t round = plan.periods;
  if (periods < round) {
    for (int64_t p = 0; p < periods; ++p) {
      plan.kernels->gather(src + p * repeat.src_stride, scratch.b.src, dst + p * repeat.dst_stride,
                           nullptr, plan.b.total, plan.elem_size);
    }
    return;
  }
  const auto move = [&](int64_t begin, int64_t rounds) {
    plan.kernels->regroup(scratch.pattern, src + begin * repeat.src_stride,
                          round * repeat.src_stride, dst + begin * repeat.dst_stride,
                          round * repeat.dst_stride, rounds);
  };
  const int64_t rounds = periods / round;
  const int64_t strip = std::max<int64_t>(
      1, tuning::kPatternStripBytes / (scratch.pattern.chunk_count * kChunkBytes));
  for (int64_t r = 0; r < rounds; r += strip) move(r * round, std::min(strip, rounds - r));
  if (periods % round != 0) move(periods - round, 1);
}

}  // namespace

void run_fill(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept {
  for (int64_t a = 0; a < unit.a_count; ++a) {
    const std::byte* const src = unit.src + scratch.a.src[a];
    std::byte* const dst = unit.dst + scratch.a.dst[a];
    if (plan.stores == Stores::streaming) {
      stream_fill(plan, src, dst, unit.b_count, scratch.strip);
    } else {
      plan.kernels->fill(src, dst, unit.b_count, plan.elem_size);
    }
  }
}

void run_steps(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept {
  const Axis& line = plan.b.axes[0];
  for (int64_t a = 0; a < unit.a_count; ++a) {
    plan.kernels->move_steps(unit.src + scratch.a.src[a], line.src_stride,
                             unit.dst + scratch.a.dst[a], line.dst_stride, unit.b_count,
                             plan.elem_size);
  }
}

void run_gather(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept {
  plan.kernels->gather(unit.src, scratch.b.src, unit.dst, scratch.b.dst, unit.b_count,
                       plan.elem_size);
}

void fill_pattern(const Plan& plan, Scratch& scratch) noexcept {
  const Chain element = {};
  const Chain& period = plan.kind == Kind::pattern ? plan.b : element;
  build_pattern(period, plan.a.axes[0], plan.elem_size, plan.periods, scratch.pattern);
}

void run_pattern(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept {
  if (plan.stores == Stores::ordinary) {
    return regroup(plan, unit.src, unit.dst, unit.a_count, scratch);
  }
  const Axis& repeat = plan.a.axes[0];
  const int64_t step = tuning::kStripBytes / repeat.dst_stride / plan.periods * plan.periods;
  for (int64_t p = 0; p < unit.a_count; p += step) {
    const int64_t count = std::min(step, unit.a_count - p);
    regroup(plan, unit.src + p * repeat.src_stride, scratch.strip, count, scratch);
    write_row(plan, scratch.strip, unit.dst + p * repeat.dst_stride, count * repeat.dst_stride);
  }
}

void run_joined(const Plan& plan, const Unit& unit, Scratch& scratch) noexcept {
  const int64_t bytes = unit.a_count * plan.a.axes[0].dst_stride;
  HPTP_DCHECK(unit.b_count == plan.b.total && bytes <= tuning::kStageBytes);
  // The places of the columns in the buffer are those in the destination.
  choose_transpose(plan)(unit.src, scratch.b.src, scratch.stage, scratch.a.dst, unit.b_count,
                         unit.a_count, plan.elem_size);
  write_row(plan, scratch.stage, unit.dst, bytes);
}

}  // namespace hptp
