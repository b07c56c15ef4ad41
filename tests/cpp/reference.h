// The oracle: one loop per axis and one byte at a time, so that it is right at a glance. It shares
// no code with the engine, normalises nothing and is never made faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "layout.h"
#include "slowdown.h"

namespace hptp::test {

// Copies every element of the axes from `src` to `dst`.
HPTP_ONE_THREAD inline void copy_by_loops(int64_t elem_size, std::span<const Axis> axes,
                                          const std::byte* src, std::byte* dst) {
  if (axes.empty()) {
    for (int64_t i = 0; i < elem_size; ++i) dst[i] = src[i];
    return;
  }
  const Axis& axis = axes.front();
  for (int64_t i = 0; i < axis.extent; ++i) {
    copy_by_loops(elem_size, axes.subspan(1), src + i * axis.src_stride, dst + i * axis.dst_stride);
  }
}

// A byte move: where it is read and where it is written, counted from the caller's pointers.
using Move = std::pair<int64_t, int64_t>;

// Appends the move of every byte of every element.
inline void append_moves(int64_t elem_size, std::span<const Axis> axes, int64_t src_offset,
                         int64_t dst_offset, std::vector<Move>& moves) {
  if (axes.empty()) {
    for (int64_t i = 0; i < elem_size; ++i) moves.emplace_back(src_offset + i, dst_offset + i);
    return;
  }
  const Axis& axis = axes.front();
  for (int64_t i = 0; i < axis.extent; ++i) {
    append_moves(elem_size, axes.subspan(1), src_offset + i * axis.src_stride,
                 dst_offset + i * axis.dst_stride, moves);
  }
}

// The bytes that one side of a problem touches: [low, high) counted from the caller's pointer.
struct Reach {
  int64_t low = 0;
  int64_t high = 0;
};

inline Reach reach_along(int64_t elem_size, std::span<const Axis> axes,
                         int64_t Axis::*stride) noexcept {
  Reach reach{0, elem_size};
  for (const Axis& axis : axes) {
    if (axis.extent == 0) return {0, 0};
    const int64_t last = (axis.extent - 1) * (axis.*stride);
    (last < 0 ? reach.low : reach.high) += last;
  }
  return reach;
}

}  // namespace hptp::test
