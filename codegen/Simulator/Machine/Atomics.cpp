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

/// Who sees a release: the threads of a block, of a cluster, or all. An operation of one scope takes part in the smaller ones too.
static uint32_t levelOf(Scope scope) { return std::min(uint32_t(scope), kScopeLevels - 1); }

/// What has been released at the address to those around the thread, on one level.
static Knowledge &releasedAt(ClusterRun &run, const Target &target, uint32_t level) {
  Thread &self = ClusterRun::thread();
  if (target.space == Space::Global) {
    const uint32_t block = run.blockOf(self).index;
    const uint32_t around[kScopeLevels] = {block, block / run.launch.options.cluster, 0};
    return run.launch.atomics.released[{target.address, level, around[level]}];
  }
  ClusterRun::SharedPlace place = run.findShared(self, target.space, uint32_t(target.address), target.site);
  Block &block = place.block ? *place.block : run.blockOf(self);
  return block.released[{place.offset, level, level ? 0 : self.block}];
}

/// Makes one atomic operation: `perform` gets the value and returns what to write, if anything. The value that was read.
static uint64_t atomically(const Target &target, bool isRead, const std::function<std::optional<uint64_t>(uint64_t)> &perform) {
  ClusterRun &run = ClusterRun::current();
  Thread &self = ClusterRun::thread();
  run.countInstruction(target.site);
  // Looking at the same place again and again is waiting: others must be able to go on.
  if (isRead) {
    static constexpr uint32_t kMostLooks = 16; // a loop may look at several places
    if (self.looks && (self.lastAtomicSite == target.site || self.looks == kMostLooks)) {
      run.poll(target.site, target.space == Space::Global);
      self.looks = 0;
    }
    ++self.looks;
    self.lastAtomicSite = target.site;
  }
  std::lock_guard lock(run.launch.atomics.mutex);
  ClusterRun::Request request = run.byThread(self, target.site);
  request.atomic = true;
  request.scope = target.scope;
  uint64_t before = 0;
  uint8_t *at = run.access(target.space, target.address, target.bytes, target.bytes, /*isWrite=*/false, request);
  std::memcpy(&before, at, target.bytes);
  if (isRead)
    for (uint32_t level = 0; level <= levelOf(target.scope); ++level)
      (acquires(target.order) ? self.known : self.unfenced[level]).import(run.run, releasedAt(run, target, level));
  std::optional<uint64_t> after = perform(before);
  if (!after)
    return before;
  at = run.access(target.space, target.address, target.bytes, target.bytes, /*isWrite=*/true, request);
  std::memcpy(at, &*after, target.bytes);
  ++run.progress;
  for (uint32_t level = 0; level < kScopeLevels; ++level) {
    Knowledge &released = releasedAt(run, target, level);
    if (!isRead)
      released = {}; // a store ends what was released before; a read-modify-write continues it
    if (level <= levelOf(target.scope))
      released.join(releases(target.order) ? self.known.exported(run.run) : self.fenced[level]);
  }
  if (releases(target.order))
    run.publish(self);
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
    for (uint32_t level = 0; level < (Fence(kind) == Fence::Block ? 1 : kScopeLevels); ++level) {
      self.known.join(self.unfenced[level]);
      self.fenced[level] = self.known.exported(run.run);
    }
    return run.publish(self);
  case Fence::ProxyAsync:
  case Fence::ProxyAsyncShared:
  case Fence::ProxyAsyncGlobal:
    self.known.fence(Fence(kind) != Fence::ProxyAsyncGlobal, Fence(kind) != Fence::ProxyAsyncShared);
    run.publish(self); // what the thread writes from here on is not fenced
    return fenceMbarriers();
  case Fence::MbarrierInit:
    return fenceMbarriers();
  }
}
