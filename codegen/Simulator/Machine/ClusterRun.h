// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One cluster of blocks while it runs: its threads, how they take turns, how they meet, and the memory that they touch.
// Barriers and engines are in files of their own and use what is here.
#pragma once
#include "codegen/Simulator/Machine/Abi.h"
#include "codegen/Simulator/Machine/Banks.h"
#include "codegen/Simulator/Machine/Barriers.h"
#include "codegen/Simulator/Machine/Clock.h"
#include "codegen/Simulator/Machine/Engines.h"
#include "codegen/Simulator/Machine/Fiber.h"
#include "codegen/Simulator/Machine/Kernel.h"
#include "codegen/Simulator/Machine/Shadow.h"
#include <atomic>
#include <bitset>
#include <deque>
#include <random>

namespace tilefold::sim {

/// Scopes that order memory differently: a block, its cluster, the device and beyond.
constexpr uint32_t kScopeLevels = 3;

/// What has been released through atomics: by address, level of scope, and which block or cluster of that level.
using Releases = std::map<std::tuple<uint64_t, uint32_t, uint32_t>, Knowledge>;

struct AtomicLocations {
  std::mutex mutex; ///< held through each atomic operation
  Releases released;
};

/// What all clusters of a launch share.
struct Launch {
  const KernelCode &kernel;
  void **parameters;
  std::vector<GlobalRegion> &regions;
  const LaunchOptions &options;
  Report &report;
  AtomicLocations &atomics;
  std::atomic<bool> &isStopped; ///< a deadlock was found: going on is pointless
  uint32_t firstRun; ///< runs below belong to earlier launches
};

/// Where the dynamic shared memory of a block begins: not at 0, so that a null pointer is out of bounds.
constexpr uint32_t kSharedBase = 1024;
/// Added to a shared address, times (rank + 1), for another block of the cluster.
constexpr uint32_t kRankShift = 24;
/// Where a shared address lies in the memory of its block, whichever that is.
constexpr uint32_t sharedOffset(uint32_t address) { return address & ((1u << kRankShift) - 1); }

struct RegionShadow {
  std::mutex mutex;
  Shadow shadow;
  RegionShadow(uint64_t bytes, bool initialised) : shadow(bytes, initialised) {}
};

/// What a thread waits for.
struct Wait {
  enum Kind : uint8_t { Nothing, Warp, Warpgroup, Barrier, Mbarrier, ClusterBarrier, Registers, Poll } kind = Nothing;
  uint16_t site = 0;
  uint32_t object = 0; ///< id of a barrier, address of an mbarrier, count of registers
  uint32_t phase = 0;  ///< parity that an mbarrier is waited for
};

struct Thread {
  enum class State : uint8_t { Ready, Waiting, Polling, Exited };

  ActorId actor = 0;
  uint32_t block = 0; ///< rank in the cluster
  uint32_t index = 0; ///< in the block
  State state = State::Ready;
  Wait wait;
  Knowledge known;
  CopyEngine copies;
  BulkEngine bulk;
  Knowledge fenced[kScopeLevels];   ///< what the last fence made ready for relaxed atomics to release
  Knowledge unfenced[kScopeLevels]; ///< what relaxed atomics have read, and the next fence brings in
  uint16_t lastAtomicSite = 0; ///< where it last looked at an atomic: looking there again is a loop
  uint32_t looks = 0;          ///< at atomics, since it last let others go on
  uint32_t rounds = 0;         ///< of loops that may have no end
  Fiber fiber;

  uint32_t lane() const { return index % 32; }
  uint32_t warp() const { return index / 32; }
  uint32_t warpgroup() const { return index / 128; }
};

/// Threads at one operation, until all that it needs have come.
struct Meeting {
  using Members = std::bitset<128>;
  uint16_t site = 0;
  Members needed, come;
  std::vector<void *> arguments; ///< by member
  bool excusesEnded = false;     ///< threads that have ended are not waited for
  bool isComplete = false;       ///< because the last one that was missing ended: one of those that wait takes it up
};

/// A warp or a warpgroup: threads that do some operations together.
struct Gang {
  uint32_t firstThread = 0, size = 0; ///< of ClusterRun::threads
  std::vector<Meeting> meetings;
  std::vector<void *> arguments; ///< of the meeting that has just become complete
};

struct Warp : Gang {
  uint32_t ready = 0; ///< threads that can run
  BankCounter banks;
};

struct Warpgroup : Gang {
  WgmmaEngine wgmma;
  uint32_t registers = 0; ///< a thread
};

struct Block {
  uint32_t index = 0; ///< in the grid
  std::vector<uint8_t> bytes;
  std::unique_ptr<Shadow> shadow;
  std::vector<uint32_t> staticOffsets;
  NamedBarrier barriers[16];
  std::map<uint32_t, Mbarrier> mbarriers;  ///< by shared address
  Releases released; ///< through atomics in this shared memory
  std::vector<Warp> warps;
  std::vector<Warpgroup> warpgroups;
  uint32_t live = 0; ///< threads that have not exited
  uint32_t freeRegisters = 0;
  struct Visit {
    uint32_t count = 0;
    uint16_t site = 0;
  };
  std::map<ActorId, Visit> visits; ///< the last access to this shared memory by each thread of another block
  VectorClock ends;                ///< what the threads that have exited knew
};

class ClusterRun {
public:
  ClusterRun(const Launch &launch, uint32_t firstBlock, StackPool &stacks);
  ~ClusterRun();

  /// Runs are numbered through the process; those of a launch begin here.
  static uint32_t nextRunNumber();

  enum class Progress { Finished, Stalled };
  /// Runs until all threads have ended, or none can go on without another cluster.
  Progress advance();
  /// Reports what waits for what and gives the cluster up.
  void stop();

  // ---- for operations, on the fiber of the thread that makes them

  static ClusterRun &current();
  static Thread &thread();

  /// Suspends the thread until `wake`.
  void sleep(Wait wait);
  /// Suspends the thread until everything else has had its chance.
  void poll(uint16_t site, bool onGlobalMemory);
  void wake(Thread &thread);
  /// The last to come lets its warp go on together: instructions and bank conflicts are counted by the warp's turn.
  void rejoin() { thread().fiber.yield(); }
  /// Lets the other lanes of the warp go first. Lanes may go in step, one after the other, or anyhow: at random completion a seed
  /// decides, else they go one after the other.
  void giveWay() {
    if (stepping && random() % 2 < stepping)
      thread().fiber.yield();
  }

  /// Brings the threads of a gang together at one operation: `perform(Arguments *const *)` runs once, on the last to come, with a
  /// pointer for each thread of the gang (null for those not in `mask`). All return after it.
  template <class Arguments, class Perform>
  void meet(Gang &gang, Wait::Kind kind, uint32_t mask, uint16_t site, Arguments &own, Perform perform, bool excusesEnded = false) {
    if (void **all = arrive(gang, kind, mask, site, &own, excusesEnded)) {
      perform(reinterpret_cast<Arguments **>(all));
      release(gang, all);
      rejoin();
    }
  }

  Warp &warpOf(const Thread &thread) { return blocks[thread.block].warps[thread.warp()]; }
  Warpgroup &warpgroupOf(const Thread &thread) { return blocks[thread.block].warpgroups[thread.warpgroup()]; }
  Block &blockOf(const Thread &thread) { return blocks[thread.block]; }
  std::string name(const Block &block) const;

  /// Completes the phase of an mbarrier if nothing is missing.
  void settle(Mbarrier &barrier);

  // ---- memory

  /// The block and offset that a shared address of `space` means to `thread`, or null after a report.
  struct SharedPlace {
    Block *block = nullptr;
    uint32_t offset = 0;
  };
  SharedPlace findShared(const Thread &thread, Space space, uint32_t address, uint16_t site);
  /// Notes that the thread reaches into the memory of `block`, which must then not end before.
  void noteVisit(Block &block, const Thread &thread, uint16_t site) {
    if (&block != &blocks[thread.block])
      block.visits[thread.actor] = {thread.known.clock[thread.actor], site};
  }

  /// Checks an access and notes it; the host pointer to use. What is out of bounds leads to memory that does not matter.
  struct Request {
    const Thread *thread;       ///< who makes or issues it
    uint16_t site;
    ActorId actor;              ///< the thread's, or an engine's
    uint32_t count;             ///< of the actor
    bool asyncProxy = false, atomic = false;
    Scope scope = Scope::System; ///< of an atomic one
  };
  Access noted(const Request &request, bool shared) const;
  Request byThread(const Thread &thread, uint16_t site) const {
    return {&thread, site, thread.actor, thread.known.clock[thread.actor]};
  }
  uint8_t *access(Space space, uint64_t address, uint32_t bytes, uint32_t align, bool isWrite, const Request &request);
  uint8_t *accessShared(Block &block, uint32_t offset, uint32_t bytes, bool isWrite, const Request &request);
  uint8_t *accessGlobal(uint64_t address, uint32_t bytes, bool isWrite, const Request &request);

  /// A new actor; `owner` is the thread (or the first of the threads) it works for.
  ActorId addEngine(const Thread &owner);
  /// Ends the thread's current interval: what it does from here on is not covered by what others learn now.
  void publish(Thread &thread) { thread.known.clock.raise(thread.actor, thread.known.clock[thread.actor] + 1); }

  // ---- findings and counts

  void report(FindingKind kind, uint16_t site, const Thread &thread, std::string text);
  void reportConflict(const Conflict &conflict, const Request &request, bool isWrite, const std::string &where);
  Statistics counts;
  /// One instruction of the warp for all lanes that make it in the same turn.
  void countInstruction(uint16_t site) {
    if (!laneCounts[site]++)
      madeByLane.push_back(site);
    if (laneCounts[site] <= turnCounts[site])
      return;
    if (!turnCounts[site]++)
      madeInTurn.push_back(site);
    ++siteCounts[site];
  }

  const Launch &launch;
  const uint32_t run; ///< this cluster's number among all of the process
  std::deque<Thread> threads;
  std::vector<Block> blocks;
  ClusterBarrier clusterBarrier;
  std::vector<PendingTransfer> transfers; ///< bulk copies under way
  std::mt19937_64 random;
  const uint32_t stepping; ///< of two chances to give way, so many are taken
  uint64_t progress = 0; ///< changes whenever something happened that a polling thread could see

private:
  void **arrive(Gang &gang, Wait::Kind kind, uint32_t mask, uint16_t site, void *own, bool excusesEnded);
  void **takeUp(Gang &gang, std::vector<Meeting>::iterator meeting);
  void excuse(Gang &gang, const Thread &ended);
  void release(Gang &gang, void **arguments);
  void runWarp(Warp &warp);
  void runThread(Thread &thread);
  bool resumePolling();
  uint8_t *scratchMemory();
  /// Completes a bulk copy if one is under way; its data arrive and whoever waits for them may go on.
  bool completeOneTransfer();
  /// Sometimes completes something that could as well wait.
  void completeAtRandom();
  /// What a thread may not leave behind.
  void checkAtExit(Thread &thread);

  std::vector<uint32_t> readyWarps; ///< of all blocks: block * warps of a block + warp
  std::vector<const Thread *> owners; ///< by actor
  std::vector<uint64_t> siteCounts;
  std::vector<uint32_t> laneCounts, turnCounts; ///< by site: of the lane that runs, the most of a lane in the warp's turn
  std::vector<uint16_t> madeByLane, madeInTurn; ///< sites whose counts are not 0
  alignas(128) uint8_t scratch[4096];
  uint64_t pollsWithoutProgress = 0, progressAtLastPoll = 0;
  bool pollsGlobal = false;
  uint32_t live = 0;
};

} // namespace tilefold::sim
