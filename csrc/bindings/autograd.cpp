#include "autograd.h"

#include <ATen/core/VariableHooksInterface.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/csrc/autograd/generated/Functions.h>

#include "ops.h"

namespace hptp::bindings {

using torch::autograd::compute_requires_grad;
using torch::autograd::isFwGradDefined;
// The node of torch's own permute view is exactly the one wanted, double backward and compiled
// autograd included.
using torch::autograd::generated::PermuteBackward0;

at::Tensor permute_autograd(c10::DispatchKeySet keys, const at::Tensor& x, at::IntArrayRef dims) {
  c10::intrusive_ptr<PermuteBackward0> node;
  if (compute_requires_grad(x)) {
    node = c10::make_intrusive<PermuteBackward0>();
    node->set_next_edges(torch::autograd::collect_next_edges(x));
    node->dims = dims.vec();
  }
  at::Tensor result = [&] {
    at::AutoDispatchBelowADInplaceOrView below;
    return permute_op().redispatch(keys & c10::after_autograd_keyset, x, dims);
  }();
  if (node) torch::autograd::set_history(result, node);
  if (isFwGradDefined(x)) {
    const at::Tensor tangent = permute_op().call(x._fw_grad(/*level=*/0), dims);
    result._set_fw_grad(tangent, /*level=*/0, /*is_inplace_op=*/false);
  }
  return result;
}

at::Tensor& permute_out_autograd(c10::DispatchKeySet keys, const at::Tensor& x,
                                 at::IntArrayRef dims, at::Tensor& out) {
  if (compute_requires_grad(x, out)) torch::autograd::throw_error_out_requires_grad("permute");
  TORCH_CHECK_NOT_IMPLEMENTED(
      !isFwGradDefined(x) && !isFwGradDefined(out),
      "Trying to use forward AD with permute.out that does not support it because it is an out= "
      "function");
  at::AutoDispatchBelowAutograd below;
  return permute_out_op().redispatch(keys & c10::after_autograd_keyset, x, dims, out);
}

at::Tensor& permute_out_inplace(c10::DispatchKeySet keys, const at::Tensor& x, at::IntArrayRef dims,
                                at::Tensor& out) {
  // Counting the write refuses such an `out` as well, but then it has been written.
  TORCH_CHECK(!out.is_inference() || c10::InferenceMode::is_enabled(),
              "Inplace update to inference tensor outside InferenceMode is not allowed. You can "
              "make a clone to get a normal tensor before doing inplace update.");
  {
    at::AutoDispatchBelowADInplaceOrView below;
    permute_out_op().redispatch(keys & c10::after_ADInplaceOrView_keyset, x, dims, out);
  }
  torch::autograd::increment_version(out);
  return out;
}

}  // namespace hptp::bindings
