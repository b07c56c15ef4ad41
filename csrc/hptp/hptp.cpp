// The front desk: Problem -> Layout -> Plan -> execution.
#include "hptp.h"

#include "execute.h"
#include "machine.h"
#include "plan.h"

namespace hptp {

void run_serially(int, int64_t unit_count, RunUnits run_units, const void* work) {
  run_units(work, 0, unit_count);
}

void copy_strided(const Problem& problem, const void* src, void* dst, int max_threads,
                  ParallelFor parallel_for) {
  execute(build_plan(make_layout(problem), this_machine(), max_threads), src, dst, parallel_for);
}

int auto_threads(int64_t nbytes, int max_threads) noexcept {
  return choose_threads(nbytes, max_threads);
}

std::string explain(const Problem& problem, int max_threads) {
  return to_string(build_plan(make_layout(problem), this_machine(), max_threads));
}

const char* isa_name() noexcept { return this_machine().kernels->name; }

}  // namespace hptp
