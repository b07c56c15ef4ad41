// A Problem is what was asked: elements of `elem_size` bytes along axes with strides in bytes.
// A Layout is what is left of it after normalising, and all that the later stages see.
//
// Worked example: permute(0, 2, 1) of a contiguous 4 x 6 x 8 tensor of 4-byte elements is the
// Problem
//   {extent 4, src 192, dst 192}  {extent 8, src 4, dst 24}  {extent 6, src 32, dst 4}
// and, as no two of its axes can be merged, the Layout has the same three axes.
#pragma once

#include <cstdint>
#include <span>

namespace hptp {

// One loop of a strided copy. Strides are in bytes; a source stride may be 0 or negative, a
// destination stride may be negative.
struct Axis {
  int64_t extent;
  int64_t src_stride;
  int64_t dst_stride;
};

struct Problem {
  int64_t elem_size;  // bytes, at least 1
  std::span<const Axis> axes;
};

// Every axis of a Layout has an extent of at least 2 and the product of all extents fits in 63
// bits, so that 62 axes are the most there can be: a fixed array needs no error path.
inline constexpr int kMaxRank = 63;

// Invariants: extents are at least 2; destination strides are positive and descend; no two
// neighbours can be merged; the innermost axis is not contiguous on both sides, as such a run is
// folded into the element.
struct Layout {
  int64_t elem_size = 0;   // bytes that lie together on both sides
  int64_t src_offset = 0;  // bytes from the caller's pointer to the first element read
  int64_t dst_offset = 0;  // bytes from the caller's pointer to the first element written
  bool empty = false;      // some extent is 0: nothing is read or written
  int rank = 0;
  Axis axes[kMaxRank];  // outermost first; those from `rank` on have no value
};

// Throws std::invalid_argument for an element size below 1, a negative extent, or a destination
// stride of 0 along an axis longer than 1, and std::length_error when the bytes to write cannot be
// counted in 63 bits.
Layout make_layout(const Problem& problem);

// Bytes that a layout writes, which are also the bytes it reads (a broadcast counts each time).
int64_t byte_count(const Layout& layout) noexcept;

}  // namespace hptp
