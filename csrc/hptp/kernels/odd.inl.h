// Transposes of elements of 3 and of 6 bytes in registers, and of any other size by moves that are
// longer than the element. Written once and included by the source file of every SIMD instruction
// set, inside its region, after channels.inl.h, whose Vector it takes.
//
// In every lane, 12 bytes of a row, which are 4 elements of 3 bytes or 2 of 6, are spread to places
// of 4 or 8 bytes, transposed as such, and pushed together again: 12 bytes of a destination row. A
// lane loads and stores 16 bytes all the same. The last load of a row is moved back to end with it;
// what a store has too much is written over by the next, and the last of a row is exact.
//
// EPYC 7xx3, one thread, share of memcpy in the second cache level, against elements moved one by
// one in two overlapping pieces: 3 bytes 0.28 against 0.09, 6 bytes 0.36 against 0.22, 12 bytes
// 0.47 against 0.35; staged, out of cache, 0.65, 0.60, 0.66 against 0.40, 0.51, 0.66.
#pragma once

#include "channels.inl.h"
#include "rect.inl.h"

inline constexpr int kOddBytes = 12;  // of a lane that belong to elements

// kWide is the place of an element: the power of two above its size.
template <int kElemSize, int kWide>
struct OddChoices {
  unsigned char spread[2][16];  // from the first 12 bytes of a lane, and from the last 12
  unsigned char join[16];
};

template <int kElemSize, int kWide>
constexpr OddChoices<kElemSize, kWide> choose_odd_bytes() {
  OddChoices<kElemSize, kWide> choices = {};
  for (int i = 0; i < 16; ++i) {
    const int place = i / kWide * kElemSize + i % kWide;
    const bool is_there = i % kWide < kElemSize;
    choices.spread[0][i] = is_there ? static_cast<unsigned char>(place) : kNoByte;
    choices.spread[1][i] = is_there ? static_cast<unsigned char>(place + 4) : kNoByte;
    const int from = i / kElemSize * kWide + i % kElemSize;
    choices.join[i] = i < kOddBytes ? static_cast<unsigned char>(from) : kNoByte;
  }
  return choices;
}

// kLanes * N rows by N columns, where N places of kWide bytes are a lane.
template <class Vector, int kElemSize, int kWide>
HPTP_INLINE Tile<Vector, kWide> transpose_odd_tile(const std::byte* src, const int64_t* src_rows,
                                                   typename Vector::Register spread,
                                                   typename Vector::Register join) {
  Tile<Vector, kWide> tile;
  HPTP_UNROLL
  for (int i = 0; i < tile.kCount; ++i) {
    tile.rows[i] = Vector::shuffle(Vector::load_lanes(src, src_rows + i, tile.kCount), spread);
  }
  transpose_registers<Vector, kWide>(tile);
  HPTP_UNROLL
  for (int i = 0; i < tile.kCount; ++i) tile.rows[i] = Vector::shuffle(tile.rows[i], join);
  return tile;
}

// The lanes of a register, 12 bytes of each, side by side and nothing else.
template <class Vector>
HPTP_INLINE void store_odd_exactly(std::byte* dst, typename Vector::Register lanes) {
  std::byte whole[size_t{Vector::kLanes * kOddBytes + 4}];
  Vector::store_spread(whole, kOddBytes, lanes);
  std::memcpy(dst, whole, size_t{Vector::kLanes * kOddBytes});
}

template <class Vector, int kElemSize, int kWide>
void transpose_odd(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                   const int64_t* dst_rows, int64_t rows, int64_t cols) noexcept {
  static constexpr OddChoices<kElemSize, kWide> kChoices = choose_odd_bytes<kElemSize, kWide>();
  constexpr int64_t kCols = 16 / kWide;
  constexpr int64_t kRows = kCols * Vector::kLanes;
  const auto join = Vector::choices(kChoices.join);
  for (int64_t col = 0; col < cols; col += kCols) {
    const int64_t c = col + kCols <= cols ? col : cols - kCols;
    const int64_t back = (cols - c) * kElemSize < 16 ? 4 : 0;
    const auto spread = Vector::choices(kChoices.spread[back != 0]);
    const std::byte* const from = src + c * kElemSize - back;
    int64_t row = 0;
    for (; (rows - row - kRows) * kElemSize >= 16 - kOddBytes; row += kRows) {
      const auto tile =
          transpose_odd_tile<Vector, kElemSize, kWide>(from, src_rows + row, spread, join);
      HPTP_UNROLL
      for (int i = 0; i < kCols; ++i) {
        Vector::store_spread(dst + dst_rows[c + i] + row * kElemSize, kOddBytes, tile.rows[i]);
      }
    }
    for (; row < rows; row += kRows) {
      const int64_t r = row + kRows <= rows ? row : rows - kRows;
      const auto tile =
          transpose_odd_tile<Vector, kElemSize, kWide>(from, src_rows + r, spread, join);
      HPTP_UNROLL
      for (int i = 0; i < kCols; ++i) {
        store_odd_exactly<Vector>(dst + dst_rows[c + i] + r * kElemSize, tile.rows[i]);
      }
    }
  }
}

// Moves of `Move`'s bytes where the element has fewer, and of the element alone in the last row and
// the last column.
struct TransposeLonger {
  const std::byte* src;
  const int64_t* src_rows;
  std::byte* dst;
  const int64_t* dst_rows;
  int64_t rows;
  int64_t cols;
  int64_t elem_size;

  template <class Move, class Exact>
  HPTP_INLINE void operator()(const Move& move, const Exact& exact) const {
    if (rows == 0) return;
    constexpr int64_t kCols = 4;  // at once, so that a line of a row is met once
    int64_t c = 0;
    for (; c + kCols < cols; c += kCols) {
      move_columns<kCols>(move, c);
      for (int64_t i = 0; i < kCols; ++i) move_element(exact, rows - 1, c + i);
    }
    for (; c < cols; ++c) {
      for (int64_t r = 0; r < rows; ++r) move_element(exact, r, c);
    }
  }

 private:
  template <class Exact>
  HPTP_INLINE void move_element(const Exact& exact, int64_t r, int64_t c) const {
    exact(src + src_rows[r] + c * elem_size, dst + dst_rows[c] + r * elem_size);
  }

  // All rows but the last.
  template <int64_t kCols, class Move>
  HPTP_INLINE void move_columns(const Move& move, int64_t c) const {
    const std::byte* const from = src + c * elem_size;
    const int64_t* const from_rows = src_rows;
    const int64_t last = rows - 1;
    const int64_t bytes = elem_size;
    std::byte* to[size_t{kCols}];
    for (int64_t i = 0; i < kCols; ++i) to[i] = dst + dst_rows[c + i];
    for (int64_t r = 0; r < last; ++r) {
      const std::byte* const row = from + from_rows[r];
      HPTP_UNROLL
      for (int64_t i = 0; i < kCols; ++i) move(row + i * bytes, to[i] + r * bytes);
    }
  }
};

template <class Vector>
void transpose_odd_size(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                        const int64_t* dst_rows, int64_t rows, int64_t cols,
                        int64_t elem_size) noexcept {
  if (elem_size == 3 && cols * 3 >= 16 && rows >= 4 * Vector::kLanes) {
    return transpose_odd<Vector, 3, 4>(src, src_rows, dst, dst_rows, rows, cols);
  }
  if (elem_size == 6 && cols * 6 >= 16 && rows >= 2 * Vector::kLanes) {
    return transpose_odd<Vector, 6, 8>(src, src_rows, dst, dst_rows, rows, cols);
  }
  const TransposeLonger each{src, src_rows, dst, dst_rows, rows, cols, elem_size};
  if (elem_size < 4) return each(FixedMove<4>{}, OverlappingMove<2>{elem_size});
  if (elem_size < 8) return each(FixedMove<8>{}, OverlappingMove<4>{elem_size});
  if (elem_size < 16) return each(FixedMove<16>{}, OverlappingMove<8>{elem_size});
  transpose_any(src, src_rows, dst, dst_rows, rows, cols, elem_size);
}

template <class Vector>
void transpose_odd_size_padded(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                               const int64_t* dst_rows, int64_t rows, int64_t cols,
                               int64_t elem_size) noexcept {
  if (elem_size == 3 || elem_size == 6) {
    return transpose_odd_size<Vector>(src, src_rows, dst, dst_rows, rows, cols, elem_size);
  }
  transpose_any_padded(src, src_rows, dst, dst_rows, rows, cols, elem_size);
}
