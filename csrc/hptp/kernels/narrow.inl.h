// Transposes of few rows or of few columns: fewer than fill a tile, while the other side is long.
// Written once and included by the source file of every SIMD instruction set, inside its region,
// after rect.inl.h, whose tiles these are.
//
// Few columns: a row is shorter than the 16 bytes that a lane loads, so what is loaded besides is
// of the rows behind it, and the columns it becomes are not stored. Few rows: the rows that are
// missing are loads of the last one, and each finished column is stored with what is too much. The
// next column writes over that; the last columns of a tile are stored exactly.
//
// Example, 5 rows of 1 byte: 16 columns of 5 bytes each leave as 16 bytes at 0, 5, 10 ... 60, and
// the last three as 5 bytes at 65, 70, 75.
//
// EPYC 7xx3, one thread, in the second cache level, GB/s, against elements moved one by one: 5, 8
// and 12 columns of 1 byte 10, 15 and 19 against 3, of 2 bytes (5, 6, 7) 22, 26, 28 against 8; rows
// likewise.
#pragma once

#include "rect.inl.h"

HPTP_INLINE bool are_side_by_side(const int64_t* offsets, int64_t count, int64_t bytes) {
  int64_t apart = 0;
  for (int64_t i = 0; i < count; ++i) apart |= offsets[i] - (offsets[0] + i * bytes);
  return apart == 0;
}

// 0 < bytes < 16, of whole elements.
template <int kElemSize>
HPTP_INLINE void move_part(const std::byte* src, std::byte* dst, int64_t bytes) {
  if (bytes >= 8) return move_overlapping<8>(src, dst, bytes);
  if constexpr (kElemSize == 4) return move_fixed<4>(src, dst);
  if (bytes >= 4) return move_overlapping<4>(src, dst, bytes);
  if constexpr (kElemSize == 2) return move_fixed<2>(src, dst);
  if (bytes >= 2) return move_overlapping<2>(src, dst, bytes);
  *dst = *src;
}

// A register of one lane whose first `bytes` bytes are at src; nothing else is read.
template <class HalfVector, int kElemSize>
HPTP_INLINE typename HalfVector::Register load_part(const std::byte* src, int64_t bytes) {
  std::byte whole[16] = {};
  move_part<kElemSize>(src, whole, bytes);
  return HalfVector::load(whole);
}

// True where 16 bytes can be read from every row.
HPTP_INLINE bool are_readable(const int64_t* rows, int64_t count, int64_t end) {
  int64_t room = 0;  // below 0 as soon as one is
  for (int64_t i = 0; i < count; ++i) room |= end - 16 - rows[i];
  return room >= 0;
}

template <class Vector, int kElemSize>
HPTP_INLINE void store_few(Tile<Vector, kElemSize>& tile, std::byte* dst, const int64_t* dst_rows,
                           int64_t count) {
  transpose_registers<Vector, kElemSize>(tile);
  HPTP_UNROLL
  for (int i = 0; i < tile.kCount; ++i) {
    if (i < count) Vector::store(dst + dst_rows[i], tile.rows[i]);
  }
}

// N columns, of which `cols` are there.
template <class Vector, int kElemSize>
HPTP_INLINE void transpose_few_cols_tile(const std::byte* src, const int64_t* src_rows,
                                         std::byte* dst, const int64_t* dst_rows, int64_t cols) {
  Tile<Vector, kElemSize> tile;
  HPTP_UNROLL
  for (int i = 0; i < tile.kCount; ++i) {
    tile.rows[i] = Vector::load_lanes(src, src_rows + i, tile.kCount);
  }
  store_few<Vector, kElemSize>(tile, dst, dst_rows, cols);
}

// The same where not even a lane can be read from every row.
template <class HalfVector, int kElemSize>
HPTP_INLINE void transpose_last_rows(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                                     const int64_t* dst_rows, int64_t cols) {
  Tile<HalfVector, kElemSize> tile;
  HPTP_UNROLL
  for (int i = 0; i < tile.kCount; ++i) {
    tile.rows[i] = load_part<HalfVector, kElemSize>(src + src_rows[i], cols * kElemSize);
  }
  store_few<HalfVector, kElemSize>(tile, dst, dst_rows, cols);
}

template <class Vector, class HalfVector, int kElemSize>
void transpose_few_cols(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                        const int64_t* dst_rows, int64_t rows, int64_t cols) noexcept {
  constexpr int64_t kRows = 16 / kElemSize;
  constexpr int64_t kManyRows = kRows * Vector::kLanes;
  const int64_t last = src_rows[0] > src_rows[rows - 1] ? src_rows[0] : src_rows[rows - 1];
  const int64_t end = last + cols * kElemSize;
  int64_t row = 0;
  for (; row + kManyRows <= rows && are_readable(src_rows + row, kManyRows, end);
       row += kManyRows) {
    transpose_few_cols_tile<Vector, kElemSize>(src, src_rows + row, dst + row * kElemSize, dst_rows,
                                               cols);
  }
  for (; row < rows; row += kRows) {
    const int64_t r = row + kRows <= rows ? row : rows - kRows;
    transpose_last_rows<HalfVector, kElemSize>(src, src_rows + r, dst + r * kElemSize, dst_rows,
                                               cols);
  }
}

// One column of every lane.
template <class Vector, int kElemSize>
HPTP_INLINE void store_part(typename Vector::Register column, std::byte* dst,
                            const int64_t* dst_rows, int64_t step, int64_t bytes) {
  std::byte whole[size_t{Vector::kLanes}][16];
  Vector::store(whole[0], column);
  for (int64_t l = 0; l < Vector::kLanes; ++l) {
    move_part<kElemSize>(whole[l], dst + dst_rows[l * step], bytes);
  }
}

// N rows, of which `rows` are there, by kLanes * N columns: lane l takes the columns from l * N on.
template <class Vector, int kElemSize>
HPTP_INLINE void transpose_few_rows_tile(const std::byte* src, const int64_t* src_rows,
                                         std::byte* dst, const int64_t* dst_rows, int64_t rows) {
  constexpr int kCount = 16 / kElemSize;
  const int64_t row_bytes = rows * kElemSize;
  Tile<Vector, kElemSize> tile;
  HPTP_UNROLL
  for (int i = 0; i < kCount; ++i) {
    tile.rows[i] = Vector::load(src + src_rows[i < rows ? i : rows - 1]);
  }
  transpose_registers<Vector, kElemSize>(tile);
  const bool spills = are_side_by_side(dst_rows, kCount * Vector::kLanes, row_bytes);
  const int64_t whole = spills ? kCount - 15 / row_bytes : 0;
  HPTP_UNROLL
  for (int i = 0; i < kCount; ++i) {
    if (i < whole) {
      Vector::store_spread(dst + dst_rows[i], static_cast<int>(kCount * row_bytes), tile.rows[i]);
    } else {
      store_part<Vector, kElemSize>(tile.rows[i], dst, dst_rows + i, kCount, row_bytes);
    }
  }
}

template <class Vector, int kElemSize>
void transpose_few_rows(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                        const int64_t* dst_rows, int64_t rows, int64_t cols) noexcept {
  constexpr int64_t kCols = 16 / kElemSize * Vector::kLanes;
  for (int64_t col = 0; col < cols; col += kCols) {
    const int64_t c = col + kCols <= cols ? col : cols - kCols;
    transpose_few_rows_tile<Vector, kElemSize>(src + c * kElemSize, src_rows, dst, dst_rows + c,
                                               rows);
  }
}

template <class Vector, class HalfVector, int kElemSize>
void transpose_any_rect(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                        const int64_t* dst_rows, int64_t rows, int64_t cols,
                        int64_t elem_size) noexcept {
  constexpr int64_t kSide = 16 / kElemSize;
  if (rows >= kSide && cols >= 2 && cols < kSide) {
    return transpose_few_cols<Vector, HalfVector, kElemSize>(src, src_rows, dst, dst_rows, rows,
                                                             cols);
  }
  if (rows >= 2 && rows < kSide && cols >= kSide * Vector::kLanes) {
    return transpose_few_rows<Vector, kElemSize>(src, src_rows, dst, dst_rows, rows, cols);
  }
  if (rows >= 2 && rows < kSide && cols >= kSide) {
    return transpose_few_rows<HalfVector, kElemSize>(src, src_rows, dst, dst_rows, rows, cols);
  }
  transpose_rect<Vector, HalfVector, kElemSize>(src, src_rows, dst, dst_rows, rows, cols,
                                                elem_size);
}
