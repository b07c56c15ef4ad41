// Shapes without values: what the ops return for meta and fake tensors, sizes symbolic or not.
#pragma once

#include <ATen/core/Tensor.h>

namespace hptp::bindings {

at::Tensor permute_meta(const at::Tensor& x, at::IntArrayRef dims);
at::Tensor& permute_out_meta(const at::Tensor& x, at::IntArrayRef dims, at::Tensor& out);

}  // namespace hptp::bindings
