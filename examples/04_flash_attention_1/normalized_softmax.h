// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/tilefold.h"

namespace tilefold {

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
  SoftmaxSum total() const { return {m, l, zeros_like(l), o * col(l)}; }
  static NormalizedSoftmax of(const SoftmaxSum &sum) {
    auto l = sum.l + sum.lost;
    return {sum.m, l, sum.acc / col(denominator(l))};
  }
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

/// The sum of such states over stretches of keys in global memory: m, l and lost [s], acc [s, d].
struct StoredSum {
  Tensor<f32, 1> m, l, lost;
  Tensor<f32, 2> acc;
  int head_dim;

  SoftmaxSum read(Index i, int rows) const {
    return {load(m, {i}, {rows}), load(l, {i}, {rows}), load(lost, {i}, {rows}), load(acc, {i, 0}, {rows, head_dim})};
  }
  void write(Index i, const SoftmaxSum &s) const {
    store(m, {i}, s.m), store(l, {i}, s.l), store(lost, {i}, s.lost), store(acc, {i, 0}, s.acc);
  }
};

} // namespace tilefold
