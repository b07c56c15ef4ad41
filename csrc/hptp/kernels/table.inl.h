// The rows of a KernelTable that every SIMD instruction set fills in the same way. Included inside
// its region, after the other pieces.
#pragma once

#include "channels.inl.h"
#include "narrow.inl.h"
#include "odd.inl.h"
#include "pattern.inl.h"
#include "rect.inl.h"
#include "rows.inl.h"

#define HPTP_INTERLEAVE_ROW(vector, channels)                            \
  {                                                                      \
    interleave<vector, channels, 1>, interleave<vector, channels, 2>,    \
        interleave<vector, channels, 4>, interleave<vector, channels, 8> \
  }

#define HPTP_DEINTERLEAVE_ROW(vector, channels)                              \
  {                                                                          \
    deinterleave<vector, channels, 1>, deinterleave<vector, channels, 2>,    \
        deinterleave<vector, channels, 4>, deinterleave<vector, channels, 8> \
  }

template <class Vector, class HalfVector>
constexpr KernelTable make_simd_table(const char* name, bool (*is_supported)() noexcept) {
  return KernelTable{
      .name = name,
      .is_supported = is_supported,
      .vector_bytes = Vector::kLanes * 16,
      .transpose = {transpose_any_rect<Vector, HalfVector, 1>,
                    transpose_any_rect<Vector, HalfVector, 2>,
                    transpose_any_rect<Vector, HalfVector, 4>,
                    transpose_rect<Vector, HalfVector, 8>, transpose_rect<Vector, HalfVector, 16>},
      .transpose_strip = {transpose_strip<Vector, 1>, transpose_strip<Vector, 2>,
                          transpose_strip<Vector, 4>, transpose_strip<Vector, 8>,
                          transpose_strip<Vector, 16>},
      .transpose_any = transpose_odd_size<Vector>,
      .transpose_any_padded = transpose_odd_size_padded<Vector>,
      .stage_rows = stage_rows,
      .copy_rows = copy_rows,
      .stream_rows = stream_rows,
      .finish_streams = finish_streams,
      .gather = gather,
      .move_steps = move_steps,
      .fill = fill,
      .regroup = regroup_pattern<HalfVector>,
      .interleave = {HPTP_INTERLEAVE_ROW(Vector, 2), HPTP_INTERLEAVE_ROW(Vector, 3),
                     HPTP_INTERLEAVE_ROW(Vector, 4)},
      .deinterleave = {HPTP_DEINTERLEAVE_ROW(Vector, 2), HPTP_DEINTERLEAVE_ROW(Vector, 3),
                       HPTP_DEINTERLEAVE_ROW(Vector, 4)},
  };
}
