// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TMA: tensor boxes and plain runs of bytes, between global and shared memory. A load arrives when nobody can go on without it,
// or at random before; a store when its thread waits for it.
#include "codegen/Simulator/Machine/ClusterRun.h"
#include "codegen/Simulator/Machine/TensorMap.h"
#include "codegen/Simulator/Machine/Transfers.h"
#include <cstring>

namespace tilefold::sim {

static uint32_t totalBytes(const PendingTransfer &transfer) {
  uint32_t total = 0;
  for (const PendingTransfer::Piece &piece : transfer.pieces)
    total += piece.bytes;
  return total;
}

static void moveData(const PendingTransfer &transfer) {
  for (const PendingTransfer::Piece &piece : transfer.pieces) {
    if (transfer.kind == PendingTransfer::Store) {
      std::memcpy(piece.global, piece.shared, piece.valid);
      continue;
    }
    std::memcpy(piece.shared, piece.global, piece.valid);
    std::memset(piece.shared + piece.valid, 0, piece.bytes - piece.valid);
  }
}

static void completeLoad(ClusterRun &run, const PendingTransfer &transfer) {
  Block &block = run.blocks[transfer.block];
  moveData(transfer);
  auto found = block.mbarriers.find(transfer.barrier);
  if (found == block.mbarriers.end())
    return run.report(FindingKind::IllegalOperand, transfer.site, run.threads[transfer.issuer],
                      "the mbarrier that a copy signals is gone before the copy is complete");
  Mbarrier &barrier = found->second;
  Epoch inFlight;
  inFlight.run = run.run;
  inFlight.actor = barrier.engine;
  for (const PendingTransfer::Piece &piece : transfer.pieces)
    block.shadow->complete(piece.offset, piece.bytes, inFlight, barrier.phase + 1);
  barrier.bytes -= totalBytes(transfer);
  run.settle(barrier);
}

static void complete(ClusterRun &run, size_t index) {
  PendingTransfer transfer = std::move(run.transfers[index]);
  run.transfers.erase(run.transfers.begin() + std::ptrdiff_t(index));
  ++run.progress;
  switch (transfer.kind) {
  case PendingTransfer::Load: return completeLoad(run, transfer);
  case PendingTransfer::Store: return moveData(transfer);
  case PendingTransfer::ArrivalAfterCopies: return arriveAfterCopies(run, transfer);
  }
}

/// Stores complete in their thread's waits, or at the end.
bool ClusterRun::completeOneTransfer() {
  std::vector<size_t> candidates;
  for (size_t i = 0; i < transfers.size(); ++i)
    if (transfers[i].kind != PendingTransfer::Store || !live)
      candidates.push_back(i);
  if (candidates.empty())
    return false;
  complete(*this, candidates[random() % candidates.size()]);
  return true;
}

void ClusterRun::completeAtRandom() {
  static constexpr uint32_t kOneIn = 8;
  if (!transfers.empty() && random() % kOneIn == 0)
    complete(*this, random() % transfers.size());
  completeCopyAtRandom(*this, threads[random() % threads.size()]);
  WgmmaEngine &wgmma = [&]() -> WgmmaEngine & {
    Block &block = blocks[random() % blocks.size()];
    return block.warpgroups[random() % block.warpgroups.size()].wgmma;
  }();
  if (random() % kOneIn == 0)
    completeNextProduct(*this, wgmma);
}

void ClusterRun::checkAtExit(Thread &thread) {
  if (!thread.copies.underway.empty())
    report(FindingKind::Leak, thread.copies.lastSite, thread, "ends while its cp.async may still write shared memory: no wait covers it");
  if (thread.bulk.reader && thread.known.clock[thread.bulk.reader] < thread.bulk.issued)
    report(FindingKind::Leak, thread.bulk.lastSite, thread,
           "ends while its bulk store may still read shared memory: no wait covers it");
  if (thread.index % 128 == 0)
    checkProductsAtExit(*this, thread);
  // The last thread of a block takes the shared memory with it.
  Block &block = blockOf(thread);
  block.ends.join(thread.known.clock);
  if (block.live > 1)
    return;
  for (const auto &[visitor, visit] : block.visits)
    if (block.ends[visitor] < visit.count)
      report(FindingKind::Leak, visit.site, threads[visitor],
             "reaches into the shared memory of " + name(block) + ", all of whose threads may have ended: nothing orders this before");
  for (const PendingTransfer &transfer : transfers)
    if (transfer.block == thread.block && transfer.kind == PendingTransfer::Load)
      report(FindingKind::Leak, transfer.site, threads[transfer.issuer],
             "all threads of the block have ended while a copy may still write its shared memory: nobody waits for it");
}

// ---------------------------------------------------------------------------------------------------- issue

namespace {
struct LoadTarget {
  uint32_t address = 0, barrier = 0; ///< in the memory of each block that takes part
  std::vector<Block *> blocks;
};
} // namespace

static LoadTarget findTarget(uint32_t target, uint32_t barrier, uint32_t multicastMask, uint16_t site) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  ClusterRun::SharedPlace data = run.findShared(self, Space::SharedCluster, target, site);
  ClusterRun::SharedPlace signal = run.findShared(self, Space::SharedCluster, barrier, site);
  LoadTarget result{data.offset, signal.offset, {}};
  if (!data.block || !signal.block)
    return result;
  if (!multicastMask) {
    if (data.block != signal.block)
      run.report(FindingKind::IllegalOperand, site, self, "a copy into one block that signals an mbarrier of another");
    result.blocks.push_back(data.block);
    return result;
  }
  for (uint32_t rank = 0; multicastMask >> rank; ++rank)
    if (multicastMask >> rank & 1) {
      if (rank < run.blocks.size())
        result.blocks.push_back(&run.blocks[rank]);
      else
        run.report(FindingKind::IllegalOperand, site, self,
                   "multicast to block " + std::to_string(rank) + " of a cluster of " + std::to_string(run.blocks.size()));
    }
  return result;
}

static void issueLoad(const LoadTarget &target, const std::vector<BoxPiece> &pieces, uint16_t site) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  for (Block *block : target.blocks) {
    auto found = block->mbarriers.find(target.barrier);
    if (found == block->mbarriers.end()) {
      run.report(FindingKind::IllegalOperand, site, self,
                 "there is no mbarrier at shared address " + std::to_string(target.barrier) + " of " + run.name(*block));
      continue;
    }
    Mbarrier &barrier = found->second;
    if (self.known.clock[barrier.initActor] < barrier.initCount)
      run.report(FindingKind::Race, site, self,
                 "a copy signals the mbarrier at shared address " + std::to_string(target.barrier) +
                     ", whose initialisation nothing orders before it");
    else if (!barrier.fenced)
      run.report(FindingKind::MissingProxyFence, site, self,
                 "a copy signals the mbarrier at shared address " + std::to_string(target.barrier) +
                     ", whose initialisation has no fence.mbarrier_init or proxy fence after it");
    PendingTransfer transfer;
    transfer.site = site;
    transfer.issuer = self.actor;
    transfer.block = uint32_t(block - run.blocks.data());
    transfer.barrier = target.barrier;
    ClusterRun::Request write{&self, site, barrier.engine, Epoch::kInFlight, /*asyncProxy=*/true};
    // What the copy reads is free when its phase is over.
    ClusterRun::Request read{&self, site, barrier.engine, barrier.phase + 1, /*asyncProxy=*/true};
    for (const BoxPiece &piece : pieces) {
      uint8_t *shared = run.accessShared(*block, piece.sharedAddress, piece.bytes, true, write);
      uint8_t *global = piece.validBytes ? run.accessGlobal(piece.global, piece.validBytes, false, read) : shared;
      transfer.pieces.push_back({global, shared, piece.sharedAddress, piece.bytes, piece.validBytes});
    }
    run.transfers.push_back(std::move(transfer));
  }
}

static void issueStore(const std::vector<BoxPiece> &pieces, uint16_t site) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  BulkEngine &engine = self.bulk;
  if (!engine.reader) {
    engine.reader = run.addEngine(self);
    engine.writer = run.addEngine(self);
  }
  engine.lastSite = site;
  PendingTransfer transfer;
  transfer.kind = PendingTransfer::Store;
  transfer.site = site;
  transfer.issuer = self.actor;
  transfer.block = self.block;
  transfer.count = ++engine.issued;
  ClusterRun::Request read{&self, site, engine.reader, engine.issued, /*asyncProxy=*/true};
  ClusterRun::Request write{&self, site, engine.writer, engine.issued, /*asyncProxy=*/true};
  for (const BoxPiece &piece : pieces) {
    if (!piece.validBytes)
      continue;
    uint8_t *shared = run.accessShared(run.blockOf(self), piece.sharedAddress, piece.validBytes, false, read);
    uint8_t *global = run.accessGlobal(piece.global, piece.validBytes, true, write);
    transfer.pieces.push_back({global, shared, piece.sharedAddress, piece.bytes, piece.validBytes});
  }
  run.transfers.push_back(std::move(transfer));
}

/// The box that an instruction names; false after a report.
static bool findBox(uint64_t map, uint32_t rank, const int32_t *coordinates, uint32_t address, bool store, uint16_t site,
                    std::vector<BoxPiece> &pieces) {
  const TensorMap &tensor = *reinterpret_cast<const TensorMap *>(map);
  if (std::string wrong = checkBox(tensor, rank, coordinates, address, store); !wrong.empty()) {
    ClusterRun::current().report(FindingKind::IllegalOperand, site, ClusterRun::thread(), std::move(wrong));
    return false;
  }
  enumerateBox(tensor, coordinates, address, pieces);
  return true;
}

/// A plain run of bytes, in pieces as a box has them.
static bool findRun(uint64_t global, uint32_t shared, uint32_t bytes, uint16_t site, std::vector<BoxPiece> &pieces) {
  static constexpr uint32_t kUnit = 16;
  if (bytes % kUnit || global % kUnit || shared % kUnit) {
    ClusterRun::current().report(FindingKind::IllegalOperand, site, ClusterRun::thread(),
                                 "a bulk copy of " + std::to_string(bytes) + " bytes; size and both addresses must be multiples of 16");
    return false;
  }
  for (uint32_t at = 0; at < bytes; at += kUnit)
    pieces.push_back({shared + at, kUnit, global + at, kUnit});
  return true;
}

} // namespace tilefold::sim

using namespace tilefold::sim;

void tilefold_sim_tma_load(uint32_t target, uint64_t map, uint32_t rank, const int32_t *coordinates, uint32_t barrier,
                           uint32_t multicastMask, uint32_t site) {
  ClusterRun::current().countInstruction(uint16_t(site));
  LoadTarget found = findTarget(target, barrier, multicastMask, uint16_t(site));
  std::vector<BoxPiece> pieces;
  if (findBox(map, rank, coordinates, found.address, /*store=*/false, uint16_t(site), pieces))
    issueLoad(found, pieces, uint16_t(site));
}

void tilefold_sim_tma_store(uint64_t map, uint32_t source, uint32_t rank, const int32_t *coordinates, uint32_t site) {
  ClusterRun::current().countInstruction(uint16_t(site));
  std::vector<BoxPiece> pieces;
  if (findBox(map, rank, coordinates, source, /*store=*/true, uint16_t(site), pieces))
    issueStore(pieces, uint16_t(site));
}

void tilefold_sim_bulk_load(uint32_t target, uint64_t source, uint32_t bytes, uint32_t barrier, uint32_t multicastMask, uint32_t site) {
  ClusterRun::current().countInstruction(uint16_t(site));
  LoadTarget found = findTarget(target, barrier, multicastMask, uint16_t(site));
  std::vector<BoxPiece> pieces;
  if (findRun(source, found.address, bytes, uint16_t(site), pieces))
    issueLoad(found, pieces, uint16_t(site));
}

void tilefold_sim_bulk_store(uint64_t target, uint32_t source, uint32_t bytes, uint32_t site) {
  ClusterRun::current().countInstruction(uint16_t(site));
  std::vector<BoxPiece> pieces;
  if (findRun(target, source, bytes, uint16_t(site), pieces))
    issueStore(pieces, uint16_t(site));
}

void tilefold_sim_bulk_commit(uint32_t site) {
  ClusterRun::current().countInstruction(uint16_t(site));
  BulkEngine &engine = ClusterRun::thread().bulk;
  engine.groups.push_back(engine.issued);
}

void tilefold_sim_bulk_wait(uint32_t pending, uint32_t readOnly, uint32_t site) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  run.countInstruction(uint16_t(site));
  BulkEngine &engine = self.bulk;
  if (engine.groups.size() <= pending)
    return;
  const uint32_t count = engine.groups[engine.groups.size() - pending - 1];
  for (size_t i = 0; i < run.transfers.size();) {
    const PendingTransfer &transfer = run.transfers[i];
    if (transfer.kind == PendingTransfer::Store && transfer.issuer == self.actor && transfer.count <= count)
      complete(run, i);
    else
      ++i;
  }
  if (!engine.reader)
    return;
  self.known.clock.raise(engine.reader, count);
  if (!readOnly)
    self.known.clock.raise(engine.writer, count);
}
