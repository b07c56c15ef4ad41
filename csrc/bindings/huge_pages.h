// Fresh memory in large pieces. A new output costs its page faults: the system hands out and clears
// 4 KiB at a time, and that takes longer than the copy. Linux does it 2 MiB at a time where it is
// asked to before the first touch.
//
// Example: of an output from 0x7f0000001040 to 0x7f0004001040, 64 MiB, the inside from
// 0x7f0000200000 to 0x7f0004000000 is advised. The ends stay as they are, so that no memory outside
// the output is taken.
#pragma once

#include <cstddef>

namespace hptp::bindings {

// Asks the system to back [begin, begin + nbytes) with huge pages, where that is worth it: on
// Linux, for a large piece of memory that nobody has touched yet. Elsewhere, and with
// HPTP_HUGE_PAGES=0 in the environment, it does nothing. Never fails: memory that is not so backed
// is as good, only slower to come by.
void advise_huge_pages(void* begin, size_t nbytes) noexcept;

}  // namespace hptp::bindings
