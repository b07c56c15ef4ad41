#include "huge_pages.h"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#endif

namespace hptp::bindings {

#ifdef __linux__
namespace {

constexpr uintptr_t kHugePageBytes = 2 << 20;

// EPYC 7xx3, outputs that are all kept, time without advice / with it, 1 and 2 threads, transpose
// and moved rows: from 16 MiB on 1.3 to 3.3, always a gain. 4 to 12 MiB 1.2 to 2.2 at best, but the
// median of some rows is a loss of a third: the kernel may stop to make room for a huge page.
constexpr size_t kLeastBytes = 16 << 20;

// Read once, as a change while the program runs would come too late for some outputs.
bool is_turned_off() noexcept {
  static const bool off = [] {
    const char* const asked = std::getenv("HPTP_HUGE_PAGES");
    return asked != nullptr && std::strcmp(asked, "0") == 0;
  }();
  return off;
}

// Memory that malloc hands out again may have been touched: its pages exist, and advice would only
// set the kernel to copying them together. One page in the middle stands for all: half a
// microsecond. Where it is wrong, some pages come singly that might have come together.
bool is_touched(uintptr_t address) noexcept {
  const uintptr_t page_bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  unsigned char residence = 0;
  void* const page = reinterpret_cast<void*>(address / page_bytes * page_bytes);
  return mincore(page, 1, &residence) != 0 || (residence & 1) != 0;
}

}  // namespace

void advise_huge_pages(void* begin, size_t nbytes) noexcept {
  if (nbytes < kLeastBytes || is_turned_off()) return;
  const uintptr_t address = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = (address + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const uintptr_t end = (address + nbytes) / kHugePageBytes * kHugePageBytes;
  if (first >= end || is_touched(first + (end - first) / 2)) return;
  // A kernel without huge pages refuses, which changes nothing.
  (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

#else

void advise_huge_pages(void*, size_t) noexcept {}

#endif

}  // namespace hptp::bindings
