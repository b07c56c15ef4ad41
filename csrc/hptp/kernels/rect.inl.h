// Transposes of 1-, 2-, 4-, 8- and 16-byte elements in registers. Written once and included by the
// source file of every SIMD instruction set, inside its region, after move.inl.h.
//
// A lane is 16 bytes. With N = 16 / elem_size, log2(N) rounds of unpacking turn N registers, each
// the start of a row, into N registers, each the start of a column, in every lane at once. The
// lanes of a register come from rows that lie N apart, so that a finished register is one piece of
// kLanes * 16 contiguous bytes of a destination row and no lane ever crosses over.
//
// Example, 4-byte elements and two lanes: register i holds row i (4 elements) and row i + 4;
// after two rounds register j holds column j of rows 0 ... 7, which is 32 bytes of output row j.
//
// A Vector gives:
//   Register, kLanes;
//   load_spread(src, step): lane l is the 16 bytes at src + l * step;
//   load_lanes(base, offsets, step): lane l is the 16 bytes at base + offsets[l * step];
//   store(dst, register);
//   unpack_low<kElemSize>(a, b), unpack_high<kElemSize>(a, b): lane by lane, alternate the elements
//     of the low or high 8 bytes of a and b.
#pragma once

#include "move.inl.h"

template <class Vector, int kElemSize>
struct Tile {
  static constexpr int kCount = 16 / kElemSize;
  typename Vector::Register rows[size_t{kCount}];
};

template <class Vector, int kElemSize>
HPTP_INLINE void transpose_registers(Tile<Vector, kElemSize>& tile) {
  constexpr int kCount = Tile<Vector, kElemSize>::kCount;
  constexpr int kHalf = kCount / 2;
  HPTP_UNROLL
  for (int round = 1; round < kCount; round *= 2) {
    Tile<Vector, kElemSize> next;
    HPTP_UNROLL
    for (int i = 0; i < kHalf; ++i) {
      next.rows[2 * i] = Vector::template unpack_low<kElemSize>(tile.rows[i], tile.rows[i + kHalf]);
      next.rows[2 * i + 1] =
          Vector::template unpack_high<kElemSize>(tile.rows[i], tile.rows[i + kHalf]);
    }
    tile = next;
  }
}

// kLanes * N rows by N columns.
template <class Vector, int kElemSize>
HPTP_INLINE void transpose_tile(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                                const int64_t* dst_rows) {
  Tile<Vector, kElemSize> tile;
  HPTP_UNROLL
  for (int i = 0; i < tile.kCount; ++i) {
    tile.rows[i] = Vector::load_lanes(src, src_rows + i, tile.kCount);
  }
  if constexpr (kElemSize < 16) transpose_registers<Vector, kElemSize>(tile);
  HPTP_UNROLL
  for (int i = 0; i < tile.kCount; ++i) Vector::store(dst + dst_rows[i], tile.rows[i]);
}

// As many columns as are a cache line are walked together, so that a line is met once. EPYC 7xx3,
// one thread, direct, share of memcpy, against one tile's columns after the other: 724 x 724 of 2
// bytes 0.43 against 0.37, of 4 bytes 0.55 against 0.45; 200 x 200 of 8 bytes 0.54 against 0.43, of
// 16 bytes 0.50 against 0.35.
//
// Where the tiles do not divide the rectangle, the last one is moved back to end at the edge and
// writes some elements a second time.
template <class Vector, int kElemSize>
HPTP_INLINE void transpose_tiles(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                                 const int64_t* dst_rows, int64_t rows, int64_t cols) {
  constexpr int64_t kTileCols = 16 / kElemSize;
  constexpr int64_t kTileRows = kTileCols * Vector::kLanes;
  constexpr int64_t kGroupCols = kLineBytes / kElemSize;
  for (int64_t group = 0; group < cols; group += kGroupCols) {
    const int64_t end = group + kGroupCols < cols ? group + kGroupCols : cols;
    for (int64_t row = 0; row < rows; row += kTileRows) {
      const int64_t r = row + kTileRows <= rows ? row : rows - kTileRows;
      for (int64_t col = group; col < end; col += kTileCols) {
        const int64_t c = col + kTileCols <= cols ? col : cols - kTileCols;
        transpose_tile<Vector, kElemSize>(src + c * kElemSize, src_rows + r, dst + r * kElemSize,
                                          dst_rows + c);
      }
    }
  }
}

template <class Vector, class HalfVector, int kElemSize>
void transpose_rect(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                    const int64_t* dst_rows, int64_t rows, int64_t cols, int64_t) noexcept {
  constexpr int64_t kTileCols = 16 / kElemSize;
  if (cols >= kTileCols && rows >= kTileCols * Vector::kLanes) {
    return transpose_tiles<Vector, kElemSize>(src, src_rows, dst, dst_rows, rows, cols);
  }
  if (cols >= kTileCols && rows >= kTileCols * HalfVector::kLanes) {
    return transpose_tiles<HalfVector, kElemSize>(src, src_rows, dst, dst_rows, rows, cols);
  }
  transpose_any(src, src_rows, dst, dst_rows, rows, cols, kElemSize);
}

// Between buffers of the engine's own, whose rows lie at a constant distance and have room for
// whole tiles.
template <class Vector, int kElemSize>
void transpose_strip(const std::byte* stage, int64_t stage_pitch, std::byte* strip,
                     int64_t strip_pitch, int64_t rows) noexcept {
  constexpr int64_t kTileCols = 16 / kElemSize;
  constexpr int64_t kTileRows = kTileCols * Vector::kLanes;
  for (int64_t r = 0; r < rows; r += kTileRows) {
    Tile<Vector, kElemSize> tile;
    HPTP_UNROLL
    for (int i = 0; i < tile.kCount; ++i) {
      tile.rows[i] = Vector::load_spread(stage + i * stage_pitch, kTileCols * stage_pitch);
    }
    if constexpr (kElemSize < 16) transpose_registers<Vector, kElemSize>(tile);
    HPTP_UNROLL
    for (int i = 0; i < tile.kCount; ++i) Vector::store(strip + i * strip_pitch, tile.rows[i]);
    stage += kTileRows * stage_pitch;
    strip += kTileRows * kElemSize;
  }
}
