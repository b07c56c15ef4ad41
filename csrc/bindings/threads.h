// Threads are torch's: its pool, its number of threads, its rule that a parallel region does not
// start another.
//
// One case is left out of it. In a child of fork() the pool's threads are gone but the pool does
// not know, and a parallel region waits for them for ever. Such a child copies on one thread.
#pragma once

#include <cstdint>

#include "hptp/hptp.h"

namespace hptp::bindings {

// How many threads a copy that starts now may use: torch.get_num_threads(), or 1 inside a parallel
// region and in a forked child that cannot use the pool.
int thread_limit();

// Keeps torch's own operators, too, to one thread while it lives, where thread_limit() is 1 for
// want of a pool. Elsewhere it does nothing.
class LostPoolGuard {
 public:
  LostPoolGuard();
  ~LostPoolGuard();
  LostPoolGuard(const LostPoolGuard&) = delete;
  LostPoolGuard& operator=(const LostPoolGuard&) = delete;

 private:
  int threads_before_ = 0;  // 0: nothing to restore
};

// The ParallelFor of torch's pool.
void run_in_torch_pool(int threads, int64_t unit_count, RunUnits run_units, const void* work);

}  // namespace hptp::bindings
