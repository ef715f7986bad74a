// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Machine/Shadow.h"
#include <bit>

namespace tilefold::sim {

static constexpr uint64_t kCellBytes = 2;
static constexpr uint8_t kAllBytes = 0b11;

Shadow::Shadow(uint64_t bytes, bool initialised)
    : bytes(bytes), initialised(initialised), pages((bytes / kCellBytes + kPageCells) / kPageCells) {}

Shadow::Cell &Shadow::cell(uint64_t index) {
  std::unique_ptr<Cell[]> &page = pages[index / kPageCells];
  if (!page) {
    page = std::make_unique<Cell[]>(kPageCells);
    if (initialised)
      for (uint64_t i = 0; i < kPageCells; ++i)
        page[i].written = kAllBytes;
  }
  return page[index % kPageCells];
}

bool Shadow::isOrdered(const Epoch &earlier, const Access &access) const {
  if (earlier.run < access.firstRun)
    return true; // before the first, too: run 0
  return access.known->knows(access.epoch.run, earlier.run, earlier.actor, earlier.count);
}

bool Shadow::isVisibleToAsync(const Cell &at, const Access &access) const {
  if (!access.asyncProxy || at.asyncWrite || at.write.run < access.firstRun)
    return true;
  return access.known->isFenced(access.epoch.run, at.write.run, at.write.actor, at.write.count, access.shared);
}

template <class F> void Shadow::forEachRead(const Cell &cell, F f) const {
  if (cell.readCount <= kInlineReads) {
    for (unsigned i = 0; i < cell.readCount; ++i)
      f(cell.reads[i]);
    return;
  }
  for (const Epoch &epoch : overflow[cell.reads[0].count])
    f(epoch);
}

/// Reads that happened before this one need not be kept: a write that is ordered after this one is ordered after them.
void Shadow::noteRead(Cell &cell, const Access &access, const Epoch &epoch) {
  auto isCovered = [&](const Epoch &earlier) {
    bool isSame = earlier.actor == epoch.actor && earlier.run == epoch.run; // engines complete their reads in order
    return (isSame || isOrdered(earlier, access)) && (epoch.bytes | earlier.bytes) == epoch.bytes && epoch.atomic <= earlier.atomic;
  };
  if (cell.readCount > kInlineReads) {
    std::vector<Epoch> &list = overflow[cell.reads[0].count];
    std::erase_if(list, isCovered);
    list.push_back(epoch);
    return;
  }
  Epoch *end = std::remove_if(cell.reads, cell.reads + cell.readCount, isCovered);
  cell.readCount = uint8_t(end - cell.reads);
  if (cell.readCount < kInlineReads) {
    cell.reads[cell.readCount++] = epoch;
    return;
  }
  uint32_t index;
  if (freeOverflow.empty()) {
    index = uint32_t(overflow.size());
    overflow.emplace_back();
  } else {
    index = freeOverflow.back();
    freeOverflow.pop_back();
  }
  overflow[index].assign(cell.reads, cell.reads + kInlineReads);
  overflow[index].push_back(epoch);
  cell.reads[0].count = index;
  cell.readCount = kInlineReads + 1;
}

/// The part of [offset, offset + bytes) that lies in cell `index`, a bit for a byte.
static uint32_t bytesInCell(uint64_t index, uint64_t offset, uint64_t end) {
  uint32_t mask = 0;
  for (uint64_t i = 0; i < kCellBytes; ++i)
    if (index * kCellBytes + i >= offset && index * kCellBytes + i < end)
      mask |= 1u << i;
  return mask;
}

/// Calls f(cell, epoch, note) for each cell of an access, with the access as that cell would keep it; the first conflict noted.
template <class F> Conflict Shadow::forEachCell(uint64_t offset, uint32_t count, const Access &access, F f) {
  Conflict first;
  auto note = [&](Conflict::Kind kind, const Epoch &other, bool otherWrites) {
    if (first.kind == Conflict::None)
      first = {kind, other, otherWrites};
  };
  const uint64_t end = offset + count;
  for (uint64_t index = offset / kCellBytes; index * kCellBytes < end; ++index) {
    Cell &at = cell(index);
    Epoch epoch = access.epoch;
    epoch.bytes = bytesInCell(index, offset, end);
    epoch.atomic = access.atomic;
    if (at.mbarrier)
      note(Conflict::MbarrierObject, at.write, true);
    f(at, epoch, note);
  }
  return first;
}

/// Whether an atomic access of this scope is atomic to a thread of the same block, or of the same cluster, or to any.
static bool includes(Scope scope, bool sameCluster, bool sameBlock) {
  return scope == Scope::Block ? sameCluster && sameBlock : scope != Scope::Cluster || sameCluster;
}

/// Whether the last write of a cell could be a conflict: of one of these bytes, and not atomic to the access as that is to it.
/// Atomic accesses are that to each other if they have the same size and the scope of each includes the other's thread.
bool Shadow::meetsWrite(const Cell &at, const Epoch &epoch, uint32_t size, const Access &access) const {
  if (!at.write.run || !(at.write.bytes & epoch.bytes))
    return false;
  if (!access.atomic || !at.write.atomic || size != 1u << at.size)
    return true;
  const bool sameCluster = at.write.run == epoch.run, sameBlock = at.rank == access.rank;
  return !includes(access.scope, sameCluster, sameBlock) || !includes(Scope(at.scope), sameCluster, sameBlock);
}

template <class Note>
void Shadow::checkAgainstWrite(const Cell &at, const Epoch &epoch, uint32_t size, const Access &access, Note note) const {
  if (!meetsWrite(at, epoch, size, access))
    return;
  if (!isOrdered(at.write, access))
    note(Conflict::Unordered, at.write, true);
  else if (!isVisibleToAsync(at, access))
    note(Conflict::ProxyFence, at.write, true);
}

Conflict Shadow::read(uint64_t offset, uint32_t count, const Access &access) {
  return forEachCell(offset, count, access, [&](Cell &at, const Epoch &epoch, auto note) {
    if ((at.written & epoch.bytes) != epoch.bytes)
      note(Conflict::Uninitialised, {}, true);
    else
      checkAgainstWrite(at, epoch, count, access, note);
    noteRead(at, access, epoch);
  });
}

Conflict Shadow::write(uint64_t offset, uint32_t count, const Access &access) {
  return forEachCell(offset, count, access, [&](Cell &at, const Epoch &epoch, auto note) {
    checkAgainstWrite(at, epoch, count, access, note);
    forEachRead(at, [&](const Epoch &earlier) {
      if ((earlier.bytes & epoch.bytes) && !(earlier.atomic && epoch.atomic) && !isOrdered(earlier, access))
        note(Conflict::Unordered, earlier, false);
    });
    if (at.readCount > kInlineReads) {
      overflow[at.reads[0].count].clear();
      freeOverflow.push_back(at.reads[0].count);
    }
    at.readCount = 0;
    at.write = epoch;
    at.written |= uint8_t(epoch.bytes);
    at.asyncWrite = access.asyncProxy;
    at.scope = uint8_t(access.scope);
    at.size = uint8_t(std::bit_width(count) - 1);
    at.rank = access.rank;
  });
}

void Shadow::complete(uint64_t offset, uint32_t count, const Epoch &inFlight, uint32_t completed) {
  for (uint64_t index = offset / kCellBytes; index * kCellBytes < offset + count; ++index) {
    Cell &at = cell(index);
    if (at.write.run == inFlight.run && at.write.actor == inFlight.actor && at.write.count == Epoch::kInFlight)
      at.write.count = completed;
  }
}

void Shadow::setMbarrier(uint64_t offset, bool isOne) {
  for (uint64_t index = offset / kCellBytes; index * kCellBytes < offset + 8; ++index) {
    Cell &at = cell(index);
    at.mbarrier = isOne;
    at.written = kAllBytes;
  }
}

} // namespace tilefold::sim
