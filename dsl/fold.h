// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/tile.h"
#include <boost/pfr/core.hpp>
#include <concepts>

/// Loop state: a tile, or an aggregate of tiles and of such aggregates.
namespace tilefold::detail {

template <class X> struct IsTile { static constexpr bool value = false; };
template <class T, int R> struct IsTile<Tile<T, R>> { static constexpr bool value = true; };

/// Calls f on every tile of the state, in the order of declaration.
template <class State, class F> void each_tile(State &state, F &&f) {
  using S = std::remove_const_t<State>;
  if constexpr (IsTile<S>::value) f(state);
  else {
    static_assert(std::is_aggregate_v<S> && !std::is_array_v<S>, "loop state is made of tiles and structs of tiles");
    boost::pfr::for_each_field(state, [&](auto &field) { each_tile(field, f); });
  }
}

/// A state that says how stretches of a long fold are summed: total() is what takes one stretch, add() sums two of those, and
/// of() makes a state of the sum.
template <class State> concept Summable = requires(const State &s) {
  { State::of(s.total().add(s.total())) } -> std::same_as<State>;
};

template <class State> std::vector<Handle> handles_of(const State &state) {
  std::vector<Handle> handles;
  each_tile(state, [&](const auto &tile) { handles.push_back(tile.handle()); });
  return handles;
}

template <class State> void assign(State &state, const std::vector<Handle> &handles) {
  size_t i = 0;
  each_tile(state, [&](auto &tile) { tile = std::decay_t<decltype(tile)>(handles[i++]); });
}

} // namespace tilefold::detail
