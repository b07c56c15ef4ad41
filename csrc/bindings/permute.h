// The kernels that move elements: ours on the CPU, torch's own everywhere else.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "checks.h"
#include "hptp/hptp.h"

namespace hptp::bindings {

using Axes = c10::SmallVector<Axis, 8>;

// The axes of x permuted into `dst`, which has that shape. Axes of extent 1 get strides of 0, as
// torch lets them have any.
Axes make_axes(const at::Tensor& x, const Order& order, at::IntArrayRef dst_strides);

// CPU. Strides, conj and neg bits of x and out may be any.
at::Tensor permute_cpu(const at::Tensor& x, at::IntArrayRef dims);
at::Tensor& permute_out_cpu(const at::Tensor& x, at::IntArrayRef dims, at::Tensor& out);

// Other devices and quantized tensors.
at::Tensor permute_composite(const at::Tensor& x, at::IntArrayRef dims);
at::Tensor& permute_out_composite(const at::Tensor& x, at::IntArrayRef dims, at::Tensor& out);

// What the engine would do with permute(x, dims), in words.
std::string explain_permute(const at::Tensor& x, at::IntArrayRef dims);

}  // namespace hptp::bindings
