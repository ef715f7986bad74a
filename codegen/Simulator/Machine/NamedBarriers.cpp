// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bar.sync, bar.arrive, bar.red, barrier.cluster, and the registers that warpgroups pass on with setmaxnreg.
#include "codegen/Simulator/Machine/ClusterRun.h"
#include <algorithm>
#include <bit>

using namespace tilefold::sim;

static constexpr uint32_t kNamedBarriers = 16;

static void noteLane(NamedBarrier &barrier, const Thread &thread, uint16_t site) {
  const uint32_t lane = 1u << thread.lane();
  auto isOurs = [&](const NamedBarrier::Part &part) {
    return part.warp == thread.warp() && part.site == site && !(part.lanes & lane);
  };
  auto part = std::find_if(barrier.parts.begin(), barrier.parts.end(), isOurs);
  if (part == barrier.parts.end())
    part = barrier.parts.insert(part, {thread.warp(), 0, site});
  part->lanes |= lane;
}

/// bar.sync and its kin are aligned: all lanes of a warp make the same one together. Lanes that have ended are excused.
static void checkWarps(const NamedBarrier &barrier, const Block &block, uint32_t id) {
  ClusterRun &run = ClusterRun::current();
  for (const NamedBarrier::Part &part : barrier.parts) {
    const Warp &warp = block.warps[part.warp];
    uint32_t missing = 0;
    for (uint32_t lane = 0; lane < warp.size; ++lane)
      missing += !(part.lanes >> lane & 1) && run.threads[warp.firstThread + lane].state != Thread::State::Exited;
    if (!missing)
      continue;
    const Thread &first = run.threads[warp.firstThread + uint32_t(std::countr_zero(part.lanes))];
    run.report(FindingKind::Divergence, part.site, first,
               "barrier " + std::to_string(id) + " is complete, and " + std::to_string(missing) +
                   " threads of this thread's warp have not come to it by the same operation");
  }
}

/// One thread comes to a barrier. If it waits, it returns when `threads` have come, with `truths` set to how many of them had
/// a true predicate.
static void come(uint32_t id, uint32_t threads, uint16_t site, bool waits, bool predicate, uint32_t *truths) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  Block &block = run.blockOf(self);
  const uint32_t all = run.launch.options.threads;
  run.countInstruction(site);
  auto refuse = [&](std::string text) { run.report(FindingKind::IllegalOperand, site, self, std::move(text)); };
  if (id >= kNamedBarriers)
    return refuse("barrier " + std::to_string(id) + ", expected 0 to 15");
  if (threads % 32 || (!threads && !waits))
    return refuse("a barrier of " + std::to_string(threads) + " threads, expected a multiple of 32");
  if (threads > (all + 31) / 32 * 32)
    return refuse("a barrier of " + std::to_string(threads) + " threads in a block of " + std::to_string(all));
  const uint32_t expected = threads ? std::min(threads, all) : all;
  NamedBarrier &barrier = block.barriers[id];
  if (barrier.arrived && barrier.expected != expected)
    refuse("barrier " + std::to_string(id) + " with " + std::to_string(expected) + " threads, while others wait there for " +
           std::to_string(barrier.expected));
  if (!barrier.arrived)
    barrier.expected = expected;
  barrier.knowledge.join(self.known);
  run.publish(self);
  barrier.truths += predicate;
  noteLane(barrier, self, site);
  if (++barrier.arrived < barrier.expected) {
    if (!waits)
      return;
    barrier.waiting.push_back({self.actor, truths});
    return run.sleep({Wait::Barrier, site, id});
  }
  checkWarps(barrier, block, id);
  NamedBarrier complete = std::move(barrier);
  barrier = {};
  ++run.counts.barriers;
  ++run.progress;
  for (const NamedBarrier::Waiter &waiter : complete.waiting) {
    Thread &thread = run.threads[waiter.thread];
    thread.known.join(complete.knowledge);
    if (waiter.truths)
      *waiter.truths = complete.truths;
    run.wake(thread);
  }
  if (waits)
    self.known.join(complete.knowledge);
  if (truths)
    *truths = complete.truths;
  run.rejoin();
}

void tilefold_sim_barrier(uint32_t id, uint32_t threads, uint32_t site) {
  come(id, threads, uint16_t(site), true, false, nullptr);
}

void tilefold_sim_barrier_arrive(uint32_t id, uint32_t threads, uint32_t site) {
  come(id, threads, uint16_t(site), false, false, nullptr);
}

uint32_t tilefold_sim_barrier_reduce(uint32_t kind, uint32_t id, uint32_t threads, uint32_t predicate, uint32_t site) {
  uint32_t truths = 0;
  come(id, threads, uint16_t(site), true, predicate != 0, &truths);
  const uint32_t all = ClusterRun::current().launch.options.threads;
  switch (Reduction(kind)) {
  case Reduction::Or:
    return truths != 0;
  case Reduction::And:
    return truths == (threads ? std::min(threads, all) : all);
  default:
    return truths;
  }
}

void tilefold_sim_cluster_barrier(uint32_t kind, uint32_t site) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  ClusterBarrier &barrier = run.clusterBarrier;
  run.countInstruction(uint16_t(site));
  if (Cluster(kind) == Cluster::Wait) {
    if (barrier.waits[self.actor] == barrier.arrivals[self.actor])
      return run.report(FindingKind::IllegalOperand, uint16_t(site), self,
                        "waits at the cluster's barrier without having arrived since its last wait");
    ++barrier.waits[self.actor];
    while (barrier.phase < barrier.arrivals[self.actor]) {
      barrier.waiting.push_back(self.actor);
      run.sleep({Wait::ClusterBarrier, uint16_t(site)});
    }
    self.known.join(barrier.lastKnowledge);
    return;
  }
  if (barrier.arrivals[self.actor] > barrier.waits[self.actor])
    return run.report(FindingKind::IllegalOperand, uint16_t(site), self,
                      "arrives at the cluster's barrier twice without a wait between");
  ++barrier.arrivals[self.actor];
  if (Cluster(kind) == Cluster::Arrive) {
    barrier.knowledge.join(self.known);
    run.publish(self);
  }
  if (++barrier.arrived < run.threads.size())
    return;
  barrier.arrived = 0;
  ++barrier.phase;
  ++run.counts.barriers;
  ++run.progress;
  barrier.lastKnowledge = barrier.knowledge;
  for (uint32_t thread : std::exchange(barrier.waiting, {}))
    run.wake(run.threads[thread]);
}

void tilefold_sim_set_max_registers(uint32_t count, uint32_t increase, uint32_t site) {
  struct Arguments {
  } own;
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  Warpgroup &group = run.warpgroupOf(self);
  Block &block = run.blockOf(self);
  run.meet(group, Wait::Warpgroup, ~0u, uint16_t(site), own, [](Arguments *const *) {});
  auto refuse = [&](std::string text) { run.report(FindingKind::IllegalOperand, uint16_t(site), self, std::move(text)); };
  if (count % 8 || count < 24 || count > 256)
    return refuse("setmaxnreg to " + std::to_string(count) + ", expected a multiple of 8 from 24 to 256");
  // The first thread acts for its warpgroup; the others see the result.
  if (self.index % 128) {
    while (group.registers != count && increase)
      run.sleep({Wait::Registers, uint16_t(site), count});
    return;
  }
  if (increase ? count < group.registers : count > group.registers)
    return refuse(std::string("setmaxnreg.") + (increase ? "inc" : "dec") + " to " + std::to_string(count) + " from " +
                  std::to_string(group.registers));
  while (increase && (count - group.registers) * group.size > block.freeRegisters)
    run.sleep({Wait::Registers, uint16_t(site), count});
  block.freeRegisters += (group.registers - count) * group.size; // wraps around to a subtraction when it grows
  group.registers = count;
  for (Thread &thread : run.threads)
    if (thread.block == self.block && thread.wait.kind == Wait::Registers)
      run.wake(thread);
}
