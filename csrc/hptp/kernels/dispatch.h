// Which kernel table a program runs with.
#pragma once

#include <span>

#include "kernel.h"

namespace hptp {

// The tables of this build, best first; the last is "scalar", which every processor supports.
std::span<const KernelTable* const> all_kernel_tables() noexcept;

// The first table that the processor supports, or, where `wanted` is not null (the value of the
// environment variable HPTP_ISA), the table of that name. A name that is unknown or that the
// processor does not support is reported once on the standard error and means "scalar".
const KernelTable& choose_kernel_table(const char* wanted) noexcept;

}  // namespace hptp
