#include "threads.h"

#include <ATen/Parallel.h>
#include <pthread.h>
#include <sys/stat.h>
#include <torch/csrc/stable/c/shim.h>

#include <atomic>

namespace hptp::bindings {
namespace {

std::atomic<bool> forking_parent_had_threads{false};
std::atomic<bool> is_pool_lost{false};

// A process with a pool has more than one thread. Other libraries' threads count as well, which
// costs their forked children some speed; counting our own parallel regions alone would miss those
// of torch's operators, which start the same pool.
bool has_threads() noexcept {
#ifdef __linux__
  struct stat tasks;
  // A folder has two links more than it has subfolders, and here those are the threads.
  constexpr nlink_t kLinksOfOneThread = 3;
  return stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink != kLinksOfOneThread;
#else
  return true;
#endif
}

void before_fork() noexcept { forking_parent_had_threads = has_threads(); }

void after_fork_in_child() noexcept {
  if (forking_parent_had_threads) is_pool_lost = true;
}

[[maybe_unused]] const int fork_watch = pthread_atfork(before_fork, nullptr, after_fork_in_child);

struct Share {
  RunUnits run_units;
  const void* work;
};

void run_share(int64_t begin, int64_t end, void* share) noexcept {
  const Share& mine = *static_cast<const Share*>(share);
  mine.run_units(mine.work, begin, end);
}

}  // namespace

int thread_limit() {
  if (is_pool_lost || at::in_parallel_region()) return 1;
  return at::get_num_threads();
}

LostPoolGuard::LostPoolGuard() {
  if (!is_pool_lost) return;
  threads_before_ = at::get_num_threads();
  at::set_num_threads(1);
}

LostPoolGuard::~LostPoolGuard() {
  if (threads_before_ > 0) at::set_num_threads(threads_before_);
}

void run_in_torch_pool(int threads, int64_t unit_count, RunUnits run_units, const void* work) {
  if (threads <= 1 || unit_count <= 1) return run_units(work, 0, unit_count);
  Share share{run_units, work};
  // Torch starts one thread a grain, so this many units keep it to `threads` of them.
  const int64_t grain = (unit_count + threads - 1) / threads;
  const AOTITorchError error = torch_parallel_for(0, unit_count, grain, run_share, &share);
  // Nothing in a share throws, so this is not reached. Were it, some units may not have run, and
  // running a unit twice writes the same bytes.
  if (error != AOTI_TORCH_SUCCESS) run_units(work, 0, unit_count);
}

}  // namespace hptp::bindings
