// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Machine/Shadow.h"

namespace tilefold::sim {

static constexpr uint64_t kCellBytes = 2;

Shadow::Shadow(uint64_t bytes, bool initialised)
    : bytes(bytes), initialised(initialised), pages((bytes / kCellBytes + kPageCells) / kPageCells) {}

Shadow::Cell &Shadow::cell(uint64_t index) {
  std::unique_ptr<Cell[]> &page = pages[index / kPageCells];
  if (!page) {
    page = std::make_unique<Cell[]>(kPageCells);
    if (initialised)
      for (uint64_t i = 0; i < kPageCells; ++i)
        page[i].written = true;
  }
  return page[index % kPageCells];
}

bool Shadow::isOrdered(const Epoch &earlier, const Access &access) const {
  if (earlier.run < access.firstRun)
    return true; // before the first, too: run 0
  return access.known->knows(access.epoch.run, earlier.run, earlier.actor, earlier.count);
}

bool Shadow::isVisibleToAsync(const Epoch &earlier, const Access &access) const {
  if (!access.asyncProxy || earlier.run != access.epoch.run || (asyncActors && (*asyncActors)[earlier.actor]))
    return true;
  return earlier.count <= access.known->async[earlier.actor];
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
    return (isSame || isOrdered(earlier, access)) && (epoch.bytes | earlier.bytes) == epoch.bytes;
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
    if (at.mbarrier)
      note(Conflict::MbarrierObject, at.write, true);
    f(at, epoch, note);
  }
  return first;
}

/// Whether the last write of a cell could be a conflict: of one of these bytes, and not atomic as the access itself.
static bool meetsWrite(const Epoch &write, bool isAtomicWrite, const Epoch &epoch, const Access &access) {
  return write.run && (write.bytes & epoch.bytes) && !(access.atomic && isAtomicWrite);
}

Conflict Shadow::read(uint64_t offset, uint32_t count, const Access &access) {
  return forEachCell(offset, count, access, [&](Cell &at, const Epoch &epoch, auto note) {
    if (!at.written)
      note(Conflict::Uninitialised, {}, true);
    else if (meetsWrite(at.write, at.atomicWrite, epoch, access)) {
      if (!isOrdered(at.write, access))
        note(Conflict::Unordered, at.write, true);
      else if (!isVisibleToAsync(at.write, access))
        note(Conflict::ProxyFence, at.write, true);
    }
    if (!access.atomic) // an atomic load races with ordinary writes only, and those find the last atomic write
      noteRead(at, access, epoch);
  });
}

Conflict Shadow::write(uint64_t offset, uint32_t count, const Access &access) {
  return forEachCell(offset, count, access, [&](Cell &at, const Epoch &epoch, auto note) {
    if (meetsWrite(at.write, at.atomicWrite, epoch, access) && !isOrdered(at.write, access))
      note(Conflict::Unordered, at.write, true);
    forEachRead(at, [&](const Epoch &earlier) {
      if ((earlier.bytes & epoch.bytes) && !isOrdered(earlier, access))
        note(Conflict::Unordered, earlier, false);
    });
    if (at.readCount > kInlineReads) {
      overflow[at.reads[0].count].clear();
      freeOverflow.push_back(at.reads[0].count);
    }
    at.readCount = 0;
    at.write = epoch;
    at.written = true;
    at.atomicWrite = access.atomic;
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
    at.written = true;
  }
}

} // namespace tilefold::sim
