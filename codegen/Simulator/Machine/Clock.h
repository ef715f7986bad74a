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

private:
  std::vector<uint32_t> entries;
};

/// What a thread knows to have happened: in its own cluster, as the async proxy sees it, and in other clusters. The last is
/// empty unless clusters synchronise through atomics in global memory.
struct Knowledge {
  VectorClock clock;
  VectorClock async; ///< generic writes up to here are visible to the async proxy: a proxy fence copies `clock` to it
  std::shared_ptr<const std::map<uint32_t, VectorClock>> others; ///< by run

  void join(const Knowledge &other) {
    clock.join(other.clock);
    async.join(other.async);
    joinOthers(other.others);
  }
  /// Whether operation `count` of `actor` in cluster `run` happened before; `own` is the cluster that asks.
  bool knows(uint32_t own, uint32_t run, ActorId actor, uint32_t count) const {
    if (run == own)
      return count <= clock[actor];
    if (!others)
      return false;
    auto found = others->find(run);
    return found != others->end() && count <= found->second[actor];
  }
  /// What another cluster learns from a thread of cluster `own`, and the way back.
  Knowledge exported(uint32_t own) const {
    auto all = std::make_shared<std::map<uint32_t, VectorClock>>();
    if (others)
      *all = *others;
    (*all)[own].join(clock);
    Knowledge result;
    result.others = std::move(all);
    return result;
  }
  void import(uint32_t own, const Knowledge &exportedOnes) {
    if (!exportedOnes.others)
      return;
    joinOthers(exportedOnes.others);
    if (auto mine = exportedOnes.others->find(own); mine != exportedOnes.others->end())
      clock.join(mine->second);
  }

private:
  void joinOthers(const std::shared_ptr<const std::map<uint32_t, VectorClock>> &more) {
    if (!more || more == others)
      return;
    auto all = std::make_shared<std::map<uint32_t, VectorClock>>(*more);
    if (others)
      for (const auto &[run, clock] : *others)
        (*all)[run].join(clock);
    others = std::move(all);
  }
};

} // namespace tilefold::sim
