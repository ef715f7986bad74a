// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A4, A5, C1, C8: merging partial results of a softmax, apart from the attention around it.
#include "examples/06_flash_decoding/flash_decoding.h"
#include "support/random.h"
#include "test/DSL/interpret.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace tilefold::numerics {
namespace {

using support::DType;
using support::HostTensor;

constexpr double inf_ = std::numeric_limits<double>::infinity();
constexpr int block = 8, head_dim = 32;

/// m and l [rows, splits], acc [rows, splits, head_dim], merged as Flash-Decoding does it.
struct Merge {
  void operator()(Program &p) const {
    auto M = p.input<f32, 2>("ms"), L = p.input<f32, 2>("ls");
    auto Acc = p.input<f32, 3>("accs");
    auto m = p.output<f32, 1>("m", {M.size(0)}), l = p.output<f32, 1>("l", {M.size(0)});
    auto acc = p.output<f32, 2>("acc", {M.size(0), Acc.size(2)});
    auto [row] = p.grid({M.size(0)});
    MergedSoftmax none{Scalar<f32>(-inf), Scalar<f32>(0), Scalar<f32>(0), p.zeros<f32>({head_dim})};
    auto s = p.fold({0, M.size(1), block}, none, [&](Index c, MergedSoftmax s) {
      return s.merge(load(M.at(row), {c}, {block}, -inf), load(L.at(row), {c}, {block}), load(Acc.at(row), {c, 0}, {block, head_dim}));
    });
    store(m, {row}, p.full<f32>(s.m, {1}));
    store(l, {row}, p.full<f32>(s.l + s.lost, {1}));
    store(acc.at(row), {0}, s.acc);
  }
};

/// The partial results of `rows` rows: those of splits that see nothing are the identity (-inf, 0, 0).
Arguments partials(std::int64_t rows, std::int64_t splits, const std::function<bool(std::int64_t row, std::int64_t split)> &is_empty) {
  Arguments arguments;
  HostTensor m = support::normal_tensor(DType::f32, {rows, splits}, 3, 0), l = m, acc = support::normal_tensor(DType::f32, {rows, splits, head_dim}, 3, 1);
  for (std::int64_t n = 0; n < m.count(); ++n) {
    const bool empty = is_empty(n / splits, n % splits);
    l.set(n, empty ? 0 : 1 + std::abs(m.get(n)));
    m.set(n, empty ? -inf_ : 5 * m.get(n));
    for (std::int64_t c = 0; empty && c < head_dim; ++c)
      acc.set(n * head_dim + c, 0);
  }
  arguments.tensors = {{"ms", m}, {"ls", l}, {"accs", acc}};
  return arguments;
}

void merge(Arguments &arguments) {
  Traced traced = trace(Merge(), "merge");
  ASSERT_TRUE(traced.ok()) << traced.diagnostics();
  ASSERT_EQ(interpret(traced, arguments), "");
}

void expect_identity(const Arguments &arguments, std::int64_t row) {
  EXPECT_EQ(arguments.tensors.at("m").get(row), -inf_) << row;
  for (std::int64_t n = -1; n < head_dim; ++n) {
    const double value = n < 0 ? arguments.tensors.at("l").get(row) : arguments.tensors.at("acc").get(row * head_dim + n);
    EXPECT_TRUE(value == 0 && !std::signbit(value)) << row << " " << n << ": " << value;
  }
}

// The identity with itself, any number of times, is the identity, bit by bit.
TEST(Merging, NothingWithNothing) {
  for (std::int64_t splits : {1, 2, 7, 8, 9, 40}) {
    Arguments arguments = partials(3, splits, [](std::int64_t, std::int64_t) { return true; });
    merge(arguments);
    for (std::int64_t row = 0; row < 3; ++row)
      expect_identity(arguments, row);
  }
}

// With the identity on either side, in the same block of splits or in another, a partial result keeps its bits.
TEST(Merging, SomethingWithNothing) {
  for (std::int64_t splits : {2, 9, 40})
    for (std::int64_t place : {std::int64_t(0), splits / 2, splits - 1}) {
      Arguments arguments = partials(3, splits, [&](std::int64_t, std::int64_t split) { return split != place; });
      merge(arguments);
      for (std::int64_t row = 0; row < 3; ++row) {
        EXPECT_EQ(arguments.tensors["m"].get(row), arguments.tensors["ms"].get(row * splits + place));
        EXPECT_EQ(arguments.tensors["l"].get(row), arguments.tensors["ls"].get(row * splits + place));
        for (std::int64_t c = 0; c < head_dim; ++c)
          EXPECT_EQ(arguments.tensors["acc"].get(row * head_dim + c), arguments.tensors["accs"].get((row * splits + place) * head_dim + c));
      }
    }
}

// 64 tokens of 8 heads, of which a quarter has nothing in either split: those are the identity, the others are exact.
TEST(Merging, SomePositionsEmpty) {
  const std::int64_t rows = 64 * 8;
  Arguments arguments = partials(rows, 2, [](std::int64_t row, std::int64_t split) { return row % 4 == 0 || (row % 4 == 1 && split == 0); });
  merge(arguments);
  for (std::int64_t row = 0; row < rows; ++row) {
    if (row % 4 == 0) {
      expect_identity(arguments, row);
      continue;
    }
    const auto ms = arguments.tensors["ms"].to_f64(), ls = arguments.tensors["ls"].to_f64(), accs = arguments.tensors["accs"].to_f64();
    const double m = std::max(ms[row * 2], ms[row * 2 + 1]);
    const double a = std::exp(ms[row * 2] - m), b = std::exp(ms[row * 2 + 1] - m);
    EXPECT_EQ(arguments.tensors["m"].get(row), m);
    EXPECT_NEAR(arguments.tensors["l"].get(row), a * ls[row * 2] + b * ls[row * 2 + 1], 1e-5);
    for (std::int64_t c = 0; c < head_dim; ++c)
      EXPECT_NEAR(arguments.tensors["acc"].get(row * head_dim + c), a * accs[row * 2 * head_dim + c] + b * accs[(row * 2 + 1) * head_dim + c], 1e-5);
  }
}

} // namespace
} // namespace tilefold::numerics
