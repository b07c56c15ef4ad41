// What a plan needs to know of the machine.
#pragma once

#include <cstdint>

#include "kernels/kernel.h"

namespace hptp {

struct Machine {
  const KernelTable* kernels;
  int64_t stream_bytes;  // from so many bytes of output on, stores go past the cache
};

// The machine this runs on, found out on the first call. The environment variable HPTP_ISA forces a
// kernel table by its name.
const Machine& this_machine() noexcept;

}  // namespace hptp
