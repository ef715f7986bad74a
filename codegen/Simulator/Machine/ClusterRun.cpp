// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Machine/ClusterRun.h"
#include <algorithm>

namespace tilefold::sim {

static thread_local ClusterRun *running = nullptr;
static thread_local Thread *runningThread = nullptr;

ClusterRun &ClusterRun::current() { return *running; }
Thread &ClusterRun::thread() { return *runningThread; }

/// Runs are numbered through the process, so that notes in shadow memory of earlier launches can be told apart.
static std::atomic<uint32_t> nextRun{1};
uint32_t ClusterRun::nextRunNumber() { return nextRun.load(); }

static constexpr uint32_t kRegisterFile = 65536;

/// Registers that the compiler may give a thread, before any setmaxnreg: the file divided by the threads, in steps of eight.
static uint32_t registersAtEntry(uint32_t threads) { return std::min<uint32_t>(kRegisterFile / threads / 8 * 8, 256); }

ClusterRun::ClusterRun(const Launch &launch, uint32_t firstBlock, StackPool &stacks)
    : launch(launch), run(nextRun++), random(launch.options.seed * 0x9e3779b97f4a7c15u + firstBlock),
      stepping(launch.options.completion == Completion::Random ? uint32_t(random() % 3) : 0),
      siteCounts(launch.kernel.places.size()), laneCounts(siteCounts.size()), turnCounts(siteCounts.size()) {
  const uint32_t blockThreads = launch.options.threads, warps = (blockThreads + 31) / 32;
  blocks.resize(launch.options.cluster);
  clusterBarrier.arrivals.resize(size_t(blockThreads) * launch.options.cluster, 0);
  clusterBarrier.waits = clusterBarrier.arrivals;
  for (uint32_t rank = 0; rank < blocks.size(); ++rank) {
    Block &block = blocks[rank];
    block.index = firstBlock + rank;
    uint32_t end = kSharedBase + launch.options.sharedBytes;
    for (uint32_t bytes : launch.kernel.staticShared) {
      end = (end + 127) / 128 * 128;
      block.staticOffsets.push_back(end);
      end += bytes;
    }
    block.bytes.assign(end, 0xff);
    block.shadow = std::make_unique<Shadow>(end, /*initialised=*/false);
    block.live = blockThreads;
    block.freeRegisters = kRegisterFile;
    block.warps.resize(warps);
    block.warpgroups.resize((blockThreads + 127) / 128);
    for (uint32_t i = 0; i < blockThreads; ++i) {
      Thread &thread = threads.emplace_back();
      thread.actor = ActorId(threads.size() - 1);
      thread.block = rank;
      thread.index = i;
      thread.known.clock.raise(thread.actor, 1);
      owners.push_back(&thread);
    }
    auto place = [&](Gang &gang, uint32_t index, uint32_t size) {
      gang.firstThread = rank * blockThreads + index * size;
      gang.size = std::min(size, blockThreads - index * size);
    };
    for (uint32_t w = 0; w < warps; ++w) {
      place(block.warps[w], w, 32);
      block.warps[w].ready = block.warps[w].size;
      readyWarps.push_back(rank * warps + w);
    }
    for (uint32_t g = 0; g < block.warpgroups.size(); ++g) {
      place(block.warpgroups[g], g, 128);
      block.warpgroups[g].registers = registersAtEntry(blockThreads);
      block.freeRegisters -= block.warpgroups[g].registers * block.warpgroups[g].size;
    }
  }
  live = uint32_t(threads.size());
  for (Thread &thread : threads)
    thread.fiber.start(stacks, [this] { this->launch.kernel.entry(this->launch.parameters); });
  counts.blocks += blocks.size();
}

ClusterRun::~ClusterRun() {
  for (size_t site = 0; site < siteCounts.size(); ++site)
    if (siteCounts[site])
      counts.instructions[launch.kernel.places[site].operation] += siteCounts[site];
  launch.report.add(counts);
}

// ---------------------------------------------------------------------------------------------------- turns

ClusterRun::Progress ClusterRun::advance() {
  running = this;
  for (;;) {
    if (launch.options.completion == Completion::Random)
      completeAtRandom();
    if (!readyWarps.empty()) {
      size_t pick = random() % readyWarps.size();
      uint32_t index = readyWarps[pick];
      uint32_t perBlock = uint32_t(blocks.front().warps.size());
      Warp &warp = blocks[index / perBlock].warps[index % perBlock];
      runWarp(warp);
      if (!warp.ready) {
        // The list may have grown meanwhile.
        auto at = std::find(readyWarps.begin(), readyWarps.end(), index);
        *at = readyWarps.back();
        readyWarps.pop_back();
      }
      continue;
    }
    if (!live) {
      while (completeOneTransfer()) {
      }
      return Progress::Finished;
    }
    if (completeOneTransfer())
      continue;
    if (resumePolling())
      continue;
    if (pollsGlobal) {
      pollsGlobal = false;
      pollsWithoutProgress = 0;
      return Progress::Stalled;
    }
    stop();
    return Progress::Finished;
  }
}

void ClusterRun::runWarp(Warp &warp) {
  for (uint32_t i = 0; i < warp.size; ++i) {
    Thread &thread = threads[warp.firstThread + i];
    if (thread.state == Thread::State::Ready)
      runThread(thread);
    for (uint16_t site : madeByLane)
      laneCounts[site] = 0;
    madeByLane.clear();
  }
  for (uint16_t site : madeInTurn)
    turnCounts[site] = 0;
  madeInTurn.clear();
  Wavefronts wavefronts = warp.banks.flush();
  counts.sharedAccesses += wavefronts.needed;
  counts.bankConflicts += wavefronts.needed - wavefronts.least;
}

void ClusterRun::runThread(Thread &thread) {
  runningThread = &thread;
  thread.fiber.resume();
  if (!thread.fiber.hasEnded())
    return;
  thread.state = Thread::State::Exited;
  --warpOf(thread).ready;
  thread.fiber.abandon();
  ++progress;
  --live;
  checkAtExit(thread);
  --blockOf(thread).live;
  excuse(warpOf(thread), thread);
}

void ClusterRun::sleep(Wait wait) {
  Thread &self = thread();
  self.wait = wait;
  self.state = Thread::State::Waiting;
  --warpOf(self).ready;
  self.fiber.yield();
  self.wait = {};
}

void ClusterRun::poll(uint16_t site, bool onGlobalMemory) {
  Thread &self = thread();
  self.wait = {Wait::Poll, site};
  self.state = Thread::State::Polling;
  pollsGlobal |= onGlobalMemory;
  --warpOf(self).ready;
  self.fiber.yield();
  self.wait = {};
}

void ClusterRun::wake(Thread &thread) {
  if (thread.state != Thread::State::Waiting && thread.state != Thread::State::Polling)
    return;
  thread.state = Thread::State::Ready;
  ++progress;
  Warp &warp = warpOf(thread);
  if (warp.ready++)
    return;
  uint32_t index = uint32_t(thread.block * blocks.front().warps.size() + thread.warp());
  // A warp whose last ready thread has just gone to sleep is still in the list.
  if (std::find(readyWarps.begin(), readyWarps.end(), index) == readyWarps.end())
    readyWarps.push_back(index);
}

/// Threads that look again and again get their turn when nobody else can have one. If nothing has changed since, they would
/// look for ever.
bool ClusterRun::resumePolling() {
  static constexpr uint64_t kRounds = 64;
  if (progress != progressAtLastPoll) {
    pollsWithoutProgress = 0;
    progressAtLastPoll = progress;
  }
  if (++pollsWithoutProgress > kRounds)
    return false;
  bool any = false;
  for (Thread &thread : threads)
    if (thread.state == Thread::State::Polling) {
      wake(thread);
      any = true;
    }
  progress = progressAtLastPoll; // waking them is none
  return any;
}

// ---------------------------------------------------------------------------------------------------- meetings

void **ClusterRun::arrive(Gang &gang, Wait::Kind kind, uint32_t mask, uint16_t site, void *own, bool excusesEnded) {
  Thread &self = thread();
  const uint32_t lane = self.actor - gang.firstThread; // actors begin with the threads
  Meeting::Members needed;
  for (uint32_t i = 0; i < gang.size; ++i)
    needed[i] = (gang.size > 32 || mask >> i & 1) &&
                !(excusesEnded && threads[gang.firstThread + i].state == Thread::State::Exited);
  if (!needed[lane]) {
    report(FindingKind::IllegalOperand, site, self, "the mask of the operation does not name the thread that makes it");
    needed[lane] = true;
  }
  auto fits = [&](const Meeting &meeting) {
    return meeting.site == site && !meeting.come[lane] && meeting.needed == needed;
  };
  auto found = std::find_if(gang.meetings.begin(), gang.meetings.end(), fits);
  if (found == gang.meetings.end()) {
    gang.meetings.push_back({site, needed, {}, std::vector<void *>(gang.size), excusesEnded});
    found = std::prev(gang.meetings.end());
  }
  found->come[lane] = true;
  found->arguments[lane] = own;
  if (found->come == found->needed)
    return takeUp(gang, found);
  sleep({kind, site});
  found = std::find_if(gang.meetings.begin(), gang.meetings.end(),
                       [&](const Meeting &meeting) { return meeting.isComplete && meeting.arguments[lane] == own; });
  return found == gang.meetings.end() ? nullptr : takeUp(gang, found);
}

void **ClusterRun::takeUp(Gang &gang, std::vector<Meeting>::iterator meeting) {
  gang.arguments.swap(meeting->arguments);
  ++siteCounts[meeting->site];
  gang.meetings.erase(meeting);
  return gang.arguments.data();
}

/// Meetings that a thread has not come to and, having ended, will not.
void ClusterRun::excuse(Gang &gang, const Thread &ended) {
  const uint32_t lane = ended.actor - gang.firstThread;
  for (Meeting &meeting : gang.meetings) {
    if (!meeting.excusesEnded || !meeting.needed[lane])
      continue;
    meeting.needed[lane] = false;
    if (meeting.come != meeting.needed)
      continue;
    meeting.isComplete = true;
    for (uint32_t i = 0; i < gang.size; ++i)
      if (meeting.come[i])
        return wake(threads[gang.firstThread + i]);
  }
}

void ClusterRun::release(Gang &gang, void **arguments) {
  for (uint32_t i = 0; i < gang.size; ++i)
    if (arguments[i])
      wake(threads[gang.firstThread + i]);
}

// ---------------------------------------------------------------------------------------------------- the end

static std::string describe(const ClusterRun &run, const Thread &thread) {
  const Wait &wait = thread.wait;
  const Block &block = run.blocks[thread.block];
  auto number = [](uint32_t value) { return std::to_string(value); };
  switch (wait.kind) {
  case Wait::Barrier: {
    const NamedBarrier &barrier = block.barriers[wait.object];
    return "barrier " + number(wait.object) + ", " + number(barrier.arrived) + " of " + number(barrier.expected) +
           " threads have arrived";
  }
  case Wait::Mbarrier: {
    auto found = block.mbarriers.find(wait.object);
    if (found == block.mbarriers.end())
      return "an mbarrier that is no more";
    const Mbarrier &barrier = found->second;
    return "the mbarrier at shared address " + number(wait.object) + ", parity " + number(wait.phase) + "; it is in phase " +
           number(barrier.phase) + " and lacks " + number(barrier.pending) + " of " + number(barrier.expected) +
           " arrivals and " + std::to_string(barrier.bytes) + " bytes";
  }
  case Wait::ClusterBarrier:
    return "the cluster's barrier, " + number(run.clusterBarrier.arrived) + " of " + number(uint32_t(run.threads.size())) +
           " threads have arrived";
  case Wait::Registers:
    return number(wait.object) + " registers a thread, " + number(block.freeRegisters) + " of the block are free";
  case Wait::Warp:
    return "the rest of its warp";
  case Wait::Warpgroup:
    return "the rest of its warpgroup";
  case Wait::Poll:
    return "a change that does not come, in a loop of very many rounds";
  case Wait::Nothing:
    break;
  }
  return "nothing";
}

void ClusterRun::stop() {
  // Threads that wait for the same thing at the same place are told of together.
  struct Group {
    const Thread *first, *last;
    uint32_t count;
    std::string text;
  };
  std::vector<Group> groups;
  bool isDivergence = false;
  for (const Thread &thread : threads) {
    if (thread.state == Thread::State::Exited)
      continue;
    isDivergence |= thread.wait.kind == Wait::Warp || thread.wait.kind == Wait::Warpgroup;
    std::string text = describe(*this, thread);
    if (!groups.empty() && groups.back().text == text && groups.back().last->wait.site == thread.wait.site &&
        groups.back().last->block == thread.block && groups.back().last->index + 1 == thread.index) {
      groups.back().last = &thread;
      ++groups.back().count;
    } else {
      groups.push_back({&thread, &thread, 1, std::move(text)});
    }
  }
  if (groups.empty())
    return;
  const Thread &first = *groups.front().first;
  Finding finding;
  finding.kind = isDivergence ? FindingKind::Divergence : FindingKind::Deadlock;
  finding.kernel = launch.kernel.name;
  finding.place = launch.kernel.places[first.wait.site];
  finding.thread = {blocks[first.block].index, first.index};
  uint32_t exited = uint32_t(threads.size()) - live;
  finding.text = isDivergence ? "an operation of a whole warp or warpgroup is not reached by all of its threads"
                              : "no thread can go on";
  for (const Group &group : groups) {
    const Place &place = launch.kernel.places[group.first->wait.site];
    std::string who = group.count == 1 ? "thread " + std::to_string(group.first->index)
                                       : "threads " + std::to_string(group.first->index) + "-" + std::to_string(group.last->index);
    finding.notes.push_back(who + " of block " + std::to_string(blocks[group.first->block].index) + (group.count == 1 ? " waits at " : " wait at ") +
                            place.text() + " for " + group.text);
  }
  if (exited)
    finding.notes.push_back(std::to_string(exited) + " threads have ended");
  launch.report.add(std::move(finding));
  launch.isStopped = true;
  for (Thread &thread : threads)
    thread.fiber.abandon();
  live = 0;
  readyWarps.clear();
}

} // namespace tilefold::sim
