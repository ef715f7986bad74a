// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cp.async. What is copied arrives when its thread waits for it, or at random before: never when it is issued.
#include "codegen/Simulator/Machine/Mbarriers.h"
#include "codegen/Simulator/Machine/Transfers.h"
#include <cstring>

using namespace tilefold::sim;

static void perform(const CopyEngine::Copy &copy) {
  std::memcpy(copy.target, copy.source, copy.sourceBytes);
  std::memset(copy.target + copy.sourceBytes, 0, copy.bytes - copy.sourceBytes);
}

static void completeUpTo(CopyEngine &engine, uint32_t count) {
  std::erase_if(engine.underway, [&](const CopyEngine::Copy &copy) {
    if (copy.count > count)
      return false;
    perform(copy);
    return true;
  });
}

void tilefold::sim::completeCopyAtRandom(ClusterRun &run, Thread &thread) {
  std::vector<CopyEngine::Copy> &underway = thread.copies.underway;
  if (underway.empty())
    return;
  size_t pick = run.random() % underway.size();
  perform(underway[pick]);
  underway.erase(underway.begin() + std::ptrdiff_t(pick));
}

void tilefold_sim_cp_async(uint32_t target, uint64_t source, uint32_t bytes, uint32_t sourceBytes, uint32_t site) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  run.countInstruction(uint16_t(site));
  auto refuse = [&](std::string text) { run.report(FindingKind::IllegalOperand, uint16_t(site), self, std::move(text)); };
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return refuse("cp.async of " + std::to_string(bytes) + " bytes, expected 4, 8 or 16");
  if (sourceBytes > bytes)
    return refuse("cp.async reads " + std::to_string(sourceBytes) + " bytes for a copy of " + std::to_string(bytes));
  CopyEngine &engine = self.copies;
  if (!engine.actor)
    engine.actor = run.addEngine(self);
  ClusterRun::Request request{&self, uint16_t(site), engine.actor, ++engine.issued};
  uint8_t *to = run.access(Space::Shared, target, bytes, bytes, true, request);
  uint8_t *from = to;
  if (sourceBytes) // the address may lie anywhere if nothing is read
    from = run.access(Space::Global, source, sourceBytes, bytes, false, request);
  engine.underway.push_back({to, from, bytes, sourceBytes, engine.issued});
  engine.lastSite = uint16_t(site);
}

void tilefold_sim_cp_async_commit(uint32_t site) {
  CopyEngine &engine = ClusterRun::thread().copies;
  ClusterRun::current().countInstruction(uint16_t(site));
  engine.groups.push_back(engine.issued);
}

void tilefold_sim_cp_async_wait(uint32_t pending, uint32_t site) {
  Thread &self = ClusterRun::thread();
  CopyEngine &engine = self.copies;
  ClusterRun::current().countInstruction(uint16_t(site));
  while (engine.groups.size() > pending) {
    completeUpTo(engine, engine.groups.front());
    if (engine.actor)
      self.known.clock.raise(engine.actor, engine.groups.front());
    engine.groups.pop_front();
  }
}

/// The arrival is made when all copies that the thread has issued are complete.
void tilefold_sim_cp_async_mbarrier_arrive(uint32_t barrier, uint32_t noinc, uint32_t site) {
  FoundMbarrier found = findOwnMbarrier(barrier, uint16_t(site), "arrives, after cp.async, at");
  if (!found)
    return;
  if (!noinc)
    ++found.barrier->pending;
  Thread &self = ClusterRun::thread();
  PendingTransfer transfer;
  transfer.kind = PendingTransfer::ArrivalAfterCopies;
  transfer.site = uint16_t(site);
  transfer.issuer = self.actor;
  transfer.block = self.block;
  transfer.barrier = sharedOffset(barrier);
  transfer.count = self.copies.issued;
  ClusterRun::current().transfers.push_back(std::move(transfer));
}

void tilefold::sim::arriveAfterCopies(ClusterRun &run, const PendingTransfer &transfer) {
  Thread &issuer = run.threads[transfer.issuer];
  Mbarrier &barrier = run.blocks[transfer.block].mbarriers[transfer.barrier];
  completeUpTo(issuer.copies, transfer.count);
  if (issuer.copies.actor)
    barrier.knowledge.clock.raise(issuer.copies.actor, transfer.count);
  if (!barrier.pending)
    return run.report(FindingKind::IllegalOperand, transfer.site, issuer, "arrives at an mbarrier that waits for no more");
  --barrier.pending;
  run.settle(barrier);
}
