// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include <cstddef>
#include <initializer_list>
#include <random>
#include <vector>

namespace tilefold::random {

/// Numbers from a seed, the same with every compiler: the distributions of <random> are not. Two draws must not be arguments of one
/// call, whose order C++ leaves open.
class Choices {
public:
  explicit Choices(unsigned seed) : engine(seed) {}

  int below(int n) { return int(engine() % unsigned(n)); }
  /// From lo to hi, both included.
  int between(int lo, int hi) { return lo + below(hi - lo + 1); }
  bool one_in(int n) { return below(n) == 0; }
  template <class X> const X &of(const std::vector<X> &list) { return list[std::size_t(below(int(list.size())))]; }
  int of(std::initializer_list<int> list) { return list.begin()[below(int(list.size()))]; }

private:
  std::mt19937 engine;
};

} // namespace tilefold::random
