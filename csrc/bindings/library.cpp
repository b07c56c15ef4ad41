// The ops, and which function serves which dispatch key.
//
// permute.out gives `dims` a default that permute does not give. It is of no use to a caller: a
// permute of no dims is an error for any x of rank 1 or more. It keeps Inductor from lowering
// permute to permute.out, which it does for overloads with equal arguments and which fails for
// symbolic sizes and for lists of ints.
#include <torch/library.h>

#include "autograd.h"
#include "hptp/hptp.h"
#include "meta.h"
#include "permute.h"
#include "threads.h"

namespace hptp::bindings {
namespace {

int64_t auto_threads_now(int64_t nbytes) { return auto_threads(nbytes, thread_limit()); }

std::string isa_in_use() { return isa_name(); }

}  // namespace

TORCH_LIBRARY(hptp, m) {
  m.def("permute(Tensor x, int[] dims) -> Tensor",
        {at::Tag::pt2_compliant_tag, at::Tag::flexible_layout});
  m.def("permute.out(Tensor x, int[] dims=[], *, Tensor(a!) out) -> Tensor(a!)",
        {at::Tag::pt2_compliant_tag, at::Tag::flexible_layout, at::Tag::out});

  m.def("auto_threads(int nbytes) -> int", &auto_threads_now);
  m.def("explain(Tensor x, int[] dims) -> str", &explain_permute);
  m.def("isa_name() -> str", &isa_in_use);
}

TORCH_LIBRARY_IMPL(hptp, CPU, m) {
  m.impl("permute", &permute_cpu);
  m.impl("permute.out", &permute_out_cpu);
}

TORCH_LIBRARY_IMPL(hptp, CompositeExplicitAutograd, m) {
  m.impl("permute", &permute_composite);
  m.impl("permute.out", &permute_out_composite);
}

TORCH_LIBRARY_IMPL(hptp, Meta, m) {
  m.impl("permute", &permute_meta);
  m.impl("permute.out", &permute_out_meta);
}

TORCH_LIBRARY_IMPL(hptp, Autograd, m) {
  m.impl("permute", &permute_autograd);
  m.impl("permute.out", &permute_out_autograd);
}

TORCH_LIBRARY_IMPL(hptp, ADInplaceOrView, m) { m.impl("permute.out", &permute_out_inplace); }

// The bits stay on the tensors: the kernels resolve them on the destination, which saves a copy of
// the source and lets `out` be compared with x for overlap as it is.
TORCH_LIBRARY_IMPL(hptp, Conjugate, m) {
  m.impl("permute", torch::CppFunction::makeFallthrough());
  m.impl("permute.out", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(hptp, Negative, m) {
  m.impl("permute", torch::CppFunction::makeFallthrough());
  m.impl("permute.out", torch::CppFunction::makeFallthrough());
}

}  // namespace hptp::bindings
