// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an operation of the thread that runs comes to the mbarrier that it means.
#pragma once
#include "codegen/Simulator/Machine/ClusterRun.h"

namespace tilefold::sim {

/// Null after a report.
struct FoundMbarrier {
  Block *block = nullptr;
  Mbarrier *barrier = nullptr;
  explicit operator bool() const { return barrier; }
};

/// Counts the operation, checks that the mbarrier is there and that its initialisation comes before, and notes the use.
FoundMbarrier findMbarrier(uint32_t address, uint16_t site);
/// For operations that only threads of the mbarrier's own block may make; `use` says what they do, with "the mbarrier of
/// another block" behind it.
FoundMbarrier findOwnMbarrier(uint32_t address, uint16_t site, const char *use = "waits at, or invalidates,");

} // namespace tilefold::sim
