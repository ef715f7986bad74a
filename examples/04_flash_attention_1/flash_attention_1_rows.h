// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "examples/04_flash_attention_1/normalized_softmax.h"
#include <cmath>

namespace tilefold {

/// FlashAttention-1 by blocks of rows, as its first Triton kernel does it: program (i, bh) owns one block of query rows, and
/// keys stream past as in FlashAttention-2. What is left of the first version: the accumulator is normalised again at
/// every step, and l and m are stored.
template <class T> struct FlashAttention1Rows {
  int block_m = 128, block_n = 64, head_dim = 128;
  Variant variant = {};

  void operator()(Program &p) const {
    auto Q = p.input<T, 4>("q"), K = p.input<T, 4>("k"), V = p.input<T, 4>("v"); // [b, h, s, d]
    auto O = p.output<T, 4>("o", Q.shape());
    auto LSE = p.output<f32, 3>("lse", {Q.size(0), Q.size(1), Q.size(2)});
    auto L = p.workspace<f32, 3>("l", LSE.shape()), M = p.workspace<f32, 3>("m", LSE.shape());
    auto scale = p.scalar<f32>("scale", 1 / std::sqrt(float(head_dim)));
    require_attention(p, Q, K, V, head_dim);

    auto [i, bh] = p.grid({ceil_div(Q.size(2), block_m), Q.size(0) * Q.size(1)});
    auto b = bh / Q.size(1), h = bh % Q.size(1), g = h / (Q.size(1) / K.size(1));
    auto n = K.size(2), shift = n - Q.size(2);
    auto first = i * block_m, position = first + shift;
    auto rows = p.arange(block_m), heads = p.full<i32>(h, {block_m});
    const int d = padded(head_dim);

    auto q = load(Q.at(b, h), {first, 0}, {block_m, d});
    auto keys = variant.range(position, position + block_m, n, block_n);
    auto s = p.fold(keys, empty_normalized_softmax(p, block_m, d), [&](Index j, NormalizedSoftmax s) {
      auto k = load(K.at(b, g), {j, 0}, {block_n, d});
      auto v = load(V.at(b, g), {j, 0}, {block_n, d});
      At at{p, b, col(heads), col(first + rows), col(position + rows), row(j + p.arange(block_n))};
      auto qk = where(at.k < n, variant(dot(q, trans(k)) * scale, at), -inf);
      return s.update(qk, v);
    });
    store(L.at(b, h), {first}, s.l);
    store(M.at(b, h), {first}, s.m);
    store(O.at(b, h), {first, 0}, cast<T>(s.output(n)));
    store(LSE.at(b, h), {first}, s.lse(n));
  }
};

} // namespace tilefold
