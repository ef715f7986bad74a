// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/tilefold.h"

/// Programs whose products have operands that the attention programs do not: made of what the kernel stored before, of one load several
/// times, of loops, at places that loops compute. All tiles are 64 x 64; what they compute has no other use.
namespace tilefold::numerics {

inline constexpr int operand_extent = 64;

/// o = a (x + (x + 1) + 2 x), where x = a b^T has just been stored and comes back plainly, with padding through a loop, and scaled.
template <class T> struct StoredOperands {
  void operator()(Program &p) const {
    auto A = p.input<T, 2>("a"), B = p.input<T, 2>("b");
    auto X = p.output<T, 2>("x", {A.size(0), B.size(0)});
    auto O = p.output<f32, 2>("o", A.shape());
    const int e = operand_extent;
    p.grid({1});
    auto a = load(A, {0, 0}, {e, e}), b = load(B, {0, 0}, {e, e});
    store(X, {0, 0}, cast<T>(dot(a, trans(b))));
    auto plain = load(X, {0, 0}, {e, e});
    auto padded = load(X, {0, 0}, {e, e}, 1.f);
    auto folded = p.fold(Range{0, A.size(0), e}, p.full<T>(1, {e, e}), [&](Index j, Tile<T, 2> sum) { return sum + load(X, {j, 0}, {e, e}); });
    auto scaled = load(X, {0, 0}, {e, e}) * 2;
    store(O, {0, 0}, dot(a, scaled, dot(a, folded, dot(a, padded, dot(a, plain)))));
  }
};

/// Keys that are the values too, and once more doubled; more of them where a loop says, and one block that waits outside the loop.
template <class T> struct SharedOperands {
  void operator()(Program &p) const {
    auto A = p.input<T, 2>("a"), B = p.input<T, 2>("b");
    auto O = p.output<f32, 2>("o", A.shape());
    const int e = operand_extent;
    p.grid({1});
    auto n = B.size(0);
    auto a = load(A, {0, 0}, {e, e});
    auto last = p.fold(Range{0, n, e}, Index(0), [&](Index j, Index most) { return max(most, j); });
    auto b = load(B, {last, 0}, {e, e});
    auto s = dot(a, trans(b));
    auto weights = cast<T>(s);
    auto seen = s != -inf;
    auto start = dot(a, b * 2, dot(weights, b));
    auto all = p.fold(Range{0, n, e}, start, [&](Index j, Tile<f32, 2> acc) {
      auto k = load(B, {j, 0}, {e, e});
      auto scores = dot(a, trans(k));
      return weigh(cast<T>(scores), scores != -inf, k, acc);
    });
    auto looped = p.fold(Range{0, n, e}, p.zeros<T>({e, e}), [&](Index, Tile<T, 2> sum) { return sum + weights; });
    store(O, {0, 0}, dot(a, looped, weigh(weights, seen, b, all)));
  }
};

} // namespace tilefold::numerics
