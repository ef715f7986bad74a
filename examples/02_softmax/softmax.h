// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/tilefold.h"

namespace tilefold {

/// A row's largest element m and the sum l of exp(x - m) so far.
struct RowSum {
  Tile<f32, 1> m, l;
};

/// y = softmax(x) along the rows of x [rows, n], of any length: one pass for the denominators, one for the quotients.
/// Program i owns one block of rows. A row of -inf alone gives zeros.
template <class T> struct Softmax {
  int block_m = 16, block_n = 256;

  void operator()(Program &p) const {
    auto X = p.input<T, 2>("x");
    auto Y = p.output<T, 2>("y", X.shape());
    auto n = X.size(1);

    auto [i] = p.grid({ceil_div(X.size(0), block_m)});
    auto block = [&](Index j) { // beyond the row: -inf, whose weight is 0
      return cast<f32>(load(X, {i * block_m, j}, {block_m, block_n}, -inf));
    };
    RowSum none{p.full<f32>(-inf, {block_m}), p.zeros<f32>({block_m})};
    auto [m, l] = p.fold({0, n, block_n}, none, [&](Index j, RowSum s) {
      auto x = block(j);
      auto m_new = max(s.m, rowmax(x));
      auto shift = finite_reference(m_new);
      return RowSum{m_new, s.l * exp(s.m - shift) + rowsum(exp(x - col(shift)))};
    });
    auto shift = finite_reference(m), sum = denominator(l);
    p.each({0, n, block_n}, [&](Index j) {
      store(Y, {i * block_m, j}, cast<T>(exp(block(j) - col(shift)) / col(sum)));
    });
  }
};

} // namespace tilefold
