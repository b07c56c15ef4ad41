// The contract between the engine and the kernels of an instruction set.
//
// A kernel moves the elements of one small piece of work and decides nothing. Addresses are a base
// pointer plus a table of byte offsets, so that a chain of many short axes looks the same to a
// kernel as one long axis. Nothing is aligned unless a contract says so. A kernel writes nothing
// but its elements. It reads nothing before the first and behind the last byte of its elements;
// what lies between two of them it may read, and then leaves it out. Any count may be 0.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bytes.h"

namespace hptp {

inline constexpr int64_t kLineBytes = 64;  // of the cache

// Element (r, c) of `rows` x `cols` is read at src + src_rows[r] + c * elem_size
//                                and written at dst + dst_rows[c] + r * elem_size.
using TransposeKernel = void (*)(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                                 const int64_t* dst_rows, int64_t rows, int64_t cols,
                                 int64_t elem_size) noexcept;

// The same, for buffers of the engine's own: up to kPadding bytes past an element may be read, and
// up to kPadding bytes past the last element of each destination row may be written with anything.
inline constexpr int64_t kPadding = 16;
using PaddedTransposeKernel = TransposeKernel;

// Row r: `row_bytes` bytes from src + src_rows[r] to dst + dst_rows[r].
using RowsKernel = void (*)(const std::byte* src, const int64_t* src_rows, std::byte* dst,
                            const int64_t* dst_rows, int64_t rows, int64_t row_bytes) noexcept;

// Row r: `row_bytes` bytes from src + src_rows[r] to stage + r * pitch. On its way through row r
// the kernel asks the cache for row r + rows_ahead, line by line.
using StageKernel = void (*)(const std::byte* src, const int64_t* src_rows, std::byte* stage,
                             int64_t pitch, int64_t rows, int64_t row_bytes,
                             int64_t rows_ahead) noexcept;

// The first 16 bytes of each of `rows` rows of a stage, transposed into a strip: its rows are their
// columns. `rows` is a multiple of what one store of the strip holds.
using StripKernel = void (*)(const std::byte* stage, int64_t stage_pitch, std::byte* strip,
                             int64_t strip_pitch, int64_t rows) noexcept;

// Element p is read at src + src_offsets[p] and written at dst + dst_offsets[p], or at
// dst + p * elem_size where dst_offsets is null.
using GatherKernel = void (*)(const std::byte* src, const int64_t* src_offsets, std::byte* dst,
                              const int64_t* dst_offsets, int64_t count,
                              int64_t elem_size) noexcept;

// The same at constant steps: element p is read at src + p * src_step and written at
// dst + p * dst_step.
using StepsKernel = void (*)(const std::byte* src, int64_t src_step, std::byte* dst,
                             int64_t dst_step, int64_t count, int64_t elem_size) noexcept;

// `count` times the one element at src, side by side from dst on.
using FillKernel = void (*)(const std::byte* src, std::byte* dst, int64_t count,
                            int64_t elem_size) noexcept;

// Both channel kernels ask the cache for what lies `fetch_ahead` bytes behind what they read.
//
// Planes to pixels: element (channel k, position p) is read at src + planes[k] + p * elem_size and
// written at dst + (p * channels + k) * elem_size.
using InterleaveKernel = void (*)(const std::byte* src, const int64_t* planes, std::byte* dst,
                                  int64_t positions, int64_t fetch_ahead) noexcept;

// Pixels to planes: read at src + (p * channels + k) * elem_size, written at
// dst + planes[k] + p * elem_size.
using DeinterleaveKernel = void (*)(const std::byte* src, std::byte* dst, const int64_t* planes,
                                    int64_t positions, int64_t fetch_ahead) noexcept;

// Channel counts and element sizes that have kernels of their own: 2, 3, 4 channels of 1, 2, 4, 8
// bytes.
inline constexpr int kMinChannels = 2;
inline constexpr int kMaxChannels = 4;
inline constexpr int kChannelElemSizes = 4;

struct KernelTable {
  const char* name;
  bool (*is_supported)() noexcept;  // by the processor that runs this
  int vector_bytes;                 // what one store of `transpose` writes to a row
  TransposeKernel transpose[5];     // for elements of 1, 2, 4, 8, 16 bytes
  StripKernel transpose_strip[5];   // the same
  TransposeKernel transpose_any;    // for every other element size
  PaddedTransposeKernel transpose_any_padded;
  StageKernel stage_rows;
  RowsKernel copy_rows;               // ordinary stores
  RowsKernel stream_rows;             // whole cache lines by non-temporal stores
  void (*finish_streams)() noexcept;  // after stream_rows, before another thread may read
  GatherKernel gather;
  StepsKernel move_steps;
  FillKernel fill;
  PatternKernel regroup;  // null where there is no shuffle of bytes
  InterleaveKernel interleave[kMaxChannels - kMinChannels + 1][kChannelElemSizes];
  DeinterleaveKernel deinterleave[kMaxChannels - kMinChannels + 1][kChannelElemSizes];
};

// The place of an element size in an array for 1, 2, 4, 8, 16 bytes; -1 for another size.
constexpr int elem_size_index(int64_t elem_size) noexcept {
  switch (elem_size) {
    case 1:
      return 0;
    case 2:
      return 1;
    case 4:
      return 2;
    case 8:
      return 3;
    case 16:
      return 4;
    default:
      return -1;
  }
}

}  // namespace hptp
