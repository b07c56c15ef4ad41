// Every check of the torch side, in torch's words and of torch's kinds.
//
// A wrong number of dims, a dim named twice and an unfit `out` are a RuntimeError, a dim out of
// range is an IndexError, a layout without strides is a NotImplementedError. All of them are raised
// before anything is written.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <cstdint>

namespace hptp::bindings {

// Axes of a tensor, each named once, none negative.
using Order = c10::SmallVector<int64_t, 8>;

// The axes that `dims` names in a tensor of `rank` axes; negative dims count from the end.
Order make_order(at::IntArrayRef dims, int64_t rank);

// Refuses sparse, MKL-DNN and other layouts that have no strides, and undefined tensors. `name` is
// the argument's.
void check_strided(const at::Tensor& tensor, const char* name);

// Refuses an `out` whose layout, device or dtype is not x's.
void check_out_options(const at::Tensor& x, const at::Tensor& out);

// Refuses an `out` of another shape than x permuted. Sizes may be symbolic.
void check_out_shape(const at::Tensor& x, const Order& order, const at::Tensor& out);

[[noreturn]] void throw_out_overlaps_x();
[[noreturn]] void throw_out_overlaps_itself();

}  // namespace hptp::bindings
