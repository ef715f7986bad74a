// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "examples/04_flash_attention_1/normalized_softmax.h"
#include <cmath>

namespace tilefold {

/// FlashAttention-1 forward (Dao et al. 2022, Algorithm 1; its line numbers in the margin). Program (b, h) owns a whole head.
/// Blocks of keys and values are the outer loop, so O, l and m live in global memory, re-read and re-written at every step.
template <class T> struct FlashAttention1 {
  int block_m = 64, block_n = 64, head_dim = 128;
  Variant variant = {};

  void operator()(Program &p) const {
    auto Q = p.input<T, 4>("q"), K = p.input<T, 4>("k"), V = p.input<T, 4>("v"); // [b, h, s, d]
    auto Out = p.output<T, 4>("o", Q.shape());
    auto LSE = p.output<f32, 3>("lse", {Q.size(0), Q.size(1), Q.size(2)});
    auto O = p.workspace<f32, 4>("o_f32", Q.shape());
    auto L = p.workspace<f32, 3>("l", LSE.shape()), M = p.workspace<f32, 3>("m", LSE.shape());
    auto scale = p.scalar<f32>("scale", 1 / std::sqrt(float(head_dim)));
    require_attention(p, Q, K, V, head_dim);

    auto [b, h] = p.grid({Q.size(0), Q.size(1)});
    auto g = h / (Q.size(1) / K.size(1));
    auto n_q = Q.size(2), n = K.size(2), shift = n - n_q;
    auto rows = p.arange(block_m), heads = p.full<i32>(h, {block_m});
    auto read = [&](Index i) {
      return NormalizedSoftmax{load(M.at(b, h), {i}, {block_m}), load(L.at(b, h), {i}, {block_m}),
                               load(O.at(b, h), {i, 0}, {block_m, head_dim})};
    };
    auto write = [&](Index i, NormalizedSoftmax s) {
      store(O.at(b, h), {i, 0}, s.o), store(L.at(b, h), {i}, s.l), store(M.at(b, h), {i}, s.m);
    };

    p.each({0, n_q, block_m}, [&](Index i) { write(i, empty_normalized_softmax(p, block_m, head_dim)); }); //  2
    p.each({0, n, block_n}, [&](Index j) {                                                                 //  5
      auto k = load(K.at(b, g), {j, 0}, {block_n, head_dim});                                              //  6
      auto v = load(V.at(b, g), {j, 0}, {block_n, head_dim});
      p.each({0, n_q, block_m}, [&](Index i) {                                                             //  7
        auto q = load(Q.at(b, h), {i, 0}, {block_m, head_dim});                                            //  8
        auto state = read(i);
        At at{p, b, col(heads), col(i + rows), col(i + shift + rows), row(j + p.arange(block_n))};
        auto s = where(at.k < n, variant(dot(q, trans(k)) * scale, at), -inf);                             //  9
        write(i, state.update(s, v));                                                                      // 10-13
      });
    });
    p.each({0, n_q, block_m}, [&](Index i) {
      auto state = read(i);
      store(Out.at(b, h), {i, 0}, cast<T>(state.output())), store(LSE.at(b, h), {i}, state.lse());
    });
  }
};

} // namespace tilefold
