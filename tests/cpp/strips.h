// The memory of one side of a kernel: strips of bytes at offsets from a base, as kernels take them.
//
// The first strip begins a chosen number of bytes behind a fence and the last one ends flush
// against the other fence, so that neither side of either can be overstepped. Between strips lies
// poison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "memory.h"
#include "slowdown.h"

namespace hptp::test {

class Strips {
 public:
  // Room for any layout up to this size. What lies around a strip is at least a cache line.
  Strips(int64_t most_strips, int64_t most_bytes)
      : memory_(whole_pages((most_strips + 2) * pitch(most_bytes)), {Fence::kAfter, 0}),
        table_(most_strips * kOffsetBytes, {Fence::kAfter, 0}) {
    memory_.poison();
  }

  // Where there is one strip only, it begins behind the first fence for a misalignment of at least
  // 0, and ends at the last fence for kAtEnd. All strips but the last are misaligned alike.
  static constexpr int64_t kAtEnd = -1;
  void lay_out(int64_t count, int64_t bytes, int64_t misalignment) {
    const int64_t flush = memory_.size() - bytes;
    base_ = misalignment == kAtEnd ? flush : misalignment;
    offsets_ = reinterpret_cast<int64_t*>(table_.begin() + table_.size() - count * kOffsetBytes);
    for (int64_t i = 0; i < count; ++i) {
      const bool is_last = i > 0 && i == count - 1;
      const int64_t step = misalignment == kAtEnd ? -pitch(bytes) : pitch(bytes);
      offsets_[i] = is_last && misalignment != kAtEnd ? flush - base_ : i * step;
    }
  }

  std::byte* base() const noexcept { return memory_.begin() + base_; }
  const int64_t* offsets() const noexcept { return offsets_; }
  std::byte* strip(int64_t i) const noexcept { return base() + offsets_[i]; }

  const FencedMemory& memory() const noexcept { return memory_; }

 private:
  static int64_t pitch(int64_t bytes) noexcept { return (bytes + 63) / 64 * 64 + 64; }

  static constexpr int64_t kOffsetBytes = sizeof(int64_t);

  FencedMemory memory_;
  FencedMemory table_;
  int64_t base_ = 0;
  int64_t* offsets_ = nullptr;
};

// Both sides of a kernel, and what the destination must hold after it.
class KernelTrial {
 public:
  Strips src;
  Strips dst;

  KernelTrial(int64_t most_strips, int64_t most_bytes)
      : src(most_strips, most_bytes),
        dst(most_strips, most_bytes),
        expected_(static_cast<size_t>(dst.memory().size())) {
    fill_distinct(src.memory().begin(), src.memory().size(), 1);
    src.memory().make_read_only();
  }

  void poison() {
    dst.memory().poison();
    std::memset(expected_.data(), std::to_integer<int>(kPoison), expected_.size());
  }

  // Says that `bytes` bytes at `from` in the source belong at `to` in the destination.
  HPTP_ONE_THREAD void expect(const std::byte* from, const std::byte* to, int64_t bytes) noexcept {
    std::byte* const place = expected_.data() + (to - dst.memory().begin());
    for (int64_t i = 0; i < bytes; ++i) place[i] = from[i];
  }

  // Says that `bytes` bytes at `to` in the destination may hold anything.
  void forgive(const std::byte* to, int64_t bytes) noexcept { expect(to, to, bytes); }

  // The first byte of the destination that is not as expected, counted from its base.
  std::string fault() const {
    const std::byte* const begin = dst.memory().begin();
    if (std::memcmp(begin, expected_.data(), expected_.size()) == 0) return "";
    int64_t i = 0;
    while (begin[i] == expected_[static_cast<size_t>(i)]) ++i;
    return "byte " + std::to_string(begin + i - dst.base()) + " of the destination is wrong";
  }

 private:
  std::vector<std::byte> expected_;
};

}  // namespace hptp::test
