// The front desk: Problem -> Layout -> Plan -> execution.
#include "hptp.h"

#include <algorithm>
#include <cstring>

namespace hptp {

void run_serially(int, int64_t unit_count, RunUnits run_units, const void* work) {
  run_units(work, 0, unit_count);
}

namespace {
void copy_axes(const Layout& layout, int depth, const std::byte* src, std::byte* dst) {
  if (depth == layout.rank) {
    std::memcpy(dst, src, static_cast<size_t>(layout.elem_size));
    return;
  }
  const Axis& axis = layout.axes[depth];
  for (int64_t i = 0; i < axis.extent; ++i) {
    copy_axes(layout, depth + 1, src + i * axis.src_stride, dst + i * axis.dst_stride);
  }
}
}  // namespace

void copy_strided(const Problem& problem, const void* src, void* dst, int, ParallelFor) {
  const Layout layout = make_layout(problem);
  if (layout.empty) return;
  copy_axes(layout, 0, static_cast<const std::byte*>(src) + layout.src_offset,
            static_cast<std::byte*>(dst) + layout.dst_offset);
}

int auto_threads(int64_t nbytes, int max_threads) noexcept {
  return static_cast<int>(std::clamp<int64_t>(nbytes / (1 << 18), 1, std::max(max_threads, 1)));
}

std::string explain(const Problem&, int) { return "plain loops\n"; }

const char* isa_name() noexcept { return "scalar"; }

}  // namespace hptp
