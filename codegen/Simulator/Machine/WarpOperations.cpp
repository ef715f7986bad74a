// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that the lanes of a warp make together, and what a thread asks about itself.
#include "codegen/Simulator/Machine/ApproximateMath.h"
#include "codegen/Simulator/Machine/ClusterRun.h"
#include "codegen/Simulator/Machine/Fragments.h"
#include <algorithm>

using namespace tilefold::sim;

static constexpr uint32_t kAllLanes = ~0u;

/// The lanes of `mask` that have not ended.
template <class Arguments, class Perform>
static void together(uint32_t mask, uint32_t site, Arguments &own, Perform perform, bool excusesEnded = true) {
  ClusterRun &run = ClusterRun::current();
  run.meet(run.warpOf(ClusterRun::thread()), Wait::Warp, mask, uint16_t(site), own, perform, excusesEnded);
}

/// The whole warp, whose 32 lanes an operation on fragments needs.
template <class Arguments, class Perform> static bool wholeWarp(uint32_t site, Arguments &own, Perform perform) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  if (run.warpOf(self).size != warpSize) {
    run.report(FindingKind::IllegalOperand, uint16_t(site), self, "an operation of 32 lanes in a warp that has fewer");
    return false;
  }
  together(kAllLanes, site, own, perform, /*excusesEnded=*/false);
  return true;
}

uint32_t tilefold_sim_register(uint32_t name, uint32_t) {
  ClusterRun &run = ClusterRun::current();
  const Thread &self = ClusterRun::thread();
  const LaunchOptions &options = run.launch.options;
  const uint32_t block = run.blockOf(self).index, lane = self.lane();
  switch (Register(name)) {
  case Register::TidX: return self.index;
  case Register::NtidX: return options.threads;
  case Register::CtaidX: return block;
  case Register::NctaidX: return options.blocks;
  case Register::TidY: case Register::TidZ: case Register::CtaidY: case Register::CtaidZ: return 0;
  case Register::NtidY: case Register::NtidZ: case Register::NctaidY: case Register::NctaidZ: return 1;
  case Register::LaneId: return lane;
  case Register::WarpId: return self.warp();
  case Register::NwarpId: return uint32_t(run.blockOf(self).warps.size());
  case Register::SmId: return block % 132;
  case Register::NsmId: return 132;
  case Register::ClusterIdX: return block / options.cluster;
  case Register::NclusterIdX: return options.blocks / options.cluster;
  case Register::ClusterCtaidX: case Register::ClusterCtaRank: return self.block;
  case Register::ClusterNctaidX: case Register::ClusterNctaRank: return options.cluster;
  case Register::LanemaskEq: return 1u << lane;
  case Register::LanemaskLt: return (1u << lane) - 1;
  case Register::LanemaskLe: return (2u << lane) - 1;
  case Register::LanemaskGt: return ~((2u << lane) - 1);
  case Register::LanemaskGe: return ~((1u << lane) - 1);
  case Register::Clock: return uint32_t(run.progress);
  }
  return 0;
}

uint64_t tilefold_sim_clock(uint32_t) { return ClusterRun::current().progress; }

float tilefold_sim_approximate(uint32_t kind, float operand, uint32_t) { return approximate(Approximate(kind), operand); }

void tilefold_sim_trap(uint32_t cause, uint32_t site) {
  const char *text = TrapCause(cause) == TrapCause::Division ? "divides by zero, or the least integer by -1: IR leaves the result open"
                                                             : "executes a trap instruction";
  ClusterRun::current().report(FindingKind::Trap, uint16_t(site), ClusterRun::thread(), text);
}

void tilefold_sim_round(uint32_t site) {
  // After so many rounds the loop is taken to wait for another thread's write; there may be none.
  static constexpr uint32_t kMostRounds = 1 << 24;
  Thread &self = ClusterRun::thread();
  if (self.rounds == kMostRounds)
    return ClusterRun::current().poll(uint16_t(site), /*onGlobalMemory=*/true);
  ++self.rounds;
}

uint32_t tilefold_sim_shuffle(uint32_t kind, uint32_t mask, uint32_t value, uint32_t b, uint32_t c, uint32_t *inRange, uint32_t site) {
  struct Arguments {
    uint32_t value, b, c, result, inRange;
    bool readsOutsideMask;
  } own{value, b, c, value, 0, false};
  together(mask, site, own, [&](Arguments *const *lanes) {
    const uint32_t size = ClusterRun::current().warpOf(ClusterRun::thread()).size;
    for (uint32_t lane = 0; lane < size; ++lane) {
      if (!lanes[lane])
        continue;
      Arguments &at = *lanes[lane];
      // PTX: bits 12-8 of c are the segment's mask, bits 4-0 clamp the source lane.
      const uint32_t segment = at.c >> 8 & 31, clamp = at.c & 31, offset = at.b & 31;
      const uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment;
      int32_t source = 0;
      switch (Shuffle(kind)) {
      case Shuffle::Up: source = int32_t(lane - offset); at.inRange = source >= int32_t(most); break;
      case Shuffle::Down: source = int32_t(lane + offset); at.inRange = source <= int32_t(most); break;
      case Shuffle::Bfly: source = int32_t(lane ^ offset); at.inRange = source <= int32_t(most); break;
      case Shuffle::Idx: source = int32_t(least | (offset & ~segment)); at.inRange = source <= int32_t(most); break;
      }
      if (!at.inRange)
        source = int32_t(lane);
      at.readsOutsideMask = uint32_t(source) >= size || !lanes[source];
      if (!at.readsOutsideMask)
        at.result = lanes[source]->value;
    }
  });
  if (own.readsOutsideMask)
    ClusterRun::current().report(FindingKind::IllegalOperand, uint16_t(site), ClusterRun::thread(),
                                 "shuffles a value from a lane that takes no part");
  if (inRange)
    *inRange = own.inRange;
  return own.result;
}

uint32_t tilefold_sim_vote(uint32_t kind, uint32_t mask, uint32_t predicate, uint32_t site) {
  struct Arguments {
    bool predicate;
    uint32_t ballot, voters;
  } own{predicate != 0, 0, 0};
  together(mask, site, own, [&](Arguments *const *lanes) {
    uint32_t ballot = 0, voters = 0;
    const uint32_t size = ClusterRun::current().warpOf(ClusterRun::thread()).size;
    for (uint32_t lane = 0; lane < size; ++lane)
      if (lanes[lane]) {
        voters |= 1u << lane;
        ballot |= uint32_t(lanes[lane]->predicate) << lane;
      }
    for (uint32_t lane = 0; lane < size; ++lane)
      if (lanes[lane])
        lanes[lane]->ballot = ballot, lanes[lane]->voters = voters;
  });
  switch (Vote(kind)) {
  case Vote::All: return own.ballot == own.voters;
  case Vote::Any: return own.ballot != 0;
  case Vote::Uni: return own.ballot == own.voters || !own.ballot;
  case Vote::Ballot: return own.ballot;
  }
  return 0;
}

static uint32_t reduce(Reduction kind, uint32_t a, uint32_t b) {
  switch (kind) {
  case Reduction::Add: return a + b;
  case Reduction::Min: return uint32_t(std::min(int32_t(a), int32_t(b)));
  case Reduction::Max: return uint32_t(std::max(int32_t(a), int32_t(b)));
  case Reduction::UMin: return std::min(a, b);
  case Reduction::UMax: return std::max(a, b);
  case Reduction::And: return a & b;
  case Reduction::Or: return a | b;
  case Reduction::Xor: return a ^ b;
  }
  return 0;
}

uint32_t tilefold_sim_redux(uint32_t kind, uint32_t mask, uint32_t value, uint32_t site) {
  struct Arguments {
    uint32_t value;
  } own{value};
  together(mask, site, own, [&](Arguments *const *lanes) {
    const uint32_t size = ClusterRun::current().warpOf(ClusterRun::thread()).size;
    bool first = true;
    uint32_t result = 0;
    for (uint32_t lane = 0; lane < size; ++lane)
      if (lanes[lane]) {
        result = first ? lanes[lane]->value : reduce(Reduction(kind), result, lanes[lane]->value);
        first = false;
      }
    for (uint32_t lane = 0; lane < size; ++lane)
      if (lanes[lane])
        lanes[lane]->value = result;
  });
  return own.value;
}

uint32_t tilefold_sim_elect(uint32_t mask, uint32_t site) {
  struct Arguments {
    bool isElected;
  } own{false};
  together(mask, site, own, [](Arguments *const *lanes) {
    (*std::find_if(lanes, lanes + warpSize, [](const Arguments *lane) { return lane; }))->isElected = true;
  });
  return own.isElected;
}

void tilefold_sim_warp_sync(uint32_t mask, uint32_t site) {
  struct Arguments {
    Thread *thread;
  } own{&ClusterRun::thread()};
  // Orders memory among those that take part.
  together(mask, site, own, [](Arguments *const *lanes) {
    ClusterRun &run = ClusterRun::current();
    const uint32_t size = run.warpOf(ClusterRun::thread()).size;
    Knowledge all;
    for (uint32_t lane = 0; lane < size; ++lane)
      if (lanes[lane])
        all.join(lanes[lane]->thread->known);
    for (uint32_t lane = 0; lane < size; ++lane)
      if (lanes[lane]) {
        lanes[lane]->thread->known.join(all);
        run.publish(*lanes[lane]->thread);
      }
  });
}

/// The rows of `count` matrices, whose addresses the first 8 * count lanes give.
template <class Arguments>
static void findRows(Arguments *const *lanes, uint32_t count, bool isWrite, uint16_t site, uint8_t **rows) {
  static constexpr uint32_t kRowBytes = 16;
  ClusterRun &run = ClusterRun::current();
  for (uint32_t i = 0; i < 8 * count; ++i) {
    ClusterRun::Request request = run.byThread(*lanes[i]->thread, site);
    rows[i] = run.access(Space::Shared, lanes[i]->address, kRowBytes, kRowBytes, isWrite, request);
  }
}

void tilefold_sim_ldmatrix(uint32_t address, uint32_t count, uint32_t transposed, uint32_t *registers, uint32_t site) {
  struct Arguments {
    Thread *thread;
    uint32_t address;
    uint32_t *registers;
  } own{&ClusterRun::thread(), address, registers};
  wholeWarp(site, own, [&](Arguments *const *lanes) {
    uint8_t *rows[warpSize] = {};
    uint32_t *all[warpSize];
    findRows(lanes, count, false, uint16_t(site), rows);
    for (uint32_t lane = 0; lane < warpSize; ++lane)
      all[lane] = lanes[lane]->registers;
    loadMatrices(count, transposed, reinterpret_cast<const void *const *>(rows), all);
  });
}

void tilefold_sim_stmatrix(uint32_t address, uint32_t count, uint32_t transposed, const uint32_t *registers, uint32_t site) {
  struct Arguments {
    Thread *thread;
    uint32_t address;
    const uint32_t *registers;
  } own{&ClusterRun::thread(), address, registers};
  wholeWarp(site, own, [&](Arguments *const *lanes) {
    uint8_t *rows[warpSize] = {};
    const uint32_t *all[warpSize];
    findRows(lanes, count, true, uint16_t(site), rows);
    for (uint32_t lane = 0; lane < warpSize; ++lane)
      all[lane] = lanes[lane]->registers;
    storeMatrices(count, transposed, reinterpret_cast<void *const *>(rows), all);
  });
}

void tilefold_sim_mma(uint32_t k, uint32_t operands, const uint32_t *a, const uint32_t *b, const float *c, float *d, uint32_t site) {
  struct Arguments {
    const uint32_t *a, *b;
    const float *c;
    float *d;
  } own{a, b, c, d};
  wholeWarp(site, own, [&](Arguments *const *lanes) {
    const uint32_t *as[warpSize], *bs[warpSize];
    const float *cs[warpSize];
    float *ds[warpSize];
    for (uint32_t lane = 0; lane < warpSize; ++lane)
      as[lane] = lanes[lane]->a, bs[lane] = lanes[lane]->b, cs[lane] = lanes[lane]->c, ds[lane] = lanes[lane]->d;
    multiplyFragments(k, Number(operands), as, bs, cs, ds);
  });
}
