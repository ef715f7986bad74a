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
  Tile<f32, 2> output() const {
    auto sum = lse();
    return o + col(where(sum == sum, 0, sum));
  }
  Tile<f32, 1> lse() const { return log_sum(m, l); }
};

inline NormalizedSoftmax empty_normalized_softmax(Program &p, int rows, int head_dim) {
  return {p.full<f32>(-inf, {rows}), p.zeros<f32>({rows}), p.zeros<f32>({rows, head_dim})};
}

} // namespace tilefold
