// What can be asked of the processor and, on Linux, of the system.
#include "machine.h"

#include <cstdlib>
#include <fstream>
#include <string>

#include "kernels/dispatch.h"
#include "tuning.h"

namespace hptp {
namespace {

// Bytes of the second (2) or third (3) cache level as Linux tells them, "512K", or 0. The system's
// sysconf() is not asked: inside a virtual machine it counts the caches of the whole host.
int64_t cache_bytes(int level) {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(level) + "/size");
  int64_t kilobytes = 0;
  char unit = 0;
  file >> kilobytes >> unit;
  return file && unit == 'K' ? kilobytes << 10 : 0;
}

bool is_amd() noexcept {
#if defined(__x86_64__)
  return __builtin_cpu_is("amd");
#else
  return false;
#endif
}

int64_t choose_stream_bytes() {
  const int64_t cache = is_amd() ? cache_bytes(3) * tuning::kStreamShareOfL3
                                 : cache_bytes(2) * tuning::kStreamShareOfL2;
  const int64_t bytes = cache > 0 ? cache / 16 : tuning::kStreamBytesDefault;
  return bytes / tuning::kStreamBytesScale;
}

// Set to nothing means not set.
const char* wanted_isa() noexcept {
  const char* const name = std::getenv("HPTP_ISA");
  return name == nullptr || *name == '\0' ? nullptr : name;
}

}  // namespace

const Machine& this_machine() noexcept {
  static const Machine machine = {&choose_kernel_table(wanted_isa()), choose_stream_bytes()};
  return machine;
}

}  // namespace hptp
