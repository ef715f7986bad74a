// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State of what works beside the threads: cp.async, bulk copies (TMA), wgmma. Each engine is an actor whose count numbers its
// operations; whoever waits for an operation raises the engine's entry in its clock.
#pragma once
#include "codegen/Simulator/Machine/Abi.h"
#include "codegen/Simulator/Machine/Clock.h"
#include "codegen/Simulator/Machine/WgmmaOperands.h"
#include <deque>

namespace tilefold::sim {

/// cp.async of one thread.
struct CopyEngine {
  struct Copy {
    uint8_t *target;
    const uint8_t *source;
    uint32_t bytes, sourceBytes;
    uint32_t count;
  };
  ActorId actor = 0; ///< 0: never used
  uint32_t issued = 0;
  uint16_t lastSite = 0;
  std::vector<Copy> underway;
  std::deque<uint32_t> groups; ///< of each committed group: the count of the last copy before it
};

/// Bulk stores of one thread (shared to global). Two actors: reading the source is over before the target is written.
struct BulkEngine {
  ActorId reader = 0, writer = 0; ///< 0: never used
  uint32_t issued = 0;
  uint16_t lastSite = 0;
  std::deque<uint32_t> groups;
};

/// A bulk copy that has been issued and not completed, or an arrival that waits for cp.async.
struct PendingTransfer {
  struct Piece {
    uint8_t *global; ///< where to read or write; only `valid` bytes of it, a load fills the rest with zeros
    uint8_t *shared;
    uint32_t offset; ///< of `shared` in the block's memory
    uint32_t bytes, valid;
  };
  enum Kind : uint8_t { Load, Store, ArrivalAfterCopies } kind = Load;
  uint16_t site = 0;
  uint32_t issuer = 0; ///< thread, by its index in the cluster
  uint32_t block = 0;  ///< rank of the block whose shared memory takes part
  std::vector<Piece> pieces;
  uint32_t barrier = 0; ///< shared address in that block; not of a store
  uint32_t count = 0;   ///< number of the store, or of the last cp.async, in the issuer's engine
};

/// wgmma of one warpgroup.
struct WgmmaEngine {
  struct Product {
    uint32_t count = 0;
    uint16_t site = 0;
    bool isDone = false;
    WgmmaShape shape;
    bool aInRegisters = false, transposedA = false, transposedB = false;
    std::vector<uint32_t> fragments;                ///< [thread][4], of A in registers
    std::vector<const void *> chunksA, chunksB;     ///< of operands in shared memory, in the order of chunkAddresses
    std::vector<float> values; ///< [thread][n / 2]: accumulators that go in, tokens among them; then the results
  };
  ActorId actor = 0;
  uint32_t issued = 0;
  uint32_t fencedWarps = 0;       ///< a bit a warp: a fence since the last wait
  std::deque<Product> products;   ///< the latest, in order
  std::vector<uint32_t> groups;   ///< count of the last product of each committed group
};

} // namespace tilefold::sim
