// Memory that tells when something reads or writes where it must not.
//
// A region of bytes lies between two pages that nobody may touch. With `gap` 0 the byte next to the
// region, on the chosen side, is such a page: one step outside ends the program with a signal. The
// rest of the accessible pages holds poison, so that a write into it is found afterwards.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>

#include "random.h"
#include "slowdown.h"

namespace hptp::test {

// What an unwritten byte holds. No byte of a source ever has this value.
inline constexpr std::byte kPoison{0xA5};

enum class Fence { kBefore, kAfter };

// Which fence a region lies next to, and how many bytes lie between the two.
struct Placement {
  Fence fence = Fence::kAfter;
  int64_t gap = 0;
};

// A size rounded up to whole pages: a region of such a size is flush against both fences.
inline int64_t whole_pages(int64_t size) noexcept {
  const int64_t page = sysconf(_SC_PAGESIZE);
  return std::max(page, (size + page - 1) / page * page);
}

class FencedMemory {
 public:
  FencedMemory(int64_t size, Placement placement) : size_(size) {
    const int64_t page = sysconf(_SC_PAGESIZE);
    pages_size_ = whole_pages(size + placement.gap);
    mapped_size_ = static_cast<size_t>(pages_size_ + 2 * page);
    void* const mapped =
        mmap(nullptr, mapped_size_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    mapped_ = static_cast<std::byte*>(mapped);
    pages_ = mapped_ + page;
    if (mprotect(pages_, static_cast<size_t>(pages_size_), PROT_READ | PROT_WRITE) != 0) {
      munmap(mapped_, mapped_size_);
      throw std::bad_alloc();
    }
    const bool is_before = placement.fence == Fence::kBefore;
    begin_ = is_before ? pages_ + placement.gap : pages_ + pages_size_ - placement.gap - size;
  }
  FencedMemory(const FencedMemory&) = delete;
  FencedMemory& operator=(const FencedMemory&) = delete;
  ~FencedMemory() { munmap(mapped_, mapped_size_); }

  std::byte* begin() const noexcept { return begin_; }
  int64_t size() const noexcept { return size_; }

  // Poison in the region and around it.
  void poison() const noexcept { std::fill(pages_, pages_ + pages_size_, kPoison); }

  // From now on a write anywhere in the pages ends the program as well.
  void make_read_only() const noexcept {
    mprotect(pages_, static_cast<size_t>(pages_size_), PROT_READ);
  }

  // The first byte outside the region that no longer holds poison, counted from begin().
  std::optional<int64_t> first_write_outside() const noexcept {
    const auto is_written = [](std::byte value) { return value != kPoison; };
    const std::byte* const before = std::find_if(pages_, begin_, is_written);
    if (before != begin_) return before - begin_;
    std::byte* const pages_end = pages_ + pages_size_;
    const std::byte* const after = std::find_if(begin_ + size_, pages_end, is_written);
    if (after != pages_end) return after - begin_;
    return std::nullopt;
  }

 private:
  int64_t size_;
  int64_t pages_size_ = 0;
  size_t mapped_size_ = 0;
  std::byte* mapped_ = nullptr;
  std::byte* pages_ = nullptr;
  std::byte* begin_ = nullptr;
};

// Fills `size` bytes with a hash of the seed and the place, so that no two stretches are alike.
HPTP_ONE_THREAD inline void fill_distinct(std::byte* bytes, int64_t size, uint64_t seed) noexcept {
  for (int64_t i = 0; i < size; i += 8) {
    const uint64_t word = mix(mix(seed) + static_cast<uint64_t>(i));
    std::memcpy(bytes + i, &word, static_cast<size_t>(std::min<int64_t>(8, size - i)));
  }
  std::replace(bytes, bytes + size, kPoison, ~kPoison);
}

}  // namespace hptp::test
