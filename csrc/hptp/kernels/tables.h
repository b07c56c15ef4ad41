// The kernel tables of this build, one a source file.
#pragma once

#include "kernel.h"

namespace hptp {

extern const KernelTable kScalarTable;
#if defined(__x86_64__)
extern const KernelTable kAvx2Table;
extern const KernelTable kAvx512Table;
#elif defined(__aarch64__)
extern const KernelTable kNeonTable;
#endif

}  // namespace hptp
