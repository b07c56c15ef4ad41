// The ops as the dispatcher knows them, for kernels that pass a call on.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

namespace hptp::bindings {

using PermuteOp = c10::TypedOperatorHandle<at::Tensor(const at::Tensor&, at::IntArrayRef)>;
using PermuteOutOp =
    c10::TypedOperatorHandle<at::Tensor&(const at::Tensor&, at::IntArrayRef, at::Tensor&)>;

inline const PermuteOp& permute_op() {
  static const PermuteOp op = c10::Dispatcher::singleton()
                                  .findSchemaOrThrow("hptp::permute", "")
                                  .typed<at::Tensor(const at::Tensor&, at::IntArrayRef)>();
  return op;
}

inline const PermuteOutOp& permute_out_op() {
  static const PermuteOutOp op =
      c10::Dispatcher::singleton()
          .findSchemaOrThrow("hptp::permute", "out")
          .typed<at::Tensor&(const at::Tensor&, at::IntArrayRef, at::Tensor&)>();
  return op;
}

}  // namespace hptp::bindings
