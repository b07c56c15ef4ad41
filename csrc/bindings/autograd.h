// What the ops mean to torch's autograd.
//
// permute: the gradient is the gradient permuted back, as a view, so backward copies nothing; the
// tangent of forward mode is permuted along. permute.out: not differentiable, in torch's words.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DispatchKeySet.h>

namespace hptp::bindings {

at::Tensor permute_autograd(c10::DispatchKeySet keys, const at::Tensor& x, at::IntArrayRef dims);
at::Tensor& permute_out_autograd(c10::DispatchKeySet keys, const at::Tensor& x,
                                 at::IntArrayRef dims, at::Tensor& out);

// Counts a write to `out`, so that a backward which saved its old values notices.
at::Tensor& permute_out_inplace(c10::DispatchKeySet keys, const at::Tensor& x, at::IntArrayRef dims,
                                at::Tensor& out);

}  // namespace hptp::bindings
