#include "machine.h"

#include <cstdlib>

#include "kernels/dispatch.h"

namespace hptp {

const Machine& this_machine() noexcept {
  static const Machine machine = {&choose_kernel_table(std::getenv("HPTP_ISA"))};
  return machine;
}

}  // namespace hptp
