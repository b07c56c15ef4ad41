// Patterns: bytes regrouped in the same way round after round. A round writes chunks of
// kChunkBytes; each is the union of the bytes that a few windows of the source give to it.
//
// Windows read more than the bytes they give: what lies between two elements, but nothing before
// the first or behind the last byte of the elements of a round. Such gaps are memory that a view
// spans and that can be read; their values go nowhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hptp {

inline constexpr int kChunkBytes = 16;
inline constexpr int kMaxChunks = 32;
inline constexpr int64_t kMaxPatternBytes = int64_t{kMaxChunks} * kChunkBytes;
inline constexpr unsigned char kNoByte = 0x80;

struct Window {
  int64_t src_offset;                 // of kChunkBytes that are read
  unsigned char choice[kChunkBytes];  // which of them becomes byte i of the chunk, or kNoByte
};

struct Chunk {
  int64_t dst_offset;
  int64_t window_count;  // its windows are those behind the windows of the chunk before
};

struct Pattern {
  int chunk_count = 0;
  Chunk chunks[kMaxChunks];
  Window windows[kMaxPatternBytes];  // no more than one for each byte
};

// Round r reads from src + r * src_step and writes from dst + r * dst_step on.
using PatternKernel = void (*)(const Pattern& pattern, const std::byte* src, int64_t src_step,
                               std::byte* dst, int64_t dst_step, int64_t rounds) noexcept;

}  // namespace hptp
