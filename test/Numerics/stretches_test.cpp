// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C14: no accumulator takes more than 2^16 keys, and the row sum over more is compensated.
#include "support/random.h"
#include "test/DSL/interpret.h"
#include "test/Numerics/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace tilefold::numerics {
namespace {

using support::DType;
using support::HostTensor;

std::string run(const std::function<void(Program &)> &kernel, Arguments &arguments) {
  Traced traced = detail::trace("program", kernel, Location::current());
  return traced.ok() ? interpret(traced, arguments) : traced.diagnostics();
}

/// Counts steps, but no further than 1000; sums of stretches double what came before, so that their order shows.
struct Tally {
  Scalar<f32> steps;
  Tally total() const { return *this; }
  Tally add(const Tally &next) const { return {2 * steps + next.steps}; }
  static Tally of(const Tally &sum) { return sum; }
};

double tally(int lo, int hi, int step) {
  Arguments arguments{{{"x", HostTensor(DType::f32, {1})}}, {}};
  const std::string error = run(
      [&](Program &p) {
        auto Y = p.output<f32, 1>("y", {p.input<f32, 1>("x").size(0)});
        p.grid({1});
        auto s = p.fold({Index(lo), Index(hi), step}, Tally{Scalar<f32>(0)},
                        [&](Index, Tally s) { return Tally{min(s.steps + 1.f, 1000.f)}; });
        store(Y, {0}, p.full<f32>(s.steps, {1}));
      },
      arguments);
  EXPECT_EQ(error, "");
  return error.empty() ? arguments.tensors["y"].get(0) : NAN;
}

TEST(Stretches, EachStartsAnew) {
  EXPECT_EQ(tally(0, 65536, 4096), 16) << "one stretch";
  EXPECT_EQ(tally(0, 65537, 4096), 2 * 16 + 1) << "a second one of one step";
  EXPECT_EQ(tally(8192, 8192 + 3 * 65536, 4096), 4 * 16 + 2 * 16 + 16) << "from the start of the range";
  EXPECT_EQ(tally(0, 65537, 48), 2 * 1000 + 1) << "65,520 positions, the most that 48 divides";
  EXPECT_EQ(tally(0, 2 * 65520 + 1, 48), 4 * 1000 + 2 * 1000 + 1);
  EXPECT_EQ(tally(0, 100000, 70000), 2 * 1 + 1) << "steps longer than a stretch";
  EXPECT_EQ(tally(5, 5, 64), 0) << "nothing to fold";
  EXPECT_EQ(tally(9, 5, 64), 0);
}

// 4096 stretches, each of which adds half an ulp or less to what is there: plain fp32 would drop every one.
TEST(Stretches, RowSumIsCompensated) {
  Arguments arguments{{{"x", HostTensor(DType::f32, {16})}}, {}};
  const double small = std::ldexp(1.0, -25);
  ASSERT_EQ(run(
                [&](Program &p) {
                  auto Y = p.output<f32, 1>("y", {p.input<f32, 1>("x").size(0)});
                  p.grid({1});
                  auto stretch = [&](float l) {
                    return SoftmaxSum{p.zeros<f32>({16}), p.full<f32>(l, {16}), p.zeros<f32>({16}), p.zeros<f32>({16, 16})};
                  };
                  auto s = p.fold({0, 4096, 1}, stretch(1), [&](Index, SoftmaxSum s) { return s.add(stretch(float(small))); });
                  store(Y, {0}, OnlineSoftmax::of(s).l);
                },
                arguments),
            "");
  for (int i = 0; i < 16; ++i)
    EXPECT_EQ(arguments.tensors["y"].get(i), 1 + 4096 * small);
}

class LongRows : public testing::TestWithParam<Kind> {};

constexpr std::int64_t long_row = 3 * 65536 + 100;

TEST_P(LongRows, AgreeWithFp64) {
  const Configuration c{.kind = GetParam(), .head_dim = 32, .block_m = 16, .block_n = 128};
  Tensors t = random_tensors(c.dtype, 32, {.query_heads = 1, .key_heads = 1, .queries = 2, .keys = long_row});
  expect_attention(c, t);
  numerics::Run one_split;
  if (c.kind == Kind::decode) {
    one_split.scalars["splits"] = 1;
    expect_attention(c, t, {}, one_split);
  }
}

// What only one stretch sees: logits far above those of all others, in the first, a middle and the last stretch.
TEST_P(LongRows, OneKeyDecides) {
  const Configuration c{.kind = GetParam(), .head_dim = 32, .block_m = 16, .block_n = 128};
  for (std::int64_t key : {std::int64_t(7), std::int64_t(65536 + 5), long_row - 1}) {
    Tensors t = random_tensors(c.dtype, 32, {.query_heads = 1, .key_heads = 1, .queries = 1, .keys = long_row});
    for (std::int64_t column = 0; column < 32; ++column)
      set(t.k, 0, 0, key, column, 40 * t.q.get(column));
    expect_attention(c, t);
  }
}

// C2, C3: garbage behind the diagonal in the last stretch, and a visible infinity in the first.
TEST_P(LongRows, NonFiniteValues) {
  const Configuration c{.kind = GetParam(), .head_dim = 32, .variant = causal(), .block_m = 16, .block_n = 128};
  Tensors t = random_tensors(c.dtype, 32, {.query_heads = 1, .key_heads = 1, .queries = 2, .keys = 2 * 65536 + 3});
  set(t.v, 0, 0, 2 * 65536 + 2, 3, NAN); // the last key, which the first of the two queries does not see
  set(t.v, 0, 0, 11, 5, INFINITY);
  expect_attention(c, t, {.causal = true}, {}, /*random_inputs=*/false);
}

INSTANTIATE_TEST_SUITE_P(Programs, LongRows, testing::ValuesIn(all_kinds), [](const auto &info) {
  std::string text = name(info.param);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
});

} // namespace
} // namespace tilefold::numerics
