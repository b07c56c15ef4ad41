// The machines that a copy is tried on: every kernel table that the processor supports, once with
// outputs that are never streamed past the cache and once with outputs that always are, so that
// small problems take the paths of large ones.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "copy_trial.h"
#include "execute.h"
#include "kernels/dispatch.h"
#include "machine.h"
#include "plan.h"

namespace hptp::test {

inline std::vector<Machine> all_machines() {
  std::vector<Machine> machines;
  for (const KernelTable* table : all_kernel_tables()) {
    if (!table->is_supported()) continue;
    for (const int64_t stream_bytes : {std::numeric_limits<int64_t>::max(), int64_t{1}}) {
      Machine machine = this_machine();
      machine.kernels = table;
      machine.stream_bytes = stream_bytes;
      machines.push_back(machine);
    }
  }
  return machines;
}

// What goes wrong on any of the machines, or nothing.
inline std::string fault_on_any_machine(const CopyTrial& trial, ParallelFor parallel_for) {
  for (const Machine& machine : all_machines()) {
    const auto copy = [&](const Problem& problem, const void* src, void* dst) {
      execute(build_plan(make_layout(problem), machine, 2), src, dst, parallel_for);
    };
    const std::string fault = trial.fault_after(copy);
    const char* const stores = machine.stream_bytes == 1 ? ", streaming: " : ": ";
    if (!fault.empty()) return machine.kernels->name + (stores + fault);
  }
  return "";
}

}  // namespace hptp::test
