#include "checks.h"

#include <ATen/WrapDimUtils.h>
#include <c10/core/Layout.h>
#include <c10/core/SymInt.h>

#include <string>

namespace hptp::bindings {
namespace {

const char* layout_word(at::Layout layout) {
  switch (layout) {
    case at::kMkldnn:
      return "an MKL-DNN";
    case at::kJagged:
      return "a nested";
    default:
      return "a sparse";
  }
}

// Concrete sizes, which are the usual ones, are compared without a guard and without an allocation.
bool is_out_shape_plainly_right(const at::Tensor& x, const Order& order, const at::Tensor& out) {
  if (x.unsafeGetTensorImpl()->has_symbolic_sizes_strides()) return false;
  if (out.unsafeGetTensorImpl()->has_symbolic_sizes_strides()) return false;
  if (out.dim() != x.dim()) return false;
  for (size_t k = 0; k < order.size(); ++k) {
    if (out.sizes()[k] != x.size(order[k])) return false;
  }
  return true;
}

}  // namespace

Order make_order(at::IntArrayRef dims, int64_t rank) {
  TORCH_CHECK(static_cast<int64_t>(dims.size()) == rank,
              "permute(): number of dimensions in the tensor input does not match the length of "
              "the desired ordering of dimensions i.e. input.dim() = ",
              rank, " is not equal to len(dims) = ", dims.size());
  Order order(dims.size());
  c10::SmallVector<bool, 64> seen(dims.size(), false);
  for (size_t k = 0; k < dims.size(); ++k) {
    order[k] = at::maybe_wrap_dim(dims[k], rank);
    bool& is_seen = seen[static_cast<size_t>(order[k])];
    TORCH_CHECK(!is_seen, "permute(): duplicate dims are not allowed.");
    is_seen = true;
  }
  return order;
}

void check_strided(const at::Tensor& tensor, const char* name) {
  TORCH_CHECK(tensor.defined(), "permute(): ", name, " is an undefined tensor");
  TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == at::kStrided, "permute(): expected ", name,
                              " to be a strided tensor, but got ", layout_word(tensor.layout()),
                              " tensor of layout ", tensor.layout(),
                              ": convert it with to_dense() first");
}

void check_out_options(const at::Tensor& x, const at::Tensor& out) {
  check_strided(x, "x");
  check_strided(out, "out");
  TORCH_CHECK(out.device() == x.device(), "Expected out tensor to have device ", x.device(),
              ", but got ", out.device(), " instead");
  TORCH_CHECK(out.dtype() == x.dtype(), "Expected out tensor to have dtype ", x.dtype(),
              ", but got ", out.dtype(), " instead");
}

void check_out_shape(const at::Tensor& x, const Order& order, const at::Tensor& out) {
  if (is_out_shape_plainly_right(x, order, out)) return;
  c10::SmallVector<c10::SymInt, 8> expected;
  for (const int64_t axis : order) expected.push_back(x.sym_size(axis));
  const auto message = [&] {
    return c10::str("Expected out tensor to have shape ", c10::SymIntArrayRef(expected),
                    ", but got ", out.sym_sizes(), " instead: permute never resizes out");
  };
  TORCH_CHECK(out.dim() == x.dim(), message());
  for (size_t k = 0; k < order.size(); ++k) {
    TORCH_SYM_CHECK(out.sym_sizes()[k].sym_eq(expected[k]), message());
  }
}

void throw_out_overlaps_x() {
  TORCH_CHECK(false,
              "unsupported operation: some elements of the input tensor and the written-to tensor "
              "refer to a single memory location. Please clone() the input before the operation, "
              "or rearrange it in place with permute_.");
}

void throw_out_overlaps_itself() {
  TORCH_CHECK(false,
              "unsupported operation: more than one element of the written-to tensor refers to a "
              "single memory location. Please clone() the tensor before performing the operation.");
}

}  // namespace hptp::bindings
