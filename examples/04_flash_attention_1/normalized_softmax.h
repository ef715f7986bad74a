// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/tilefold.h"

namespace tilefold {

/// What stretches of a long row come to (C14): m, l and o of their softmax, and in `lost` what rounding dropped from l.
struct NormalizedSum {
  Tile<f32, 1> m, l, lost;
  Tile<f32, 2> o;

  NormalizedSum add(const NormalizedSum &next) const {
    auto m_new = max(m, next.m), shift = finite_reference(m_new);
    auto a = exp(m - shift), b = exp(next.m - shift);
    auto x = a * l, y = b * next.l, sum = x + y;
    return {m_new, sum, a * lost + b * next.lost + rounding_error(x, y, sum),
            (o * col(x) + next.o * col(y)) / col(denominator(sum))};
  }
};

/// The running softmax of FlashAttention-1: every step leaves the output o divided by the sum l of the weights so far, at
/// the price of a multiplication and a division of all of o. In the margin, the lines of the paper's Algorithm 1; its P
/// is taken relative to the new maximum at once.
struct NormalizedSoftmax {
  Tile<f32, 1> m, l;
  Tile<f32, 2> o;

  template <class T> NormalizedSoftmax update(Tile<f32, 2> s, Tile<T, 2> v) const {
    auto m_new = max(m, rowmax(s) - headroom<T>);                     // 10, 11
    auto shift = finite_reference(m_new);
    auto p = exp(s - col(shift));                                     // 10
    auto l_old = exp(m - shift) * l, l_new = l_old + rowsum(p);       // 11
    auto o_new = weigh(cast<T>(p), s != -inf, v, o * col(l_old));     // 12
    return {m_new, l_new, o_new / col(denominator(l_new))};
  }
  NormalizedSum total() const { return {m, l, zeros_like(l), o}; }
  static NormalizedSoftmax of(const NormalizedSum &sum) { return {sum.m, sum.l + sum.lost, sum.o}; }
  /// For a row of n keys at most.
  Tile<f32, 2> output(Index n) const { return right_or_nan(o, col(lse(n))); }
  Tile<f32, 1> lse(Index n) const { return log_sum(m, l, n); }
};

inline NormalizedSoftmax empty_normalized_softmax(Program &p, int rows, int head_dim) {
  return {p.full<f32>(-inf, {rows}), p.zeros<f32>({rows}), p.zeros<f32>({rows, head_dim})};
}

/// FlashAttention-1's state of one head in global memory: m and l [s], o [s, d].
struct StoredSoftmax {
  Tensor<f32, 1> m, l;
  Tensor<f32, 2> o;
  int head_dim;

  NormalizedSoftmax read(Index i, int rows) const {
    return {load(m, {i}, {rows}), load(l, {i}, {rows}), load(o, {i, 0}, {rows, head_dim})};
  }
  void write(Index i, const NormalizedSoftmax &s) const { store(m, {i}, s.m), store(l, {i}, s.l), store(o, {i, 0}, s.o); }
};

/// The sum of such states, in global memory.
struct StoredSum {
  StoredSoftmax state;
  Tensor<f32, 1> lost;

  NormalizedSum read(Index i, int rows) const {
    auto [m, l, o] = state.read(i, rows);
    return {m, l, load(lost, {i}, {rows}), o};
  }
  void write(Index i, const NormalizedSum &s) const { state.write(i, {s.m, s.l, s.o}), store(lost, {i}, s.lost); }
};

} // namespace tilefold
