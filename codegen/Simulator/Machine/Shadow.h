// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shadow memory: for every two bytes, who wrote them last and who has read them since.
#pragma once
#include "codegen/Simulator/Machine/Abi.h"
#include "codegen/Simulator/Machine/Clock.h"
#include <cstddef>

namespace tilefold::sim {

/// Bytes of shadow for each that a kernel touches.
inline constexpr uint64_t kShadowBytes = 32;

/// One access, as shadow memory keeps it.
struct Epoch {
  static constexpr uint32_t kInFlight = (1u << 29) - 1; ///< a count that nobody ever knows: not complete yet

  uint32_t run = 0; ///< of the cluster; 0: no access
  ActorId actor = 0;
  uint16_t site = 0;
  uint32_t count : 29 = 0;
  uint32_t atomic : 1 = 0;
  uint32_t bytes : 2 = 0; ///< which of the cell's two
};

/// An access about to be made.
struct Access {
  Epoch epoch;
  const Knowledge *known = nullptr; ///< of the thread that makes it, or that issues it
  bool asyncProxy = false;          ///< by TMA or wgmma
  bool atomic = false;
  Scope scope = Scope::System; ///< of an atomic one
  uint8_t rank = 0;            ///< in its cluster, of the block that makes or issues it
  bool shared = true;          ///< of shared memory, not global: proxy fences tell them apart
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

  explicit Shadow(uint64_t bytes, bool initialised);
  uint64_t size() const { return bytes; }

private:
  static constexpr unsigned kInlineReads = 4;
  struct Cell {
    Epoch write;
    Epoch reads[kInlineReads];
    uint8_t readCount = 0; ///< beyond kInlineReads: reads[0].count is an index into `overflow`
    uint8_t written : 2 = 0; ///< a bit a byte
    bool mbarrier : 1 = false;
    bool asyncWrite : 1 = false;         ///< the last write was through the async proxy
    uint8_t scope : 2 = 0, size : 2 = 0; ///< of the last write if it was atomic; the size as a power of two
    uint8_t rank = 0;                    ///< of the block that wrote it
  };
  static_assert(sizeof(Cell) == 2 * kShadowBytes);

  bool isOrdered(const Epoch &earlier, const Access &access) const;
  bool isVisibleToAsync(const Cell &at, const Access &access) const;
  bool meetsWrite(const Cell &at, const Epoch &epoch, uint32_t size, const Access &access) const;
  template <class Note>
  void checkAgainstWrite(const Cell &at, const Epoch &epoch, uint32_t size, const Access &access, Note note) const;
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
};

} // namespace tilefold::sim
