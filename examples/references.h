// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first three examples in fp64, row-major: what --check and the tests compare with.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace tilefold::references {

using Numbers = std::vector<double>;

/// a + b, element by element.
inline Numbers sum(Numbers a, const Numbers &b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] += b[i];
  return a;
}

/// Along rows of n; a row of -inf alone gives zeros.
inline Numbers softmax(Numbers x, std::size_t n) {
  for (auto row = x.begin(); row != x.end(); row += std::ptrdiff_t(n)) {
    const auto end = row + std::ptrdiff_t(n);
    const double maximum = *std::max_element(row, end);
    double sum = 0;
    for (auto i = row; i != end; ++i)
      sum += *i = maximum == -std::numeric_limits<double>::infinity() ? 0 : std::exp(*i - maximum);
    for (auto i = row; i != end; ++i)
      *i /= sum > 0 ? sum : 1;
  }
  return x;
}

/// a [m, k] times b [k, n].
inline Numbers product(const Numbers &a, const Numbers &b, std::size_t m, std::size_t k, std::size_t n) {
  Numbers c(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t l = 0; l < k; ++l)
      for (std::size_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  return c;
}

/// b [n, k] of a [k, n].
inline Numbers transposed(const Numbers &a, std::size_t k, std::size_t n) {
  Numbers b(a.size());
  for (std::size_t i = 0; i < k; ++i)
    for (std::size_t j = 0; j < n; ++j)
      b[j * k + i] = a[i * n + j];
  return b;
}

} // namespace tilefold::references
