// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/tilefold.h"

/// Programs whose products have operands that the attention programs do not: made of what the kernel stored before, of one load several
/// times, of loops, at places that loops compute. What they compute has no other use.
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

/// Small kernels, each of which some order or place of copies, stores or layouts was once wrong for.
template <class T> struct OrdersAndPlaces {
  void operator()(Program &p) const {
    auto A = p.input<T, 2>("a"), B = p.input<T, 2>("b");
    auto output = [&](const char *name) { return p.output<f32, 2>(name, A.shape()); };
    auto rows = B.size(0);

    auto Y = output("copied_before_async");
    p.launch("copied_before_async", {1}, [&](Index) {
      auto a = load(A, {0, 0}, {16, 16}, 1.f);
      store(Y, {0, 0}, dot(a, a));
      auto b = load(B, {0, 0}, {16, 16});
      store(Y, {16, 0}, dot(b, b));
    });
    auto Branched = output("product_in_branch");
    p.launch("product_in_branch", {1}, [&](Index) {
      auto a = load(A, {0, 0}, {32, 32});
      store(Branched, {0, 0}, p.fold(Range{0, 64, 16}, p.zeros<f32>({32, 16}), [&](Index j, Tile<f32, 2> acc) {
        return p.branch(j < rows, [&] { return dot(a, trans(load(B, {j, 0}, {16, 32})), acc); }, [&] { return acc; });
      }));
    });
    auto Outside = output("columns_outside");
    p.launch("columns_outside", {1}, [&](Index) {
      auto b = load(B, {0, 0}, {16, 16});
      store(Outside, {0, 0}, dot(b, load(A, {8, -8}, {16, 16})));
      store(Outside, {16, 0}, dot(b, load(A, {0, 3}, {16, 16})));
      store(Outside, {32, 0}, p.fold(Range{-16, rows, 16}, p.zeros<f32>({16, 16}), [&](Index j, Tile<f32, 2> acc) {
        return dot(b, load(A, {8, j}, {16, 16}), acc);
      }));
    });
    auto X = p.output<T, 2>("x", A.shape());
    auto Arms = output("loads_in_arms");
    p.launch("loads_in_arms", {1}, [&](Index) {
      store(X, {0, 0}, load(A, {0, 0}, {64, 64}));
      store(Arms, {0, 0}, cast<f32>(p.branch(rows < 50, [&] { return load(X, {3, 8}, {32, 32}); },
                                             [&] { return load(X, {5, 0}, {32, 32}) * 2; })));
    });
    auto Twice = output("stored_twice");
    p.launch("stored_twice", {1}, [&](Index) {
      store(Twice, {0, 0}, cast<f32>(load(A, {0, 0}, {64, 64})));
      store(Twice, {16, 8}, cast<f32>(load(B, {0, 0}, {32, 32})));
    });
    auto Over = output("steps_over_each_other");
    p.launch("steps_over_each_other", {1}, [&](Index) {
      p.each(Range{0, rows, 8}, [&](Index j) { store(Over, {j, 0}, cast<f32>(load(B, {j, 0}, {32, 64})) + cast<f32>(j)); });
    });
    auto Scaled = output("equal_constants");
    p.launch("equal_constants", {1}, [&](Index) {
      auto a = cast<T>(cast<f32>(load(A, {0, 0}, {16, 16})) * 0.5f);
      store(Scaled, {0, 0}, dot(load(B, {0, 0}, {16, 16}), a) * (cast<f32>(rows) * 0.5f));
    });
    auto Tied = output("rows_and_columns");
    p.launch("rows_and_columns", {1}, [&](Index) {
      auto a = load(A, {0, 0}, {32, 32});
      auto most = rowmax(cast<f32>(load(B, {0, 0}, {32, 32})));
      store(Tied, {0, 0}, dot(a, load(B, {0, 0}, {32, 32})) - row(most));
      auto last = p.fold(Range{0, rows, 32}, most, [&](Index j, Tile<f32, 1> v) {
        store(Tied, {32, j}, dot(a, trans(load(B, {j, 0}, {32, 32}))) - col(v));
        return v * 0.5f;
      });
      store(Tied, {0, 32}, p.zeros<f32>({32, 32}) + col(last));
    });
  }
};

/// Numbers at their edges: weights of rows that see nothing, and positions that wrap around.
template <class T> struct NumbersAtEdges {
  void operator()(Program &p) const {
    auto A = p.input<T, 2>("a"), B = p.input<T, 2>("b");
    auto output = [&](const char *name) { return p.output<f32, 2>(name, A.shape()); };

    auto Unseen = output("unseen_rows");
    p.launch("unseen_rows", {1}, [&](Index) {
      auto b = load(B, {0, 0}, {32, 32});
      auto rows = col(p.arange(32)), columns = row(p.arange(32));
      auto s = where(rows % 3 == 0 || columns == 5, -inf, cast<f32>(load(A, {0, 0}, {32, 32})) * 0); // 0 or hidden
      auto w = cast<T>(exp(s - col(rowmax(s)))); // NaN in rows that see nothing
      store(Unseen, {0, 0}, weigh(w, s != -inf, b, p.full<f32>(1, {32, 32})));
      store(Unseen, {0, 32}, weigh(cast<T>(exp(s * -1)), s != -inf, b, p.full<f32>(1, {32, 32})));        // infinite there
      store(Unseen, {32, 32}, weigh(cast<T>(exp(s * 0)), s != -inf, b, p.full<f32>(1, {32, 32})));         // NaN there
      store(Unseen, {32, 0}, p.fold(Range{0, B.size(0), 32}, p.zeros<f32>({32, 32}), [&](Index j, Tile<f32, 2> acc) {
        return weigh(w, s != -inf, load(B, {j, 0}, {32, 32}), acc);
      }));
    });
    auto Wrapped = output("positions_that_wrap");
    p.launch("positions_that_wrap", {2}, [&](Index i) {
      auto sum = p.fold(Range{0, 2}, p.zeros<f32>({32, 64}), [&](Index j, Tile<f32, 2> s) {
        auto inside = row(i * 2147483600 + j + p.arange(64)) >= col(p.arange(32) * 0);
        return s + where(inside, p.full<f32>(1, {32, 64}), 0);
      });
      store(Wrapped, {i * 32, 0}, sum);
    });
  }
};

} // namespace tilefold::numerics
