// A tensor and its dims become a Problem, and the Problem is all the engine sees.
//
// The engine moves bytes. Two of torch's ideas are no bytes: a lazy conjugate or negative is a bit
// of the tensor, so where source and destination differ in it, the moved bytes are conjugated or
// negated in place afterwards.
#include "permute.h"

#include <ATen/EmptyTensor.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/conj_physical.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/permute.h>
#include <ATen/ops/zeros.h>

#include "huge_pages.h"
#include "overlap.h"
#include "threads.h"

namespace hptp::bindings {
namespace {

c10::SmallVector<int64_t, 8> permuted_sizes(const at::Tensor& x, const Order& order) {
  c10::SmallVector<int64_t, 8> sizes(order.size());
  for (size_t k = 0; k < order.size(); ++k) sizes[k] = x.sizes()[static_cast<size_t>(order[k])];
  return sizes;
}

// Raises what torch raises for a dtype that has no negative, before anything is written.
void check_can_negate(const at::Tensor& x, const at::Tensor& dst) {
  if (x.is_neg() != dst.is_neg()) at::neg(at::zeros({1}, x.options()));
}

void resolve_bits(const at::Tensor& x, const at::Tensor& dst) {
  if (x.is_conj() == dst.is_conj() && x.is_neg() == dst.is_neg()) return;
  const LostPoolGuard guard;
  if (x.is_conj() != dst.is_conj()) {
    at::Tensor bytes = dst.is_conj() ? dst.conj() : dst;
    at::conj_physical_(bytes);
  }
  if (x.is_neg() != dst.is_neg()) {
    at::Tensor bytes = dst.is_neg() ? dst._neg_view() : dst;
    at::neg_(bytes);
  }
}

void copy_permuted(const at::Tensor& x, const Problem& problem, const at::Tensor& dst) {
  check_can_negate(x, dst);
  copy_strided(problem, x.const_data_ptr(), dst.mutable_data_ptr(), thread_limit(),
               run_in_torch_pool);
  resolve_bits(x, dst);
}

void check_out_memory(const Problem& problem, const at::Tensor& x, const at::Tensor& out) {
  if (is_dst_overlapping_itself(problem)) throw_out_overlaps_itself();
  // Asked for writing first: a lazily cloned `out` gets memory of its own by that.
  const auto* dst = static_cast<const std::byte*>(out.mutable_data_ptr());
  const auto* src = static_cast<const std::byte*>(x.const_data_ptr());
  if (is_overlapping(problem, dst - src)) throw_out_overlaps_x();
}

}  // namespace

Axes make_axes(const at::Tensor& x, const Order& order, at::IntArrayRef dst_strides) {
  const int64_t elem_size = static_cast<int64_t>(x.element_size());
  Axes axes(order.size());
  for (size_t k = 0; k < order.size(); ++k) {
    const size_t axis = static_cast<size_t>(order[k]);
    const int64_t extent = x.sizes()[axis];
    axes[k] = extent == 1 ? Axis{1, 0, 0}
                          : Axis{extent, x.strides()[axis] * elem_size, dst_strides[k] * elem_size};
  }
  return axes;
}

at::Tensor permute_cpu(const at::Tensor& x, at::IntArrayRef dims) {
  const Order order = make_order(dims, x.dim());
  at::Tensor result = at::detail::empty_cpu(permuted_sizes(x, order), x.scalar_type());
  if (x.numel() == 0) return result;
  advise_huge_pages(result.mutable_data_ptr(), result.nbytes());
  const Axes axes = make_axes(x, order, result.strides());
  copy_permuted(x, {static_cast<int64_t>(x.element_size()), axes}, result);
  return result;
}

at::Tensor& permute_out_cpu(const at::Tensor& x, at::IntArrayRef dims, at::Tensor& out) {
  const Order order = make_order(dims, x.dim());
  check_out_options(x, out);
  check_out_shape(x, order, out);
  if (x.numel() == 0) return out;
  const Axes axes = make_axes(x, order, out.strides());
  const Problem problem{static_cast<int64_t>(x.element_size()), axes};
  check_out_memory(problem, x, out);
  copy_permuted(x, problem, out);
  return out;
}

at::Tensor permute_composite(const at::Tensor& x, at::IntArrayRef dims) {
  check_strided(x, "x");
  const LostPoolGuard guard;
  // clone, and not contiguous: the result is fresh memory for every dims.
  return at::permute(x, dims).clone(at::MemoryFormat::Contiguous);
}

at::Tensor& permute_out_composite(const at::Tensor& x, at::IntArrayRef dims, at::Tensor& out) {
  check_out_options(x, out);
  check_out_shape(x, make_order(dims, x.dim()), out);
  const at::Tensor view = at::permute(x, dims);
  if (at::has_internal_overlap(out) == at::MemOverlap::Yes) throw_out_overlaps_itself();
  at::assert_no_overlap(out, view);
  return out.copy_(view);
}

std::string explain_permute(const at::Tensor& x, at::IntArrayRef dims) {
  check_strided(x, "x");
  const Order order = make_order(dims, x.dim());
  const auto sizes = permuted_sizes(x, order);
  c10::SmallVector<int64_t, 8> strides(sizes.size());
  int64_t stride = 1;
  for (size_t k = sizes.size(); k-- > 0;) {
    strides[k] = stride;
    stride *= std::max<int64_t>(sizes[k], 1);
  }
  const Axes axes = make_axes(x, order, strides);
  return explain({static_cast<int64_t>(x.element_size()), axes}, thread_limit());
}

}  // namespace hptp::bindings
