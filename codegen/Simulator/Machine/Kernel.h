// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the machine runs, and on what memory.
#pragma once
#include "codegen/Simulator/Machine/Report.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tilefold::sim {

/// What a thread of a kernel has for its frames, which hold the kernel's register arrays, and for the machine's own calls.
inline constexpr size_t kStackBytes = 512 * 1024;

/// Code of one kernel. The machine calls `entry` once for each thread, on a fiber of its own.
struct KernelCode {
  std::string name;
  /// Parameters are as the launch passes them: element i points at the value of parameter i.
  void (*entry)(void **parameters) = nullptr;
  std::vector<Place> places;          ///< by site
  std::vector<uint32_t> staticShared; ///< bytes of each static array in shared memory
};

struct RegionShadow;

/// Memory that a kernel may touch. A view that lies inside is checked against the region, not against itself.
struct GlobalRegion {
  std::string name; ///< of the argument or workspace, for reports
  void *begin = nullptr;
  uint64_t bytes = 0;
  bool writable = false;
  bool initialised = true; ///< false: reading what nobody has written is a finding
  std::shared_ptr<RegionShadow> shadow; ///< the machine's own notes, kept from one launch to the next
};

/// When work that runs beside the threads (cp.async, TMA, wgmma) takes effect. Either is something that a GPU may do.
enum class Completion { Late, Random };

struct LaunchOptions {
  uint32_t blocks = 1, threads = 1, cluster = 1; ///< blocks along x; threads of a block; blocks of a cluster
  uint32_t sharedBytes = 0;                      ///< dynamic shared memory of a block
  uint64_t seed = 0;
  Completion completion = Completion::Late;
  unsigned hostThreads = 0; ///< blocks run in parallel; 0: as many as the host has cores
};

/// Runs a kernel to its end, or to the first finding that makes going on pointless (a deadlock): then returns false. Adds to
/// `report`.
/// Regions carry what was written from one launch to the next; launches are ordered as on a stream.
bool launch(const KernelCode &kernel, void **parameters, std::vector<GlobalRegion> &regions, const LaunchOptions &options,
            Report &report);

} // namespace tilefold::sim
