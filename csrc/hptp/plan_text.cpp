// A plan in words.
#include <sstream>
#include <string>

#include "plan.h"

namespace hptp {
namespace {

const char* name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::empty:
      return "empty";
    case Kind::rows:
      return "rows";
    case Kind::transpose:
      return "transpose";
    case Kind::interleave:
      return "interleave";
    case Kind::deinterleave:
      return "deinterleave";
    case Kind::fill:
      return "fill";
    case Kind::steps:
      return "steps";
    case Kind::pattern:
      return "pattern";
    case Kind::gather:
      return "gather";
  }
  return "";
}

const char* name_of(Path path) noexcept {
  switch (path) {
    case Path::direct:
      return "direct";
    case Path::staged:
      return "staged";
    case Path::packed:
      return "packed";
    case Path::joined:
      return "joined";
  }
  return "";
}

std::ostream& operator<<(std::ostream& text, const Axis& axis) {
  return text << " [" << axis.extent << ": src " << axis.src_stride << ", dst " << axis.dst_stride
              << "]";
}

std::ostream& operator<<(std::ostream& text, const Chain& chain) {
  text << chain.total << " positions in blocks of " << chain.block << ", innermost axis first:";
  for (int i = 0; i < chain.rank; ++i) text << chain.axes[i];
  return text;
}

}  // namespace

std::string to_string(const Plan& plan) {
  std::ostringstream text;
  text << "kind: " << name_of(plan.kind) << "\n";
  if (plan.kind == Kind::empty) return text.str();
  text << "element: " << plan.elem_size << " bytes, moved " << plan.piece_bytes << " at a time\n"
       << "source chain: " << plan.a << "\n"
       << "destination chain: " << plan.b << "\n"
       << "loops, outermost first:";
  for (int i = 0; i < plan.loop_count; ++i) {
    if (plan.loops[i].extent > 1) text << plan.loops[i];
  }
  text << "\nunits: " << plan.unit_count << "\n"
       << "path: " << name_of(plan.path) << "\n"
       << "stores: " << (plan.stores == Stores::streaming ? "streaming" : "ordinary") << "\n"
       << "threads: " << plan.threads << "\n"
       << "kernels: " << plan.kernels->name << "\n";
  return text.str();
}

}  // namespace hptp
