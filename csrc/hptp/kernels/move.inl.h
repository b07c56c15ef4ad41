// Moves of single elements and of short runs, and the kernels made of nothing else. Included by the
// source file of every instruction set, inside its region.
//
// A size that is no power of two is moved as two pieces that overlap in the middle: 12 bytes are
// bytes 0-7 and bytes 4-11. Both pieces are read before either is written, and neither goes past
// the element.
#pragma once

template <int kBytes>
HPTP_INLINE void move_fixed(const std::byte* src, std::byte* dst) {
  std::memcpy(dst, src, kBytes);
}

// kPiece <= bytes <= 2 * kPiece
template <int kPiece>
HPTP_INLINE void move_overlapping(const std::byte* src, std::byte* dst, int64_t bytes) {
  std::byte first[size_t{kPiece}];
  std::byte last[size_t{kPiece}];
  std::memcpy(first, src, kPiece);
  std::memcpy(last, src + bytes - kPiece, kPiece);
  std::memcpy(dst, first, kPiece);
  std::memcpy(dst + bytes - kPiece, last, kPiece);
}

// 0 <= bytes < 64, inline: a call of memcpy costs more than such a move.
HPTP_INLINE void move_short(const std::byte* src, std::byte* dst, int64_t bytes) {
  if (bytes >= 32) return move_overlapping<32>(src, dst, bytes);
  if (bytes >= 16) return move_overlapping<16>(src, dst, bytes);
  if (bytes >= 8) return move_overlapping<8>(src, dst, bytes);
  if (bytes >= 4) return move_overlapping<4>(src, dst, bytes);
  if (bytes >= 2) return move_overlapping<2>(src, dst, bytes);
  if (bytes == 1) *dst = *src;
}

template <int kBytes>
struct FixedMove {
  HPTP_INLINE void operator()(const std::byte* src, std::byte* dst) const {
    move_fixed<kBytes>(src, dst);
  }
};

template <int kPiece>
struct OverlappingMove {
  int64_t bytes;
  HPTP_INLINE void operator()(const std::byte* src, std::byte* dst) const {
    move_overlapping<kPiece>(src, dst, bytes);
  }
};

struct LongMove {
  int64_t bytes;
  HPTP_INLINE void operator()(const std::byte* src, std::byte* dst) const {
    std::memcpy(dst, src, static_cast<size_t>(bytes));
  }
};

// Calls `use` with the move of one element of `elem_size` bytes.
template <class Use>
HPTP_INLINE void with_move(int64_t elem_size, const Use& use) {
  switch (elem_size) {
    case 1:
      return use(FixedMove<1>{});
    case 2:
      return use(FixedMove<2>{});
    case 4:
      return use(FixedMove<4>{});
    case 8:
      return use(FixedMove<8>{});
    case 16:
      return use(FixedMove<16>{});
    default:
      break;
  }
  if (elem_size < 4) return use(OverlappingMove<2>{elem_size});
  if (elem_size < 8) return use(OverlappingMove<4>{elem_size});
  if (elem_size < 16) return use(OverlappingMove<8>{elem_size});
  if (elem_size <= 32) return use(OverlappingMove<16>{elem_size});
  return use(LongMove{elem_size});
}

struct TransposeEach {
  const std::byte* src;
  const int64_t* src_rows;
  std::byte* dst;
  const int64_t* dst_rows;
  int64_t rows;
  int64_t cols;
  int64_t elem_size;

  template <class Move>
  HPTP_INLINE void operator()(const Move& move) const {
    const std::byte* const from = src;
    const int64_t* const from_rows = src_rows;
    const int64_t row_count = rows;
    const int64_t bytes = elem_size;
    for (int64_t c = 0; c < cols; ++c) {
      std::byte* to = dst + dst_rows[c];
      const int64_t column = c * bytes;
      for (int64_t r = 0; r < row_count; ++r, to += bytes) move(from + from_rows[r] + column, to);
    }
  }
};

void transpose_any(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                   const int64_t* dst_rows, int64_t rows, int64_t cols,
                   int64_t elem_size) noexcept {
  with_move(elem_size, TransposeEach{src, src_rows, dst, dst_rows, rows, cols, elem_size});
}

// Moves kPiece bytes where the element has fewer: what is too much is written over by the next
// element of the row. Only a buffer of the engine's own has room behind the last one.
void transpose_any_padded(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                          const int64_t* dst_rows, int64_t rows, int64_t cols,
                          int64_t elem_size) noexcept {
  const TransposeEach each{src, src_rows, dst, dst_rows, rows, cols, elem_size};
  if (elem_size <= 4) return each(FixedMove<4>{});
  if (elem_size <= 8) return each(FixedMove<8>{});
  if (elem_size <= 16) return each(FixedMove<16>{});
  if (elem_size <= 32) return each(FixedMove<32>{});
  each(LongMove{elem_size});
}

template <int kElemSize>
void transpose_strip_each(const std::byte* stage, int64_t stage_pitch, std::byte* strip,
                          int64_t strip_pitch, int64_t rows) noexcept {
  for (int64_t c = 0; c < 16 / kElemSize; ++c) {
    const std::byte* from = stage + c * kElemSize;
    std::byte* const to = strip + c * strip_pitch;
    for (int64_t r = 0; r < rows; ++r, from += stage_pitch) {
      move_fixed<kElemSize>(from, to + r * kElemSize);
    }
  }
}

struct GatherEach {
  const std::byte* src;
  const int64_t* src_offsets;
  std::byte* dst;
  const int64_t* dst_offsets;
  int64_t count;
  int64_t elem_size;

  template <class Move>
  HPTP_INLINE void operator()(const Move& move) const {
    const std::byte* const from = src;
    const int64_t* const from_offsets = src_offsets;
    std::byte* const to = dst;
    const int64_t* const to_offsets = dst_offsets;
    const int64_t n = count;
    const int64_t bytes = elem_size;
    if (to_offsets == nullptr) {
      for (int64_t p = 0; p < n; ++p) move(from + from_offsets[p], to + p * bytes);
    } else {
      for (int64_t p = 0; p < n; ++p) move(from + from_offsets[p], to + to_offsets[p]);
    }
  }
};

void gather(const std::byte* src, const int64_t* src_offsets, std::byte* dst,
            const int64_t* dst_offsets, int64_t count, int64_t elem_size) noexcept {
  with_move(elem_size, GatherEach{src, src_offsets, dst, dst_offsets, count, elem_size});
}

struct StepEach {
  const std::byte* src;
  int64_t src_step;
  std::byte* dst;
  int64_t dst_step;
  int64_t count;

  template <class Move>
  HPTP_INLINE void operator()(const Move& move) const {
    const std::byte* from = src;
    std::byte* to = dst;
    const int64_t from_step = src_step;
    const int64_t to_step = dst_step;
    int64_t left = count;
    for (; left >= 4; left -= 4) {
      move(from, to);
      move(from + from_step, to + to_step);
      move(from + 2 * from_step, to + 2 * to_step);
      move(from + 3 * from_step, to + 3 * to_step);
      from += 4 * from_step;
      to += 4 * to_step;
    }
    for (; left > 0; --left, from += from_step, to += to_step) move(from, to);
  }
};

void move_steps(const std::byte* src, int64_t src_step, std::byte* dst, int64_t dst_step,
                int64_t count, int64_t elem_size) noexcept {
  with_move(elem_size, StepEach{src, src_step, dst, dst_step, count});
}

template <int kChannels, int kElemSize>
void interleave_each(const std::byte* src, const int64_t* planes, std::byte* dst, int64_t positions,
                     int64_t) noexcept {
  for (int64_t p = 0; p < positions; ++p) {
    for (int k = 0; k < kChannels; ++k, dst += kElemSize) {
      move_fixed<kElemSize>(src + planes[k] + p * kElemSize, dst);
    }
  }
}

template <int kChannels, int kElemSize>
void deinterleave_each(const std::byte* src, std::byte* dst, const int64_t* planes,
                       int64_t positions, int64_t) noexcept {
  for (int64_t p = 0; p < positions; ++p) {
    for (int k = 0; k < kChannels; ++k, src += kElemSize) {
      move_fixed<kElemSize>(src, dst + planes[k] + p * kElemSize);
    }
  }
}
