// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/tilefold.h"

namespace tilefold {

/// C = A B, for a [m, k] and b [k, n], summed in f32. Program (i, j) owns one block of C. Beyond the edges of A and B loads
/// give zeros, which add nothing, so that any sizes will do.
template <class T> struct Matmul {
  int block_m = 128, block_n = 128, block_k = 32;

  void operator()(Program &p) const {
    auto A = p.input<T, 2>("a"), B = p.input<T, 2>("b");
    auto C = p.output<T, 2>("c", {A.size(0), B.size(1)});
    p.require(B.size(0) == A.size(1), "b", "as many rows as a has columns, {0}, got {1}", {A.size(1), B.size(0)});

    auto [i, j] = p.grid({ceil_div(A.size(0), block_m), ceil_div(B.size(1), block_n)});
    auto m = i * block_m, n = j * block_n;

    auto c = p.fold({0, A.size(1), block_k}, p.zeros<f32>({block_m, block_n}), [&](Index k, Tile<f32, 2> c) {
      auto a = load(A, {m, k}, {block_m, block_k});
      auto b = load(B, {k, n}, {block_k, block_n});
      return dot(a, b, c);
    });
    store(C, {m, n}, cast<T>(c));
  }
};

} // namespace tilefold
