#include "meta.h"

#include <ATen/ops/empty.h>

#include "checks.h"
#include "overlap.h"
#include "permute.h"

namespace hptp::bindings {
namespace {

bool is_symbolic(const at::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides();
}

// A tensor without memory may be larger than any address; places in it are not compared then.
bool is_larger_than_memory(const at::Tensor& tensor) {
  constexpr size_t kMostBytes = size_t{1} << 60;
  return tensor.storage().nbytes() > kMostBytes;
}

// The eager kernel's answer where sizes are known. There are no addresses here, but views of one
// storage know their place in it.
void check_out_memory(const at::Tensor& x, const Order& order, const at::Tensor& out) {
  if (is_symbolic(x) || is_symbolic(out) || x.numel() == 0) return;
  if (is_larger_than_memory(x) || is_larger_than_memory(out)) return;
  const int64_t elem_size = static_cast<int64_t>(x.element_size());
  const Axes axes = make_axes(x, order, out.strides());
  const Problem problem{elem_size, axes};
  if (is_dst_overlapping_itself(problem)) throw_out_overlaps_itself();
  if (!out.is_alias_of(x)) return;
  if (is_overlapping(problem, (out.storage_offset() - x.storage_offset()) * elem_size)) {
    throw_out_overlaps_x();
  }
}

}  // namespace

at::Tensor permute_meta(const at::Tensor& x, at::IntArrayRef dims) {
  c10::SmallVector<c10::SymInt, 8> sizes;
  for (const int64_t axis : make_order(dims, x.dim())) sizes.push_back(x.sym_size(axis));
  return at::empty_symint(sizes, x.options());
}

at::Tensor& permute_out_meta(const at::Tensor& x, at::IntArrayRef dims, at::Tensor& out) {
  const Order order = make_order(dims, x.dim());
  check_out_options(x, out);
  check_out_shape(x, order, out);
  check_out_memory(x, order, out);
  return out;
}

}  // namespace hptp::bindings
