// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations and fences: the ways in which threads, also of different blocks, order their accesses to memory. What a
// release makes known is kept by address until an acquire reads it.
#include "codegen/Simulator/Machine/ClusterRun.h"
#include <bit>
#include <cstring>
#include <functional>
#include <optional>

using namespace tilefold::sim;

static bool acquires(Order order) { return order == Order::Acquire || order == Order::AcquireRelease; }
static bool releases(Order order) { return order == Order::Release || order == Order::AcquireRelease; }

namespace {
struct Target {
  Space space;
  uint64_t address;
  uint32_t bytes;
  Order order;
  Scope scope;
  uint16_t site;
};
} // namespace

/// What is released at the address, for those whom the operation's scope covers.
static Knowledge &releasedAt(ClusterRun &run, const Target &target) {
  Thread &self = ClusterRun::thread();
  if (target.space == Space::Global) {
    int64_t block = target.scope == Scope::Block ? int64_t(run.blockOf(self).index) : -1;
    return run.launch.atomics.released[{target.address, block}];
  }
  ClusterRun::SharedPlace place = run.findShared(self, target.space, uint32_t(target.address), target.site);
  Block &block = place.block ? *place.block : run.blockOf(self);
  return block.released[place.offset];
}

/// Makes one atomic operation: `perform` gets the value and returns what to write, if anything. The value that was read.
static uint64_t atomically(const Target &target, bool isRead, const std::function<std::optional<uint64_t>(uint64_t)> &perform) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  run.countInstruction(target.site);
  // Looking at the same place again and again is waiting: others must be able to go on.
  if (isRead) {
    if (self.looksAgain && self.lastAtomicSite == target.site)
      run.poll(target.site, target.space == Space::Global);
    self.looksAgain = true;
    self.lastAtomicSite = target.site;
  }
  std::lock_guard lock(run.launch.atomics.mutex);
  ClusterRun::Request request = run.byThread(self, target.site);
  request.atomic = true;
  uint64_t before = 0;
  uint8_t *at = run.access(target.space, target.address, target.bytes, target.bytes, /*isWrite=*/false, request);
  std::memcpy(&before, at, target.bytes);
  Knowledge &released = releasedAt(run, target);
  if (isRead) {
    if (acquires(target.order))
      self.known.import(run.run, released);
    else
      self.unfenced.import(run.run, released);
  }
  std::optional<uint64_t> after = perform(before);
  if (!after)
    return before;
  at = run.access(target.space, target.address, target.bytes, target.bytes, /*isWrite=*/true, request);
  std::memcpy(at, &*after, target.bytes);
  ++run.progress;
  if (!isRead)
    released = {}; // a store ends what was released before; a read-modify-write continues it
  if (releases(target.order)) {
    released.join(self.known.exported(run.run));
    run.publish(self);
  } else {
    released.join(self.fenced);
  }
  return before;
}

uint64_t tilefold_sim_atomic(uint32_t kind, uint32_t space, uint64_t address, uint64_t operand, uint32_t bytes, uint32_t order,
                             uint32_t scope, uint32_t site) {
  Target target{Space(space), address, bytes, Order(order), Scope(scope), uint16_t(site)};
  auto add = [&](uint64_t before) -> uint64_t {
    if (bytes == 8)
      return std::bit_cast<uint64_t>(std::bit_cast<double>(before) + std::bit_cast<double>(operand));
    return std::bit_cast<uint32_t>(std::bit_cast<float>(uint32_t(before)) + std::bit_cast<float>(uint32_t(operand)));
  };
  auto isLess = [&](uint64_t a, uint64_t b) { return bytes == 8 ? int64_t(a) < int64_t(b) : int32_t(a) < int32_t(b); };
  return atomically(target, true, [&](uint64_t before) -> std::optional<uint64_t> {
    switch (Atomic(kind)) {
    case Atomic::Add: return before + operand;
    case Atomic::FAdd: return add(before);
    case Atomic::And: return before & operand;
    case Atomic::Or: return before | operand;
    case Atomic::Xor: return before ^ operand;
    case Atomic::Exchange: return operand;
    case Atomic::Min: return isLess(before, operand) ? before : operand;
    case Atomic::Max: return isLess(before, operand) ? operand : before;
    case Atomic::UMin: return std::min(before, operand);
    case Atomic::UMax: return std::max(before, operand);
    }
    return std::nullopt;
  });
}

uint64_t tilefold_sim_compare_exchange(uint32_t space, uint64_t address, uint64_t expected, uint64_t desired, uint32_t bytes,
                                       uint32_t order, uint32_t scope, uint32_t site) {
  Target target{Space(space), address, bytes, Order(order), Scope(scope), uint16_t(site)};
  return atomically(target, true, [&](uint64_t before) -> std::optional<uint64_t> {
    if (before == expected)
      return desired;
    return std::nullopt;
  });
}

uint64_t tilefold_sim_atomic_load(uint32_t space, uint64_t address, uint32_t bytes, uint32_t order, uint32_t scope, uint32_t site) {
  Target target{Space(space), address, bytes, Order(order), Scope(scope), uint16_t(site)};
  return atomically(target, true, [](uint64_t) { return std::nullopt; });
}

void tilefold_sim_atomic_store(uint32_t space, uint64_t address, uint64_t value, uint32_t bytes, uint32_t order, uint32_t scope,
                               uint32_t site) {
  Target target{Space(space), address, bytes, Order(order), Scope(scope), uint16_t(site)};
  atomically(target, false, [&](uint64_t) { return value; });
}

void tilefold_sim_fence(uint32_t kind, uint32_t site) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  run.countInstruction(uint16_t(site));
  auto fenceMbarriers = [&] {
    for (Block &block : run.blocks)
      for (auto &[address, barrier] : block.mbarriers)
        barrier.fenced |= self.known.clock[barrier.initActor] >= barrier.initCount;
  };
  switch (Fence(kind)) {
  case Fence::Block:
  case Fence::Device:
    self.known.join(self.unfenced);
    self.fenced = self.known.exported(run.run);
    run.publish(self);
    return;
  case Fence::ProxyAsync:
  case Fence::ProxyAsyncShared:
  case Fence::ProxyAsyncGlobal:
    self.known.async.join(self.known.clock);
    return fenceMbarriers();
  case Fence::MbarrierInit:
    return fenceMbarriers();
  }
}
