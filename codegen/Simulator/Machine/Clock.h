// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Happens-before by vector clocks (Fidge, Mattern; the checks on memory are those of FastTrack, Flanagan and Freund 2009).
// An *actor* is whatever touches memory in an order of its own: a thread, or an engine that works beside the threads. An engine
// counts its operations; who waits for one of them raises the engine's entry in its own clock.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace tilefold::sim {

using ActorId = uint16_t;

/// How far each actor of a cluster had come, as far as somebody knows. Entries that are not there are 0.
class VectorClock {
public:
  uint32_t operator[](ActorId actor) const { return actor < entries.size() ? entries[actor] : 0; }
  void raise(ActorId actor, uint32_t value) {
    if (actor >= entries.size())
      entries.resize(actor + 1u, 0);
    entries[actor] = std::max(entries[actor], value);
  }
  void join(const VectorClock &other) {
    if (other.entries.size() > entries.size())
      entries.resize(other.entries.size(), 0);
    for (size_t i = 0; i < other.entries.size(); ++i)
      entries[i] = std::max(entries[i], other.entries[i]);
  }
  /// Whether everything that `other` knows is known here.
  bool covers(const VectorClock &other) const {
    for (size_t i = 0; i < other.entries.size(); ++i)
      if (other.entries[i] > (*this)[ActorId(i)])
        return false;
    return true;
  }

private:
  std::vector<uint32_t> entries;
};

/// What has happened in one cluster, and which generic writes to shared and to global memory the async proxy sees.
struct Clocks {
  VectorClock clock, fencedShared, fencedGlobal;

  void join(const Clocks &other) {
    clock.join(other.clock);
    fencedShared.join(other.fencedShared);
    fencedGlobal.join(other.fencedGlobal);
  }
  /// A proxy fence: the async proxy sees all that has happened.
  void fence(bool shared, bool global) {
    if (shared)
      fencedShared.join(clock);
    if (global)
      fencedGlobal.join(clock);
  }
};

/// What a thread knows to have happened: in its own cluster, and in others. The latter is empty unless clusters synchronise
/// through atomics in global memory.
struct Knowledge : Clocks {
  using Others = std::map<uint32_t, Clocks>; ///< by run
  std::shared_ptr<const Others> others;

  void join(const Knowledge &other) {
    Clocks::join(other);
    joinOthers(other.others);
  }
  void fence(bool shared, bool global) {
    Clocks::fence(shared, global);
    if (!others || !global)
      return;
    auto all = std::make_shared<Others>(*others);
    for (auto &[run, clocks] : *all)
      clocks.fence(shared, global);
    others = std::move(all);
  }
  /// Whether a proxy fence lies between a write that happened before and now.
  bool isFenced(uint32_t own, uint32_t run, ActorId actor, uint32_t count, bool shared) const {
    const Clocks *clocks = of(own, run);
    return clocks && count <= (shared ? clocks->fencedShared : clocks->fencedGlobal)[actor];
  }
  /// Whether operation `count` of `actor` in cluster `run` happened before; `own` is the cluster that asks.
  bool knows(uint32_t own, uint32_t run, ActorId actor, uint32_t count) const {
    const Clocks *clocks = of(own, run);
    return clocks && count <= clocks->clock[actor];
  }
  /// What another cluster learns from a thread of cluster `own`, and the way back.
  Knowledge exported(uint32_t own) const {
    auto all = others ? std::make_shared<Others>(*others) : std::make_shared<Others>();
    (*all)[own].join(*this);
    Knowledge result;
    result.others = std::move(all);
    return result;
  }
  void import(uint32_t own, const Knowledge &exportedOnes) {
    if (!exportedOnes.others)
      return;
    joinOthers(exportedOnes.others);
    if (auto mine = exportedOnes.others->find(own); mine != exportedOnes.others->end())
      Clocks::join(mine->second);
  }

private:
  const Clocks *of(uint32_t own, uint32_t run) const {
    if (run == own)
      return this;
    if (!others)
      return nullptr;
    auto found = others->find(run);
    return found == others->end() ? nullptr : &found->second;
  }
  void joinOthers(const std::shared_ptr<const Others> &more) {
    if (!more || more == others)
      return;
    auto all = std::make_shared<Others>(*more);
    if (others)
      for (const auto &[run, clocks] : *others)
        (*all)[run].join(clocks);
    others = std::move(all);
  }
};

} // namespace tilefold::sim
