// The op from C++, without Python: a saved TorchScript model that calls it, and the op itself
// through the dispatcher.
//
// HPTP_MODEL_DIR names the folder that save_model.py filled.
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/stable/c/shim.h>
#include <torch/script.h>

// torch and Catch2 both define CHECK; in this file it is Catch2's.
#undef CHECK
#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.h"

namespace {

using PermuteSchema = at::Tensor(const at::Tensor&, at::IntArrayRef);
using PermuteOutSchema = at::Tensor&(const at::Tensor&, at::IntArrayRef, at::Tensor&);

std::string model_dir() {
  const char* const directory = std::getenv("HPTP_MODEL_DIR");
  if (directory == nullptr) throw std::runtime_error("HPTP_MODEL_DIR is not set");
  return directory;
}

// Loads the library that registers the ops, once.
void load_ops() {
  static void* const library = [] {
    std::string path;
    std::getline(std::ifstream(model_dir() + "/library"), path);
    void* const opened = dlopen(path.c_str(), RTLD_NOW);
    if (opened == nullptr) throw std::runtime_error(dlerror());
    return opened;
  }();
  static_cast<void>(library);
}

template <typename Schema>
c10::TypedOperatorHandle<Schema> find_op(const char* overload) {
  load_ops();
  return c10::Dispatcher::singleton().findSchemaOrThrow("hptp::permute", overload).typed<Schema>();
}

at::Tensor hptp_permute(const at::Tensor& x, at::IntArrayRef dims) {
  return find_op<PermuteSchema>("").call(x, dims);
}

at::Tensor& hptp_permute_out(const at::Tensor& x, at::IntArrayRef dims, at::Tensor& out) {
  return find_op<PermuteOutSchema>("out").call(x, dims, out);
}

bool is_bit_equal(const at::Tensor& a, const at::Tensor& b) {
  if (a.sizes() != b.sizes() || a.dtype() != b.dtype()) return false;
  const at::Tensor x = a.contiguous();
  const at::Tensor y = b.contiguous();
  return std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

// Distinct bytes in every element, and each element of its own value (up to 2^16 of them).
at::Tensor distinct(at::IntArrayRef sizes, at::ScalarType dtype) {
  const int64_t count = c10::multiply_integers(sizes);
  return at::arange(count, at::kInt).mul_(2654435).remainder_(65521).to(dtype).view(sizes);
}

}  // namespace

TEST_CASE("a saved TorchScript model that calls the op runs without Python") {
  load_ops();
  torch::jit::Module model = torch::jit::load(model_dir() + "/model.pt");
  for (const at::ScalarType dtype : {at::kByte, at::kBFloat16, at::kFloat, at::kComplexDouble}) {
    const at::Tensor x = distinct({3, 65, 4 * 12}, dtype);
    const at::Tensor result = model.forward({x}).toTensor();
    CAPTURE(c10::toString(dtype));
    CHECK(result.is_contiguous());
    CHECK(is_bit_equal(result, x.view({3, 65, 4, 12}).permute({0, 2, 1, 3}).contiguous()));
  }
}

TEST_CASE("the op through the dispatcher gives fresh memory with the bits of permute") {
  const at::Tensor x = distinct({5, 67, 33}, at::kFloat);
  const at::Tensor sources[] = {x, x.slice(1, 1, 60, 3), x.transpose(0, 2),
                                x.slice(0, 0, 1).expand({5, 67, 33})};
  for (const at::Tensor& source : sources) {
    for (const std::vector<int64_t>& dims :
         {std::vector<int64_t>{2, 0, 1}, {-1, -2, -3}, {0, 2, 1}, {0, 1, 2}}) {
      const at::Tensor result = hptp_permute(source, dims);
      CHECK(result.is_contiguous());
      CHECK_FALSE(result.is_alias_of(source));
      CHECK(is_bit_equal(result, source.permute(dims).contiguous()));
    }
  }
}

TEST_CASE("the op serves rank 0 and empty tensors") {
  CHECK(hptp_permute(at::scalar_tensor(7.0), {}).item<double>() == 7.0);
  CHECK(hptp_permute(at::empty({4, 0, 3}), {2, 0, 1}).sizes() == at::IntArrayRef{3, 4, 0});
}

TEST_CASE("the out overload writes the caller's tensor, whatever its strides, and nothing else") {
  const at::Tensor x = distinct({31, 47}, at::kShort);
  at::Tensor wide = at::full({47, 2 * 31}, -1, at::kShort);
  at::Tensor out = wide.slice(1, 0, 2 * 31, 2);
  CHECK(hptp_permute_out(x, {1, 0}, out).is_same(out));
  CHECK(is_bit_equal(out, x.t()));
  CHECK(wide.slice(1, 1, 2 * 31, 2).eq(-1).all().item<bool>());
}

TEST_CASE("bad dims are refused in torch's kinds of error") {
  const at::Tensor x = distinct({2, 3}, at::kFloat);
  CHECK_THROWS_AS(hptp_permute(x, {0, 2}), c10::IndexError);
  CHECK_THROWS_AS(hptp_permute(x, {0, -3}), c10::IndexError);
  CHECK_THROWS_AS(hptp_permute(x, {0, 0}), c10::Error);
  CHECK_THROWS_AS(hptp_permute(x, {1, -1}), c10::Error);
  CHECK_THROWS_AS(hptp_permute(x, {0}), c10::Error);
  CHECK_THROWS_AS(hptp_permute(x, {0, 1, 2}), c10::Error);
  CHECK_THROWS_AS(hptp_permute(at::Tensor(), {0}), c10::Error);
}

TEST_CASE("a bad out is refused before anything is written") {
  const at::Tensor x = distinct({6, 6}, at::kFloat);
  const at::Tensor pool = at::full({12, 6}, -1, at::kFloat);
  at::Tensor bad_outs[] = {
      pool.slice(0, 0, 5),                               // another shape
      pool.view({2, 6, 6}).select(0, 0).view(at::kInt),  // another dtype
      pool.slice(0, 0, 1).expand({6, 6}),                // overlaps itself
      at::empty({6, 6}, at::kMeta),                      // another device
  };
  for (at::Tensor& out : bad_outs) CHECK_THROWS_AS(hptp_permute_out(x, {1, 0}, out), c10::Error);
  CHECK(pool.eq(-1).all().item<bool>());

  const at::Tensor before = pool.clone();
  at::Tensor shifted = pool.slice(0, 3, 9);  // overlaps the source
  CHECK_THROWS_AS(hptp_permute_out(pool.slice(0, 0, 6), {1, 0}, shifted), c10::Error);
  at::Tensor same = pool.slice(0, 0, 6);
  CHECK_THROWS_AS(hptp_permute_out(same, {1, 0}, same), c10::Error);
  CHECK(is_bit_equal(pool, before));
}

TEST_CASE("gradients flow through the op and are refused by the out overload") {
  const at::Tensor x = distinct({4, 5, 6}, at::kFloat).requires_grad_();
  const at::Tensor weight = distinct({6, 4, 5}, at::kFloat);
  (hptp_permute(x, {2, 0, 1}) * weight).sum().backward();
  CHECK(is_bit_equal(x.grad(), weight.permute({1, 2, 0})));

  at::Tensor out = at::full({6, 4, 5}, -1, at::kFloat);
  CHECK_THROWS_AS(hptp_permute_out(x, {2, 0, 1}, out), c10::Error);
  CHECK(out.eq(-1).all().item<bool>());
  const at::NoGradGuard no_grad;
  CHECK(is_bit_equal(hptp_permute_out(x, {2, 0, 1}, out), x.permute({2, 0, 1})));
}

TEST_CASE("any number of threads gives the same bits") {
  const int threads_before = at::get_num_threads();
  const at::Tensor x = distinct({1031, 1021}, at::kFloat);
  const at::Tensor expected = x.t().contiguous();
  for (const int threads : {1, 2, 7}) {
    at::set_num_threads(threads);
    CHECK(is_bit_equal(hptp_permute(x, {1, 0}), expected));
  }
  at::set_num_threads(threads_before);
}

// THR-04. at::parallel_for is a template that runs serially when its caller is compiled without
// OpenMP, as this file is; torch_parallel_for is compiled into torch and enters its pool.
TEST_CASE("a call inside a parallel region of torch neither hangs nor goes wrong") {
  const int threads_before = at::get_num_threads();
  at::set_num_threads(4);
  struct Shared {
    at::Tensor x;
    at::Tensor expected;
    std::atomic<int> calls{0};
    std::atomic<int> right{0};
    std::atomic<int> parallel{0};
  } shared;
  shared.x = distinct({512, 1024}, at::kFloat);  // 2 MiB: large enough to ask for threads
  shared.expected = shared.x.t().contiguous();
  const auto run_range = [](int64_t begin, int64_t end, void* context) {
    Shared& here = *static_cast<Shared*>(context);
    for (int64_t i = begin; i < end; ++i) {
      ++here.calls;
      if (at::in_parallel_region()) ++here.parallel;
      if (is_bit_equal(hptp_permute(here.x, {1, 0}), here.expected)) ++here.right;
    }
  };
  CHECK(torch_parallel_for(0, 16, 1, run_range, &shared) == 0);
  CHECK(shared.calls == 16);
  CHECK(shared.right == 16);
  CHECK(shared.parallel == 16);
  at::set_num_threads(threads_before);
}
