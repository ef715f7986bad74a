// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mbarrier objects in shared memory. A phase releases what all that arrived had done, and bulk copies that signalled it; whoever
// sees it complete has all that behind it.
#include "codegen/Simulator/Machine/Mbarriers.h"

using namespace tilefold::sim;

static constexpr uint32_t kMbarrierBytes = 8, kMostArrivals = (1u << 20) - 1;

void ClusterRun::settle(Mbarrier &barrier) {
  if (barrier.pending || barrier.bytes)
    return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  barrier.knowledge.clock.raise(barrier.engine, barrier.phase);
  barrier.lastKnowledge = barrier.knowledge;
  ++progress;
  for (uint32_t thread : std::exchange(barrier.waiting, {}))
    wake(threads[thread]);
}

FoundMbarrier tilefold::sim::findMbarrier(uint32_t address, uint16_t site) {
  ClusterRun &run = ClusterRun::current();
  run.giveWay();
  Thread &self = ClusterRun::thread();
  run.countInstruction(site);
  ClusterRun::SharedPlace place = run.findShared(self, Space::SharedCluster, address, site);
  if (!place.block)
    return {};
  run.noteVisit(*place.block, self, site);
  auto found = place.block->mbarriers.find(place.offset);
  if (found == place.block->mbarriers.end()) {
    run.report(FindingKind::IllegalOperand, site, self,
               "there is no mbarrier at shared address " + std::to_string(place.offset) + " of " + run.name(*place.block));
    return {};
  }
  Mbarrier &barrier = found->second;
  if (self.known.clock[barrier.initActor] < barrier.initCount)
    run.report(FindingKind::Race, site, self,
               "uses the mbarrier at shared address " + std::to_string(place.offset) + ", whose initialisation nothing orders before it");
  barrier.uses.raise(self.actor, self.known.clock[self.actor]);
  return {place.block, &barrier};
}

FoundMbarrier tilefold::sim::findOwnMbarrier(uint32_t address, uint16_t site, const char *use) {
  FoundMbarrier found = findMbarrier(address, site);
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  if (!found || found.block == &run.blockOf(self))
    return found;
  run.report(FindingKind::IllegalOperand, site, self, std::string(use) + " the mbarrier of another block");
  return {};
}

static void arriveAt(FoundMbarrier found, uint32_t count, bool drop, uint16_t site) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  Mbarrier &barrier = *found.barrier;
  if (count > barrier.pending) {
    run.report(FindingKind::IllegalOperand, site, self,
               "arrives " + std::to_string(count) + " times at an mbarrier that waits for " + std::to_string(barrier.pending) + " more");
    count = barrier.pending;
  }
  barrier.knowledge.join(self.known);
  run.publish(self);
  barrier.pending -= count;
  if (drop)
    barrier.expected -= std::min(count, barrier.expected);
  run.settle(barrier);
}

static void expect(FoundMbarrier found, uint32_t bytes, uint16_t site) {
  if (bytes > kMostArrivals)
    return ClusterRun::current().report(FindingKind::IllegalOperand, site, ClusterRun::thread(),
                                        "expects " + std::to_string(bytes) + " bytes at once, at most " + std::to_string(kMostArrivals));
  found.barrier->bytes += bytes;
}

/// Whether phase `phase` (0 the first) is complete; if so the thread learns what that brings.
static bool isComplete(const Mbarrier &barrier, uint32_t phase, Thread &thread) {
  if (barrier.phase <= phase)
    return false;
  thread.known.join(barrier.lastKnowledge);
  return true;
}

/// The phase that a wait with this parity is for: the current one if it has that parity, else the one before, which is over.
static bool isParityComplete(const Mbarrier &barrier, uint32_t parity, Thread &thread) {
  if ((barrier.phase & 1) == parity)
    return false;
  thread.known.join(barrier.lastKnowledge);
  return true;
}

/// Sleeps until `isDone`; false if the mbarrier has gone meanwhile.
template <class Done> static bool waitFor(uint32_t address, uint32_t parity, uint16_t site, Done isDone) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  FoundMbarrier found = findOwnMbarrier(address, site);
  while (found) {
    if (isDone(*found.barrier, self))
      return true;
    found.barrier->waiting.push_back(self.actor);
    run.sleep({Wait::Mbarrier, site, sharedOffset(address), parity});
    auto again = found.block->mbarriers.find(sharedOffset(address));
    if (again == found.block->mbarriers.end())
      return false;
    found.barrier = &again->second;
  }
  return false;
}

/// Looks once; a thread that did not find what it looks for lets others go on before it learns so.
template <class Done> static bool look(uint32_t address, uint16_t site, Done isDone) {
  FoundMbarrier found = findOwnMbarrier(address, site);
  if (!found || isDone(*found.barrier, ClusterRun::thread()))
    return bool(found);
  ClusterRun::current().poll(site, /*onGlobalMemory=*/false);
  return false;
}

void tilefold_sim_mbarrier_init(uint32_t address, uint32_t count, uint32_t site) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  run.countInstruction(uint16_t(site));
  auto refuse = [&](std::string text) { run.report(FindingKind::IllegalOperand, uint16_t(site), self, std::move(text)); };
  if (!count || count > kMostArrivals)
    return refuse("an mbarrier for " + std::to_string(count) + " arrivals, expected 1 to " + std::to_string(kMostArrivals));
  ClusterRun::SharedPlace place = run.findShared(self, Space::Shared, address, uint16_t(site));
  if (!place.block)
    return;
  if (place.block->mbarriers.count(place.offset))
    return refuse("there is an mbarrier at shared address " + std::to_string(place.offset) + " already");
  if (place.offset < kSharedBase || place.offset + kMbarrierBytes > place.block->bytes.size() || place.offset % kMbarrierBytes)
    return refuse("an mbarrier at shared address " + std::to_string(place.offset) + ", expected a multiple of 8 inside the block's memory");
  run.accessShared(*place.block, place.offset, kMbarrierBytes, true, run.byThread(self, uint16_t(site)));
  place.block->shadow->setMbarrier(place.offset, true);
  Mbarrier &barrier = place.block->mbarriers[place.offset];
  barrier.expected = barrier.pending = count;
  barrier.engine = run.addEngine(self);
  barrier.initActor = self.actor;
  barrier.initCount = self.known.clock[self.actor];
}

void tilefold_sim_mbarrier_inval(uint32_t address, uint32_t site) {
  FoundMbarrier found = findOwnMbarrier(address, uint16_t(site));
  if (!found)
    return;
  ClusterRun &run = ClusterRun::current();
  if (!found.barrier->waiting.empty())
    run.report(FindingKind::IllegalOperand, uint16_t(site), ClusterRun::thread(), "invalidates an mbarrier that threads wait at");
  else if (!ClusterRun::thread().known.clock.covers(found.barrier->uses))
    run.report(FindingKind::Race, uint16_t(site), ClusterRun::thread(),
               "invalidates an mbarrier that another thread uses without an order between the two");
  found.block->shadow->setMbarrier(address, false);
  found.block->mbarriers.erase(address);
}

uint64_t tilefold_sim_mbarrier_arrive(uint32_t address, uint32_t count, uint32_t drop, uint32_t site) {
  FoundMbarrier found = findMbarrier(address, uint16_t(site));
  if (!found)
    return 0;
  const uint64_t state = found.barrier->phase;
  arriveAt(found, count, drop, uint16_t(site));
  return state;
}

uint64_t tilefold_sim_mbarrier_arrive_expect_tx(uint32_t address, uint32_t bytes, uint32_t drop, uint32_t site) {
  FoundMbarrier found = findMbarrier(address, uint16_t(site));
  if (!found)
    return 0;
  const uint64_t state = found.barrier->phase;
  expect(found, bytes, uint16_t(site));
  arriveAt(found, 1, drop, uint16_t(site));
  return state;
}

void tilefold_sim_mbarrier_expect_tx(uint32_t address, uint32_t bytes, uint32_t site) {
  if (FoundMbarrier found = findMbarrier(address, uint16_t(site)))
    expect(found, bytes, uint16_t(site));
}

void tilefold_sim_mbarrier_complete_tx(uint32_t address, uint32_t bytes, uint32_t site) {
  if (FoundMbarrier found = findMbarrier(address, uint16_t(site))) {
    found.barrier->bytes -= bytes;
    ClusterRun::current().settle(*found.barrier);
  }
}

uint32_t tilefold_sim_mbarrier_test(uint32_t address, uint64_t state, uint32_t site) {
  return look(address, uint16_t(site), [&](Mbarrier &barrier, Thread &self) { return isComplete(barrier, uint32_t(state), self); });
}

uint32_t tilefold_sim_mbarrier_test_parity(uint32_t address, uint32_t parity, uint32_t site) {
  return look(address, uint16_t(site), [&](Mbarrier &barrier, Thread &self) { return isParityComplete(barrier, parity & 1, self); });
}

uint32_t tilefold_sim_mbarrier_try(uint32_t address, uint64_t state, uint32_t site) {
  return waitFor(address, uint32_t(state) & 1, uint16_t(site),
                 [&](Mbarrier &barrier, Thread &self) { return isComplete(barrier, uint32_t(state), self); });
}

uint32_t tilefold_sim_mbarrier_try_parity(uint32_t address, uint32_t parity, uint32_t site) {
  return waitFor(address, parity, uint16_t(site),
                 [&](Mbarrier &barrier, Thread &self) { return isParityComplete(barrier, parity & 1, self); });
}

void tilefold_sim_mbarrier_wait_parity(uint32_t address, uint32_t parity, uint32_t site) {
  tilefold_sim_mbarrier_try_parity(address, parity, site);
}

uint64_t tilefold_sim_mapa(uint64_t address, uint32_t rank, uint32_t site) {
  ClusterRun &run = ClusterRun::current();
  if (rank >= run.blocks.size()) {
    run.report(FindingKind::IllegalOperand, uint16_t(site), ClusterRun::thread(),
               "mapa to block " + std::to_string(rank) + " of a cluster of " + std::to_string(run.blocks.size()));
    return address;
  }
  return sharedOffset(uint32_t(address)) | uint64_t(rank + 1) << kRankShift;
}
