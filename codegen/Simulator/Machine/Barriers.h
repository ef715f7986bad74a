// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of the barriers of blocks and clusters.
#pragma once
#include "codegen/Simulator/Machine/Clock.h"

namespace tilefold::sim {

/// bar.sync, bar.arrive, bar.red: one of a block's sixteen.
struct NamedBarrier {
  uint32_t expected = 0; ///< threads of the phase under way; 0: none is
  uint32_t arrived = 0;
  uint32_t truths = 0; ///< of bar.red: threads whose predicate was true
  Knowledge knowledge; ///< of those that have arrived
  struct Waiter {
    uint32_t thread; ///< by its index in the cluster
    uint32_t *truths;
  };
  std::vector<Waiter> waiting;
  /// A warp that has come with an operation, and which of its lanes: it must come as a whole. It may come again.
  struct Part {
    uint32_t warp, lanes = 0;
    uint16_t site;
  };
  std::vector<Part> parts;
};

/// barrier.cluster.
struct ClusterBarrier {
  uint32_t arrived = 0;
  uint64_t phase = 0; ///< complete ones
  Knowledge knowledge, lastKnowledge;
  std::vector<uint64_t> arrivals, waits; ///< by thread
  std::vector<uint32_t> waiting;  ///< threads
};

/// mbarrier: a phase completes when all expected arrivals have come and as many bytes as were expected.
struct Mbarrier {
  uint32_t expected = 0, pending = 0; ///< arrivals
  int64_t bytes = 0;                  ///< still to come
  uint32_t phase = 0;                 ///< complete ones
  ActorId engine = 0;                 ///< stands for copies that signal this barrier; its count is the phase
  ActorId initActor = 0;
  uint32_t initCount = 0;
  bool fenced = false; ///< its initialisation is visible to copies
  VectorClock uses;    ///< the last of each thread
  Knowledge knowledge; ///< of all arrivals up to now
  Knowledge lastKnowledge;
  std::vector<uint32_t> waiting;
};

} // namespace tilefold::sim
