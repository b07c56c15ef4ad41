// What a thread works with: the unit it is given, and scratch of its own. Seen by the sources that
// turn units into kernel calls, and by nothing else.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "pattern.h"
#include "plan.h"
#include "tuning.h"

namespace hptp {

// Offsets of the positions of a block of a chain, on both sides.
struct Offsets {
  int64_t src[tuning::kMaxPositions];
  int64_t dst[tuning::kMaxPositions];
};

struct Scratch {
  alignas(64) std::byte stage[tuning::kStageBytes];
  alignas(64) std::byte strip[tuning::kStripBytes];
  Offsets a;
  Offsets b;
  int64_t stage_rows[tuning::kStageRows];
  int64_t strip_rows[tuning::kStripRows];
  Pattern pattern;
};

// One unit: where it starts and how much of a full block it is.
struct Unit {
  const std::byte* src;
  std::byte* dst;
  int64_t a_count;
  int64_t b_count;
  int64_t bytes;  // of every element
};

// The offsets of the first `block` positions of a chain, axis by axis: each axis repeats what is
// there once for every step along it.
inline void fill_offsets(const Chain& chain, Offsets& offsets) noexcept {
  offsets.src[0] = 0;
  offsets.dst[0] = 0;
  int64_t filled = 1;
  for (int i = 0; i < chain.rank && filled < chain.block; ++i) {
    const Axis& axis = chain.axes[i];
    const int64_t end = std::min(chain.block, filled * axis.extent);
    for (int64_t p = filled; p < end; ++p) {
      offsets.src[p] = offsets.src[p - filled] + axis.src_stride;
      offsets.dst[p] = offsets.dst[p - filled] + axis.dst_stride;
    }
    filled = end;
  }
}

inline void fill_rows(int64_t* rows, int64_t count, int64_t pitch) noexcept {
  for (int64_t r = 0; r < count; ++r) rows[r] = r * pitch;
}

inline RowsKernel choose_rows(const Plan& plan) noexcept {
  const bool streams = plan.stores == Stores::streaming;
  return streams ? plan.kernels->stream_rows : plan.kernels->copy_rows;
}

// An odd number of lines between the rows of the stage, so that a column of them meets every set of
// the cache.
inline int64_t stage_pitch(const Plan& plan) noexcept {
  return (plan.a.block * plan.elem_size + 63) / 128 * 128 + 64;
}

inline TransposeKernel choose_transpose(const Plan& plan) noexcept {
  const int index = elem_size_index(plan.elem_size);
  return index >= 0 ? plan.kernels->transpose[index] : plan.kernels->transpose_any;
}

inline int64_t strip_columns(const Plan& plan) noexcept {
  return elem_size_index(plan.elem_size) >= 0 ? tuning::kStripColumnBytes / plan.elem_size
                                              : tuning::kAnyStripColumns;
}

}  // namespace hptp
