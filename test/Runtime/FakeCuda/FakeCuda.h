// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libcuda.so.1 for tests: devices whose memory is host memory, contexts as a stack per thread, launches that are
// recorded. It is a shared object of its own, opened by the runtime exactly as the real one is.
#pragma once

#include "runtime/driver/cuda_abi.h"

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tilefold::fake {

struct Launch {
  std::string entry;
  std::array<unsigned, 3> grid{}, block{};
  unsigned shared = 0;
  unsigned cluster = 1;
  void *stream = nullptr;
  int device = -1; ///< of the context that was current
  std::vector<uint64_t> parameters;
};

struct State {
  std::mutex mutex;
  std::vector<std::string> calls; ///< every driver function called, in order
  std::vector<Launch> launches;
  std::map<std::string, int> failures; ///< function name -> CUresult that its next call gives
  int live_modules = 0;
  bool lazy_loading = true; ///< launching a function that was not loaded before is counted in `lazy_launches`
  int lazy_launches = 0;
  int max_active_clusters = 1;

  void clear() {
    std::lock_guard lock(mutex);
    calls.clear();
    launches.clear();
    failures.clear();
    lazy_launches = 0;
    max_active_clusters = 1;
  }
};

/// The symbol by which a test finds the state: `State *fake_cuda_state()`.
inline constexpr const char *state_symbol = "fake_cuda_state";
/// Depth of the calling thread's context stack: `int fake_cuda_context_depth()`.
inline constexpr const char *depth_symbol = "fake_cuda_context_depth";

} // namespace tilefold::fake
