// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "examples/04_flash_attention_1/normalized_softmax.h"
#include <cmath>

namespace tilefold {

/// FlashAttention-1 forward (Dao et al. 2022, Algorithm 1; its line numbers in the margin). Program (b, h) owns a whole head.
/// Blocks of keys and values are the outer loop, so O, l and m live in global memory, re-read and re-written at every step: at
/// index 0 those of the stretch of keys at hand, at 1 their sum over stretches (C14), with O l for O, at 2 what rounding dropped from
/// that of l.
template <class T> struct FlashAttention1 {
  int block_m = 64, block_n = 64, head_dim = 128, block_sum = 16;
  Variant variant = {};

  void operator()(Program &p) const {
    auto Q = p.input<T, 4>("q"), K = p.input<T, 4>("k"), V = p.input<T, 4>("v"); // [b, h, s, d]
    auto Out = p.output<T, 4>("o", Q.shape());
    auto LSE = p.output<f32, 3>("lse", {Q.size(0), Q.size(1), Q.size(2)});
    auto O = p.workspace<f32, 5>("o_f32", {2, Q.size(0), Q.size(1), Q.size(2), Q.size(3)});
    auto L = p.workspace<f32, 4>("l", {3, Q.size(0), Q.size(1), Q.size(2)}), M = p.workspace<f32, 4>("m", L.shape());
    auto scale = p.scalar<f32>("scale", 1 / std::sqrt(float(head_dim)));
    require_attention(p, Q, K, V, head_dim);

    auto [b, h] = p.grid({Q.size(0), Q.size(1)});
    auto g = h / (Q.size(1) / K.size(1));
    auto n_q = Q.size(2), n = K.size(2), shift = n - n_q;
    auto rows = p.arange(block_m), heads = p.full<i32>(h, {block_m});
    const int d = padded(head_dim), stretch = longest_sum / block_n * block_n;
    StoredSoftmax state{M.at(0, b, h), L.at(0, b, h), O.at(0, b, h), d};
    StoredSum sum{M.at(1, b, h), L.at(1, b, h), L.at(2, b, h), O.at(1, b, h), d};
    p.each({0, n_q, block_sum}, [&](Index i) { sum.write(i, empty_normalized_softmax(p, block_sum, d).total()); });
    p.each({0, n, stretch}, [&](Index first) {
      p.each({0, n_q, block_m}, [&](Index i) { state.write(i, empty_normalized_softmax(p, block_m, d)); }); //  2
      p.each({first, min(first + stretch, n), block_n}, [&](Index j) {                                     //  5
        auto k = load(K.at(b, g), {j, 0}, {block_n, d});                                                   //  6
        auto v = load(V.at(b, g), {j, 0}, {block_n, d});
        p.each({0, n_q, block_m}, [&](Index i) {                                                           //  7
          auto q = load(Q.at(b, h), {i, 0}, {block_m, d});                                                 //  8
          At at{p, b, col(heads), col(i + rows), col(i + shift + rows), row(j + p.arange(block_n))};
          auto s = where(at.k < n, variant(dot(q, trans(k)) * scale, at), -inf);                           //  9
          state.write(i, state.read(i, block_m).update(s, v));                                             // 10-13
        });
      });
      p.each({0, n_q, block_sum}, [&](Index i) { sum.write(i, sum.read(i, block_sum).add(state.read(i, block_sum).total())); });
    });
    p.each({0, n_q, block_sum}, [&](Index i) {
      auto s = NormalizedSoftmax::of(sum.read(i, block_sum));
      store(Out.at(b, h), {i, 0}, cast<T>(s.output(n))), store(LSE.at(b, h), {i}, s.lse(n));
    });
  }
};

} // namespace tilefold
