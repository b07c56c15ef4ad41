// Bytes regrouped by a pattern. Written once and included by the source file of every SIMD
// instruction set, inside its region, after channels.inl.h, whose Vector it takes.
//
// The rounds are walked once for every chunk, so that the choices of a chunk stay in registers. The
// caller gives few enough rounds for what the first chunk has fetched to be near for the last.
//
// Example, every second of the bytes 0 1 2 ... 30: one chunk of two windows. The first, bytes
// 0-15, gives 0 2 4 ... 14 to the places 0-7, and the second, bytes 15-30, gives its bytes
// 1 3 5 ... 15 to the places 8-15.
//
// EPYC 7xx3, one thread, share of memcpy, against elements gathered one by one: 3 of 5 elements of
// 1, 2, 4 bytes 0.44 0.47 0.44 against 0.09 0.13 0.30; every second of 1, 2, 4, 8 bytes, GB/s, 23
// 39 43 21 against 3 6 9 9; 5 x 5 matrices of 1, 2, 4 bytes 28 23 14 against 3 5 8. Up to 8 windows
// have loops of their own: 8 x 8 matrices of 2 bytes 0.42 against 0.15 without.
#pragma once

#include "move.inl.h"

template <class Vector, int kWindows>
HPTP_INLINE void write_chunk(const Window* windows, const std::byte* src, int64_t src_step,
                             std::byte* dst, int64_t dst_step, int64_t rounds) {
  typename Vector::Register choices[size_t{kWindows}];
  const std::byte* from[size_t{kWindows}];
  HPTP_UNROLL
  for (int w = 0; w < kWindows; ++w) {
    choices[w] = Vector::choices(windows[w].choice);
    from[w] = src + windows[w].src_offset;
  }
  int64_t at = 0;
  for (int64_t r = 0; r < rounds; ++r, at += src_step, dst += dst_step) {
    typename Vector::Register chunk = Vector::shuffle(Vector::load(from[0] + at), choices[0]);
    HPTP_UNROLL
    for (int w = 1; w < kWindows; ++w) {
      chunk = Vector::combine(chunk, Vector::shuffle(Vector::load(from[w] + at), choices[w]));
    }
    Vector::store(dst, chunk);
  }
}

template <class Vector>
HPTP_INLINE void write_wide_chunk(const Window* windows, int64_t count, const std::byte* src,
                                  int64_t src_step, std::byte* dst, int64_t dst_step,
                                  int64_t rounds) {
  for (int64_t r = 0; r < rounds; ++r, src += src_step, dst += dst_step) {
    typename Vector::Register chunk = Vector::zero();
    for (int64_t w = 0; w < count; ++w) {
      const Window& window = windows[w];
      chunk = Vector::combine(chunk, Vector::shuffle(Vector::load(src + window.src_offset),
                                                     Vector::choices(window.choice)));
    }
    Vector::store(dst, chunk);
  }
}

// The loop for as many windows as the chunk has, among those for up to kWindows.
template <class Vector, int kWindows>
HPTP_INLINE void write_any_chunk(const Window* windows, int64_t count, const std::byte* src,
                                 int64_t src_step, std::byte* dst, int64_t dst_step,
                                 int64_t rounds) {
  if constexpr (kWindows == 0) {
    write_wide_chunk<Vector>(windows, count, src, src_step, dst, dst_step, rounds);
  } else if (count == kWindows) {
    write_chunk<Vector, kWindows>(windows, src, src_step, dst, dst_step, rounds);
  } else {
    write_any_chunk<Vector, kWindows - 1>(windows, count, src, src_step, dst, dst_step, rounds);
  }
}

template <class Vector>
void regroup_pattern(const Pattern& pattern, const std::byte* src, int64_t src_step, std::byte* dst,
                     int64_t dst_step, int64_t rounds) noexcept {
  const Window* windows = pattern.windows;
  for (int c = 0; c < pattern.chunk_count; ++c) {
    const Chunk chunk = pattern.chunks[c];
    std::byte* const to = dst + chunk.dst_offset;
    write_any_chunk<Vector, 8>(windows, chunk.window_count, src, src_step, to, dst_step, rounds);
    windows += chunk.window_count;
  }
}
