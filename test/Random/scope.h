// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/tilefold.h"

#include <vector>

namespace tilefold::random {

/// What an operand of a product may reach: products of two and sums of them then stay far from where f32 rounds.
inline constexpr double kMostOfOperand = 8;
inline constexpr double kMostOfMatrix = 1 << 20;

/// A value, and what the magnitude of its elements can be.
template <class X> struct Bounded {
  X value;
  double bound;
};
using Matrix = Bounded<Tile<f32, 2>>;
using Vector = Bounded<Tile<f32, 1>>;

/// x itself if it is small enough, else a function of it that is.
template <int R> Bounded<Tile<f32, R>> bounded(const Bounded<Tile<f32, R>> &x, double most) {
  if (x.bound <= most) return x;
  return {cast<f32>(cast<i32>(x.value) % 8) - 3, 4};
}
template <class T> Bounded<Tile<T, 2>> operand_of(const Matrix &x) {
  const Matrix small = bounded(x, kMostOfOperand);
  return {cast<T>(small.value), small.bound};
}
template <class T> Matrix matrix_of(const Bounded<Tile<T, 2>> &x) { return {cast<f32>(x.value), x.bound}; }

struct Extents {
  int rows, columns;
  bool operator==(const Extents &) const = default;
};
template <class T> Extents extents(const Tile<T, 2> &x) { return {x.extent(0), x.extent(1)}; }
template <class T> Extents extents(const Bounded<Tile<T, 2>> &x) { return extents(x.value); }

/// Those of a list that have these extents.
template <class X> std::vector<X> of_extents(const std::vector<X> &list, Extents e) {
  std::vector<X> fitting;
  for (const X &x : list)
    if (extents(x) == e) fitting.push_back(x);
  return fitting;
}

/// What a statement can use: the values of the scopes around it.
template <class T> struct Scope {
  std::vector<Matrix> matrices;
  std::vector<Bounded<Tile<T, 2>>> operands;
  std::vector<Vector> vectors;
  std::vector<Tile<i1, 2>> masks;
  std::vector<Index> positions;
};

} // namespace tilefold::random
