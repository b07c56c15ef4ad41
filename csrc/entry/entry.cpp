// A short way from Python to the ops, for calls in which the call itself is what costs.
//
// torch.ops turns Python arguments into boxed values by the op's schema, which takes longer than to
// move a small tensor. Here the usual arguments are unpacked by type and the op is called through
// the dispatcher with C++ types, so that autograd, profilers and everything else that hangs on the
// dispatcher sees the same call.
//
// Whatever is not usual is not served: permute() then returns None, having done nothing, and the
// caller goes to torch.ops. That is a subclass, a mode, a transform, a trace, another device,
// another kind of dims, and also an error: torch.ops then makes the same call and raises the
// error in its own way.
//
// The module is named after the version of torch that it was built for and by Python's suffix after
// Python's, so that another torch or another Python does not find it.
#include <ATen/PythonTorchFunctionTLS.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/SmallVector.h>
#include <torch/csrc/Size.h>
#include <torch/csrc/autograd/python_variable.h>

#include <exception>

#include "bindings/ops.h"

namespace hptp::entry {
namespace {

using bindings::permute_op;
using bindings::permute_out_op;
using Dims = c10::SmallVector<int64_t, 8>;

// Everything that intercepts calls from outside of the tensors includes a key for it: dispatch
// modes, torch.func, functionalization, torch.jit.trace. Function modes alone are kept elsewhere.
bool is_intercepted() {
  const c10::DispatchKeySet included = c10::impl::tls_local_dispatch_key_set().included_;
  return !c10::default_included_set.has_all(included) || at::impl::torch_function_mode_enabled();
}

// A dense CPU tensor that is a torch.Tensor or a Parameter and no subclass, nor a wrapper that
// torch keeps in one, which its keys give away.
bool is_plain_tensor(PyObject* object) {
  using c10::DispatchKey;
  constexpr c10::DispatchKeySet kPlain({DispatchKey::CPU, DispatchKey::AutogradCPU,
                                        DispatchKey::AutocastCPU, DispatchKey::ADInplaceOrView,
                                        DispatchKey::Conjugate, DispatchKey::Negative});
  return THPVariable_CheckExact(object) && kPlain.has_all(THPVariable_Unpack(object).key_set());
}

// A subclass of tuple or list may have items of its own making; torch.Size has none.
bool is_plain_sequence(PyObject* object) {
  return PyTuple_CheckExact(object) || PyList_CheckExact(object) || Py_TYPE(object) == &THPSizeType;
}

// Whether `object` is a plain sequence of plain ints of 64 bits, which are then in `dims`.
bool unpack_dims(PyObject* object, Dims& dims) {
  if (!is_plain_sequence(object)) return false;
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(object);
  PyObject* const* const items = PySequence_Fast_ITEMS(object);
  for (Py_ssize_t k = 0; k < count; ++k) {
    int overflow = 0;
    if (!PyLong_CheckExact(items[k])) return false;
    dims.push_back(PyLong_AsLongLongAndOverflow(items[k], &overflow));
    if (overflow != 0) return false;
  }
  return true;
}

// Runs `call` without the GIL, as torch.ops does. False where it threw. The GIL is taken back
// outside of a destructor: at the end of Python it may unwind the thread instead.
template <class Call>
bool ran_without_gil(const Call& call) {
  PyThreadState* const state = PyEval_SaveThread();
  bool ran = false;
  try {
    call();
    ran = true;
  } catch (const std::exception&) {
    ran = false;
  }
  PyEval_RestoreThread(state);
  return ran;
}

// The tensors are copied before the GIL is let go, as another thread may exchange what the Python
// objects hold.
PyObject* permute_fresh(PyObject* x_object, const Dims& dims) {
  const at::Tensor x = THPVariable_Unpack(x_object);
  at::Tensor result;
  if (!ran_without_gil([&] { result = permute_op().call(x, dims); })) Py_RETURN_NONE;
  return THPVariable_Wrap(std::move(result));
}

PyObject* permute_into(PyObject* x_object, const Dims& dims, PyObject* out_object) {
  const at::Tensor x = THPVariable_Unpack(x_object);
  at::Tensor out = THPVariable_Unpack(out_object);
  if (!ran_without_gil([&] { permute_out_op().call(x, dims, out); })) Py_RETURN_NONE;
  return Py_NewRef(out_object);
}

// permute(x, dims, out): the permuted tensor, or None for a call that is not served.
PyObject* permute(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  if (count != 3) {
    PyErr_SetString(PyExc_TypeError, "permute() takes x, dims and out, a tensor or None");
    return nullptr;
  }
  PyObject* const out = arguments[2];
  Dims dims;
  if (is_intercepted() || !is_plain_tensor(arguments[0])) Py_RETURN_NONE;
  if (!Py_IsNone(out) && !is_plain_tensor(out)) Py_RETURN_NONE;
  if (!unpack_dims(arguments[1], dims)) Py_RETURN_NONE;
  return Py_IsNone(out) ? permute_fresh(arguments[0], dims) : permute_into(arguments[0], dims, out);
}

PyMethodDef functions[] = {
    {"permute", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(permute)), METH_FASTCALL,
     "permute(x, dims, out): hptp::permute of plain CPU tensors, or None where it is not served."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT,
    C10_STRINGIZE(TORCH_EXTENSION_NAME),
    nullptr,
    -1,
    functions,
    nullptr,
    nullptr,
    nullptr,
    nullptr,
};

PyObject* make_module() {
  try {
    permute_op();
    permute_out_op();
  } catch (const std::exception&) {
    PyErr_SetString(PyExc_ImportError, "the ops of torch_hptp are not loaded");
    return nullptr;
  }
  return PyModule_Create(&module_definition);
}

}  // namespace
}  // namespace hptp::entry

PyMODINIT_FUNC C10_CONCATENATE(PyInit_, TORCH_EXTENSION_NAME)() {
  return hptp::entry::make_module();
}
