// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/tilefold.h"

namespace tilefold {

/// c = a + b. Program i owns one block.
template <class T> struct VectorAdd {
  int block = 1024;

  void operator()(Program &p) const {
    auto A = p.input<T, 1>("a"), B = p.input<T, 1>("b");
    auto C = p.output<T, 1>("c", A.shape());
    p.require(B.size(0) == A.size(0), "b", "a's length {0}, got {1}", {A.size(0), B.size(0)});

    auto [i] = p.grid({ceil_div(C.size(0), block)});
    auto a = load(A, {i * block}, {block});
    auto b = load(B, {i * block}, {block});
    store(C, {i * block}, a + b);
  }
};

} // namespace tilefold
