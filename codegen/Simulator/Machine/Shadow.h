// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadow memory: for every two bytes, who wrote them last and who has read them since.
#pragma once
#include "codegen/Simulator/Machine/Clock.h"
#include <cstddef>

namespace tilefold::sim {

/// One access, as shadow memory keeps it.
struct Epoch {
  static constexpr uint32_t kInFlight = (1u << 30) - 1; ///< a count that nobody ever knows: not complete yet

  uint32_t run = 0; ///< of the cluster; 0: no access
  ActorId actor = 0;
  uint16_t site = 0;
  uint32_t count : 30 = 0;
  uint32_t bytes : 2 = 0; ///< which of the cell's two
};

/// An access about to be made.
struct Access {
  Epoch epoch;
  const Knowledge *known = nullptr; ///< of the thread that makes it, or that issues it
  bool asyncProxy = false;          ///< by TMA or wgmma
  bool atomic = false;
  uint32_t firstRun = 0; ///< runs below belong to earlier launches: ordered before everything
};

struct Conflict {
  enum Kind { None, Unordered, ProxyFence, Uninitialised, MbarrierObject } kind = None;
  Epoch other;
  bool otherWrites = false;
};

class Shadow {
public:
  /// Checks an access to [offset, offset + bytes) and notes it. Returns the first conflict in it.
  Conflict read(uint64_t offset, uint32_t bytes, const Access &access);
  Conflict write(uint64_t offset, uint32_t bytes, const Access &access);

  /// Writes that were noted as in flight and are now complete as `count` of their actor.
  void complete(uint64_t offset, uint32_t bytes, const Epoch &inFlight, uint32_t count);

  /// Marks eight bytes as (no longer) an mbarrier: ordinary accesses to them are conflicts.
  void setMbarrier(uint64_t offset, bool isOne);

  /// What an engine's epoch in a cell stands for decides about proxies; told from outside.
  explicit Shadow(uint64_t bytes, bool initialised);
  void setAsyncActors(const std::vector<bool> *actors) { asyncActors = actors; }
  uint64_t size() const { return bytes; }

private:
  static constexpr unsigned kInlineReads = 4;
  struct Cell {
    Epoch write;
    Epoch reads[kInlineReads];
    uint8_t readCount = 0; ///< beyond kInlineReads: reads[0].count is an index into `overflow`
    bool written = false, atomicWrite = false, mbarrier = false;
  };
  static_assert(sizeof(Cell) == 64);

  bool isOrdered(const Epoch &earlier, const Access &access) const;
  bool isVisibleToAsync(const Epoch &earlier, const Access &access) const;
  void noteRead(Cell &cell, const Access &access, const Epoch &epoch);
  template <class F> Conflict forEachCell(uint64_t offset, uint32_t bytes, const Access &access, F f);
  template <class F> void forEachRead(const Cell &cell, F f) const;
  Cell &cell(uint64_t index);

  static constexpr uint64_t kPageCells = 512;
  uint64_t bytes;
  bool initialised;
  std::vector<std::unique_ptr<Cell[]>> pages;
  std::vector<std::vector<Epoch>> overflow;
  std::vector<uint32_t> freeOverflow;
  const std::vector<bool> *asyncActors = nullptr;
};

} // namespace tilefold::sim
