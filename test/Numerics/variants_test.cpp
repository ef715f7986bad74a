// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Score functions and masks, in the order of docs/semantics.md: scale, softcap, score function, mask.
#include "examples/07_your_own_variant/your_own_variant.h"
#include "support/accuracy.h"
#include "test/Numerics/attention.h"
#include "test/Numerics/variants.h"

#include <gtest/gtest.h>

#include <cfloat>
#include <climits>
#include <cmath>

namespace tilefold::numerics {
namespace {

using support::AttentionOptions;
using support::DType;
using support::LogitPosition;

class Variants : public testing::TestWithParam<Kind> {
protected:
  void check(const Variant &variant, const AttentionOptions &reference, const Sizes &sizes, DType dtype = DType::f16) {
    expect_attention({GetParam(), dtype, 32, variant}, random_tensors(dtype, 32, sizes), reference);
  }
};
INSTANTIATE_TEST_SUITE_P(Numerics, Variants, testing::ValuesIn(all_kinds), [](const auto &info) { return name(info.param); });

// A17: (0, 0) is the diagonal alone.
TEST_P(Variants, SlidingWindow) {
  for (auto [left, right] : {std::pair{0, 0}, {3, 0}, {0, 5}, {17, 2}, {32, 64}, {1000, 1000}}) {
    AttentionOptions reference;
    reference.window_left = left;
    reference.window_right = right;
    check(sliding_window(left, right), reference, {1, 1, 1, 50, 50});
    check(sliding_window(left, right), reference, {1, 1, 1, 21, 60});
  }
}

// A side that is absent is unlimited, as is one that is longer than any sequence; no window at all is no mask.
TEST_P(Variants, SidesOfAWindow) {
  AttentionOptions left, right;
  left.window_left = 4;
  right.window_right = 4;
  for (std::optional<int> unlimited : {std::optional<int>(), std::optional<int>(INT_MAX)}) {
    check(sliding_window(4, unlimited), left, {1, 1, 1, 30, 45});
    check(sliding_window(unlimited, 4), right, {1, 1, 1, 45, 30});
    check(sliding_window(unlimited, unlimited), {}, {1, 1, 1, 20, 20});
  }
}

// A16: what models call a window of W: row 7 sees keys 4 to 7 if W is 4.
TEST_P(Variants, WindowOf) {
  AttentionOptions reference;
  reference.window_left = 3;
  reference.window_right = 0;
  check(window_of(4), reference, {1, 1, 1, 8, 8});
  reference.window_left = 0;
  check(window_of(1), reference, {1, 1, 1, 20, 33});
}

// The longest sequence that there may be (C4), of one key over and over: distances and ends of windows fit i32.
TEST_P(Variants, TheLastPositions) {
  if (GetParam() == Kind::fa1)
    GTEST_SKIP() << "visits every key, whatever the window";
  const std::int64_t keys = (std::int64_t(1) << 31) - 65536 - 1, d = 32;
  const auto repeated = [&](std::int64_t rows, double value) {
    auto tensor = support::HostTensor::create(DType::f16, {1, 2, rows, d}, {0, 0, 0, 1});
    for (std::int64_t c = 0; c < d; ++c)
      set(*tensor, 0, 0, 0, c, value);
    return *std::move(tensor);
  };
  const Tensors tensors{repeated(3, 0.25), repeated(keys, 0.5), repeated(keys, -1.5)};
  numerics::Run options;
  if (GetParam() == Kind::decode)
    options.scalars["splits"] = 1;
  auto outputs = run({GetParam(), DType::f16, int(d), sliding_window(5, INT_MAX) & alibi(2)}, tensors, options);
  ASSERT_TRUE(outputs.ok()) << outputs.message();
  for (std::int64_t h = 0; h < 2; ++h)
    for (std::int64_t i = 0; i < 3; ++i) {
      double sum = 0; // keys from 5 before the row's position to the last
      for (std::int64_t distance = -(2 - i); distance <= 5; ++distance)
        sum += std::exp(-std::exp2(-8.0 / 2 * double(h + 1)) * double(distance));
      EXPECT_NEAR(outputs->lse.get(outputs->lse.at_linear(h * 3 + i)), 32 * 0.125 / std::sqrt(32.0) + std::log(sum), 1e-4) << h << " " << i;
      EXPECT_NEAR(outputs->o.get(outputs->o.at_linear((h * 3 + i) * d + 7)), -1.5, 2e-3);
    }
}

// A15: rows so far before the first key that their window ends before it are empty.
TEST_P(Variants, WindowBeforeTheKeys) {
  AttentionOptions reference;
  reference.window_left = 32;
  reference.window_right = 64;
  check(sliding_window(32, 64), reference, {1, 1, 1, 129, 3});
}

TEST_P(Variants, WindowAndCausal) {
  AttentionOptions reference;
  reference.causal = true;
  reference.window_left = 3;
  check(sliding_window(3, 0), reference, {1, 1, 1, 8, 8}); // four keys: row 7 sees 4 to 7
  check(causal() & sliding_window(3, 100), reference, {1, 2, 2, 40, 40});
}

// A18: the cap comes before the mask: a padded key capped from -inf would join the denominator.
TEST_P(Variants, SoftcapBeforePadding) {
  AttentionOptions reference;
  reference.softcap = 5;
  check(softcap(5), reference, {1, 1, 1, 20, 65});
  reference.causal = true;
  check(softcap(5) & causal(), reference, {1, 1, 1, 33, 33}, DType::bf16);
}

// A19, A20: softcap, then ALiBi outside of it, with the scale applied once.
TEST_P(Variants, SoftcapThenAlibi) {
  AttentionOptions reference;
  reference.softcap = 30;
  reference.score = alibi_reference(2);
  check(softcap(30) & alibi(2), reference, {1, 2, 1, 64, 64});
}

TEST_P(Variants, AlibiInACausalWindow) {
  AttentionOptions reference;
  reference.score = alibi_reference(4);
  reference.causal = true;
  reference.window_left = 9;
  check(alibi_window(4, 10), reference, {2, 4, 2, 30, 47});
}

// Leaving out which keys matter is slower, never wrong.
TEST_P(Variants, KeysAreAHint) {
  Variant slow = causal();
  slow.keys = {};
  AttentionOptions reference;
  reference.causal = true;
  check(slow, reference, {1, 2, 2, 40, 60});
}

// A10: -FLT_MAX is a finite bias, not a mask. What is left of the row's scores is the same for all keys: their mean of v.
TEST_P(Variants, HugeFiniteBias) {
  for (DType dtype : {DType::f16, DType::bf16, DType::f32})
    for (float bias : {FLT_MAX, FLT_MAX / 2}) {
      Variant biased{.score = [=](Tile<f32, 2> s, const At &at) { return where(at.i == 2 && at.k >= 0, s - bias, s); }};
      const Tensors tensors = random_tensors(dtype, 32, {1, 1, 1, 4, 20});
      auto outputs = run({GetParam(), dtype, 32, biased}, tensors);
      ASSERT_TRUE(outputs.ok()) << outputs.message();
      auto reference = support::reference_attention(tensors.q, tensors.k, tensors.v);
      ASSERT_TRUE(reference.ok()) << reference.message();
      const double unit = support::accuracy_unit(dtype);
      for (std::int64_t row = 0; row < 4; ++row) {
        const double lse = outputs->lse.get(row);
        EXPECT_NEAR(row == 2 ? lse / -bias : lse - reference->lse[std::size_t(row)], row == 2 ? 1 : 0, 1e-4) << row;
        for (std::int64_t c = 0; c < 32; ++c) {
          double expected = reference->o[std::size_t(row * 32 + c)];
          if (row == 2) {
            expected = 0;
            for (std::int64_t key = 0; key < 20; ++key)
              expected += tensors.v.get(key * 32 + c) / 20;
          }
          EXPECT_NEAR(outputs->o.get(row * 32 + c), expected, 3 * unit) << row << " " << c;
        }
      }
    }
}

// What the simulator, ptxas and GPUs are given, with and without a causal mask around it.
TEST_P(Variants, ByName) {
  for (const NamedVariant &named : named_variants()) {
    if (named.name == "huge_bias")
      continue; // has no log-sum that the accuracy rule could judge: HugeFiniteBias
    SCOPED_TRACE(named.name);
    AttentionOptions reference = *variant_reference(named.name);
    for (const Sizes &sizes : {Sizes{1, 4, 2, 30, 65}, {1, 1, 1, 1, 1}, {1, 2, 2, 50, 33}, {1, 20, 1, 2, 65}, {1, 2, 1, 3, 0}})
      check(named.variant, reference, sizes);
    reference.causal = true;
    check(named.variant & causal(), reference, {1, 4, 2, 40, 37}, DType::bf16);
  }
}

// A score of -inf is not visible.
TEST_P(Variants, MinusInfinityFromTheScore) {
  Variant hide{.score = [](Tile<f32, 2> s, const At &at) { return where(at.q >= at.k, s, -inf); }};
  AttentionOptions reference;
  reference.causal = true;
  check(hide, reference, {1, 1, 1, 20, 12});
}

} // namespace
} // namespace tilefold::numerics
