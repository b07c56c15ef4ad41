#include "dispatch.h"

#include <cstdio>
#include <cstring>

#include "tables.h"

namespace hptp {
namespace {

constexpr const KernelTable* kTables[] = {
#if defined(__x86_64__)
    &kAvx512Table,
    &kAvx2Table,
#elif defined(__aarch64__)
    &kNeonTable,
#endif
    &kScalarTable,
};

}  // namespace

std::span<const KernelTable* const> all_kernel_tables() noexcept { return kTables; }

const KernelTable& choose_kernel_table(const char* wanted) noexcept {
  for (const KernelTable* table : kTables) {
    const bool is_wanted = wanted == nullptr || std::strcmp(wanted, table->name) == 0;
    if (is_wanted && table->is_supported()) return *table;
  }
  std::fprintf(stderr,
               "hptp: HPTP_ISA=%s is not a kernel table that this build has and this processor "
               "supports; using scalar\n",
               wanted);
  return kScalarTable;
}

}  // namespace hptp
