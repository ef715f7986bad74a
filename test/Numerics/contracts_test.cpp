// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contracts of docs/semantics.md, for every program: empty rows, masked data, non-finite values, scale, errors.
#include "test/Numerics/attention.h"
#include "test/Numerics/variant_references.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilefold::numerics {
namespace {

using support::AttentionOptions;
using support::DType;
using support::HostTensor;

constexpr double inf_ = std::numeric_limits<double>::infinity(), nan_ = std::numeric_limits<double>::quiet_NaN();

class Contracts : public testing::TestWithParam<Kind> {
protected:
  Kind kind() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Numerics, Contracts, testing::ValuesIn(all_kinds), [](const auto &info) { return name(info.param); });

/// O of the row is +0, bit by bit, and its LSE is -inf.
void expect_empty(const Outputs &outputs, std::int64_t b, std::int64_t h, std::int64_t row) {
  for (std::int64_t c = 0; c < outputs.o.size(3); ++c) {
    const double value = outputs.o.get(outputs.o.at({b, h, row, c}));
    EXPECT_TRUE(value == 0 && !std::signbit(value)) << "row " << row << " column " << c << ": " << value;
  }
  EXPECT_EQ(outputs.lse.get(outputs.lse.at({b, h, row})), -inf_) << "row " << row;
}

// A1, C1: more queries than keys, causal: the first rows see nothing, the next one key each.
TEST_P(Contracts, RowsBeforeTheFirstKey) {
  const Configuration c{kind(), DType::f16, 64, causal()};
  const Tensors tensors = random_tensors(c.dtype, 64, {1, 1, 1, 5, 2});
  auto outputs = run(c, tensors);
  ASSERT_TRUE(outputs.ok()) << outputs.message();
  for (std::int64_t row : {0, 1, 2})
    expect_empty(*outputs, 0, 0, row);
  for (std::int64_t column = 0; column < 64; ++column) // row 3 sees key 0 alone
    EXPECT_EQ(outputs->o.get(outputs->o.at({0, 0, 3, column})), tensors.v.get(tensors.v.at({0, 0, 0, column})));
  expect_attention(c, tensors, causal_reference());
}

// A2: causal is aligned to the last key: with one key more than queries, row i sees keys 0 to i + 1.
TEST_P(Contracts, CausalIsBottomRight) {
  expect_attention({kind(), DType::f16, 64, causal()}, random_tensors(DType::f16, 64, {1, 1, 1, 5, 6}), causal_reference());
}

// A6, A7, B2, C1, C6: no keys at all.
TEST_P(Contracts, NoKeys) {
  const Configuration c{kind(), DType::f16, 64};
  auto outputs = run(c, random_tensors(c.dtype, 64, {2, 2, 1, 8, 0}));
  ASSERT_TRUE(outputs.ok()) << outputs.message();
  for (std::int64_t row = 0; row < 8; ++row)
    expect_empty(*outputs, 1, 1, row);
}

// C6: nothing to do is success.
TEST_P(Contracts, NoWork) {
  for (const Sizes sizes : {Sizes{0, 2, 2, 8, 8}, Sizes{1, 0, 0, 8, 8}, Sizes{1, 2, 2, 0, 8}, Sizes{0, 0, 0, 0, 0}, Sizes{1, 0, 2, 8, 8}}) {
    auto outputs = run({kind(), DType::f16, 64}, random_tensors(DType::f16, 64, sizes));
    ASSERT_TRUE(outputs.ok()) << outputs.message();
    EXPECT_EQ(outputs->o.count(), 0);
  }
}

// A9, C1: rows that a mask leaves without keys.
TEST_P(Contracts, RowsMaskedWhole) {
  Variant first_rows{.keep = [](const At &at) { return at.i < 4 && at.k >= 0; }};
  AttentionOptions reference;
  reference.visible = [](const support::LogitPosition &p) { return p.i < 4; };
  const Configuration c{kind(), DType::f32, 32, first_rows};
  const Tensors tensors = random_tensors(c.dtype, 32, {1, 1, 1, 8, 8});
  expect_attention(c, tensors, reference);
  auto outputs = run(c, tensors);
  ASSERT_TRUE(outputs.ok());
  for (std::int64_t row = 4; row < 8; ++row)
    expect_empty(*outputs, 0, 0, row);
}

// C2: NaN and infinity in keys and values that no row sees change no bit, in a block that other rows do see.
TEST_P(Contracts, MaskedDataIsNeverObserved) {
  for (DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    const Configuration c{kind(), dtype, 32, causal()};
    const Sizes sizes{1, 2, 1, 4, 20};
    Tensors tensors = random_tensors(dtype, 32, sizes);
    // Row i sees keys up to i + 16: rows 0 and 1 do not see keys 18 and 19, which are poisoned for them.
    Tensors poisoned = tensors;
    for (std::int64_t column = 0; column < 32; ++column) {
      for (std::int64_t key : {18, 19}) {
        set(poisoned.k, 0, 0, key, column, nan_);
        set(poisoned.v, 0, 0, key, column, column % 2 ? inf_ : nan_);
      }
    }
    auto clean = run(c, tensors), dirty = run(c, poisoned);
    ASSERT_TRUE(clean.ok() && dirty.ok()) << clean.message() << dirty.message();
    for (std::int64_t h : {0, 1})
      for (std::int64_t row : {0, 1}) {
        for (std::int64_t column = 0; column < 32; ++column)
          EXPECT_EQ(clean->o.get(clean->o.at({0, h, row, column})), dirty->o.get(dirty->o.at({0, h, row, column})));
        EXPECT_EQ(clean->lse.get(clean->lse.at({0, h, row})), dirty->lse.get(dirty->lse.at({0, h, row})));
      }
    expect_attention(c, poisoned, causal_reference()); // and rows 2 and 3 are NaN
  }
}

// C2 where the mask alone hides: the poisoned key lies in the middle of everybody's block.
TEST_P(Contracts, HiddenKeyInTheMiddle) {
  Variant hide{.keep = [](const At &at) { return at.k != 7 && at.q >= 0; }};
  AttentionOptions reference;
  reference.visible = [](const support::LogitPosition &p) { return p.j != 7; };
  Tensors tensors = random_tensors(DType::f16, 64, {1, 1, 1, 20, 20});
  auto clean = run({kind(), DType::f16, 64, hide}, tensors);
  for (std::int64_t column = 0; column < 64; ++column) {
    set(tensors.k, 0, 0, 7, column, column % 3 ? nan_ : inf_);
    set(tensors.v, 0, 0, 7, column, column % 3 ? -inf_ : nan_);
  }
  auto dirty = run({kind(), DType::f16, 64, hide}, tensors);
  ASSERT_TRUE(clean.ok() && dirty.ok()) << clean.message() << dirty.message();
  expect_same_bits(*dirty, *clean);
  expect_attention({kind(), DType::f16, 64, hide}, tensors, reference);
}

// G12: two keys, the second masked for the first row and NaN.
TEST_P(Contracts, SmallestMaskedNan) {
  Tensors tensors = random_tensors(DType::f32, 32, {1, 1, 1, 2, 2});
  for (std::int64_t column = 0; column < 32; ++column)
    set(tensors.k, 0, 0, 1, column, nan_), set(tensors.v, 0, 0, 1, column, nan_);
  expect_attention({kind(), DType::f32, 32, causal()}, tensors, causal_reference());
}

// C3: a NaN or +inf logit makes its row NaN, and no other row.
TEST_P(Contracts, NonFiniteQueryStaysInItsRow) {
  for (double bad : {nan_, inf_}) {
    Tensors tensors = random_tensors(DType::f16, 32, {1, 2, 2, 20, 20});
    set(tensors.q, 0, 1, 3, 5, bad);
    expect_attention({kind(), DType::f16, 32}, tensors);
    expect_attention({kind(), DType::f16, 32, causal()}, tensors, causal_reference());
  }
}

// C3: a non-finite value poisons its column in exactly the rows that see it; the LSE does not change.
TEST_P(Contracts, NonFiniteValuePoisonsItsColumn) {
  for (double bad : {nan_, inf_, -inf_}) {
    Tensors tensors = random_tensors(DType::f16, 32, {1, 1, 1, 40, 40});
    auto clean = run({kind(), DType::f16, 32, causal()}, tensors);
    set(tensors.v, 0, 0, 21, 4, bad);
    auto dirty = run({kind(), DType::f16, 32, causal()}, tensors);
    ASSERT_TRUE(clean.ok() && dirty.ok()) << clean.message() << dirty.message();
    EXPECT_TRUE(support::same_bits(clean->lse, dirty->lse));
    expect_attention({kind(), DType::f16, 32, causal()}, tensors, causal_reference());
  }
}

// C3 where the weight has become 0 long before: the first key is seen by all, its weight underflows.
TEST_P(Contracts, NonFiniteValueOfVanishingWeight) {
  Tensors tensors = random_tensors(DType::f16, 32, {1, 1, 1, 2, 40});
  for (std::int64_t column = 0; column < 32; ++column) {
    for (std::int64_t key = 0; key < 40; ++key)
      set(tensors.k, 0, 0, key, column, key == 0 ? -60 : 60);
    for (std::int64_t row = 0; row < 2; ++row)
      set(tensors.q, 0, 0, row, column, 8);
  }
  set(tensors.v, 0, 0, 0, 9, inf_);
  expect_attention({kind(), DType::f16, 32}, tensors, {}, {}, /*random_inputs=*/false);
}

// G3, G4: dots are fp32: 128 products of 64 * 64 do not fit f16. And weighted sums: 6e4 survives.
TEST_P(Contracts, SumsBeyondF16) {
  Tensors tensors = random_tensors(DType::f16, 128, {1, 1, 1, 16, 64});
  for (HostTensor *t : {&tensors.q, &tensors.k})
    for (std::int64_t n = 0; n < t->count(); ++n)
      t->set(n, 64);
  for (std::int64_t n = 0; n < tensors.v.count(); ++n)
    tensors.v.set(n, 6e4);
  expect_attention({kind(), DType::f16, 128}, tensors, {}, {}, /*random_inputs=*/false);
}

// G8, C10: a scale of 0 is no default.
TEST_P(Contracts, Scale) {
  const Tensors tensors = random_tensors(DType::bf16, 64, {1, 2, 2, 20, 30});
  for (double scale : {0.0, 1.0, -0.5, 0.125}) {
    AttentionOptions reference;
    reference.scale = scale;
    expect_attention({kind(), DType::bf16, 64}, tensors, reference, {.scalars = {{"scale", scale}}});
  }
}

// C10, C12: large logits.
TEST_P(Contracts, LargeLogits) {
  Tensors tensors = random_tensors(DType::f16, 64, {1, 1, 1, 20, 40});
  AttentionOptions reference;
  for (double scale : {100.0, 1e4, -1e4}) {
    reference.scale = scale;
    expect_attention({kind(), DType::f16, 64}, tensors, reference, {.scalars = {{"scale", scale}}}, /*random_inputs=*/false);
  }
}

// C13: many keys 17 nats below the largest logit matter together.
TEST_P(Contracts, SmallWeights) {
  Tensors tensors = random_tensors(DType::f16, 32, {1, 1, 1, 1, 30000});
  for (std::int64_t column = 0; column < 32; ++column) {
    set(tensors.q, 0, 0, 0, column, column == 0);
    for (std::int64_t key = 0; key < 30000; ++key) {
      set(tensors.k, 0, 0, key, column, column == 0 && key == 100 ? 17 : 0);
      set(tensors.v, 0, 0, key, column, key == 100 ? 0 : 1000);
    }
  }
  AttentionOptions reference;
  reference.scale = 1;
  Configuration c{kind(), DType::f16, 32};
  c.block_n = 128;
  expect_attention(c, tensors, reference, {.scalars = {{"scale", 1}}}, /*random_inputs=*/false);
}

// C7: what is wrong, with which argument, and what was expected.
TEST_P(Contracts, Errors) {
  const Configuration c{kind(), DType::f16, 64};
  const auto message = [&](const Sizes &sizes, int head_dim = 64, DType dtype = DType::f16) {
    auto outputs = run(c, random_tensors(dtype, head_dim, sizes));
    EXPECT_FALSE(outputs.ok());
    return outputs.message();
  };
  EXPECT_NE(message({1, 3, 2, 8, 8}).find("argument 'k' has shape [1, 2, 8, 64]"), std::string::npos);
  EXPECT_NE(message({1, 3, 2, 8, 8}).find("a number of heads that divides q's 3, got 2"), std::string::npos);
  EXPECT_NE(message({1, 33, 2, 8, 8}).find("divides q's 33, got 2"), std::string::npos);
  for (auto [shape, expected] : {std::pair(support::Shape{1, 2, 8, 32}, "q's head dim 64, got 32"), {{3, 2, 8, 64}, "q's batch 1, got 3"}}) {
    Tensors wrong = random_tensors(c.dtype, 64, {1, 2, 2, 8, 8});
    wrong.k = HostTensor(c.dtype, shape);
    auto outputs = run(c, wrong);
    ASSERT_FALSE(outputs.ok());
    EXPECT_NE(outputs.message().find(expected), std::string::npos) << outputs.message();
    EXPECT_NE(outputs.message().find("argument 'k'"), std::string::npos) << outputs.message();
  }
  EXPECT_NE(message({1, 2, 0, 8, 8}).find("argument 'k'"), std::string::npos);
  EXPECT_NE(message({1, 2, 2, 8, 8}, 32).find("argument 'q' has shape [1, 2, 8, 32]"), std::string::npos);
  EXPECT_NE(message({1, 2, 2, 8, 8}, 64, DType::bf16).find("has element type bf16, expected f16"), std::string::npos);
  auto not_finite = run(c, random_tensors(c.dtype, 64, {}), {.scalars = {{"scale", nan_}}});
  ASSERT_FALSE(not_finite.ok());
  EXPECT_NE(not_finite.message().find("argument 'scale' is nan, expected a finite f32"), std::string::npos) << not_finite.message();
  Tensors other = random_tensors(c.dtype, 64, {1, 2, 2, 8, 8});
  other.v = random_tensors(c.dtype, 64, {1, 2, 2, 8, 9}).v;
  auto lengths = run(c, other);
  ASSERT_FALSE(lengths.ok());
  EXPECT_NE(lengths.message().find("argument 'v' has shape [1, 2, 9, 64]"), std::string::npos) << lengths.message();
}

} // namespace
} // namespace tilefold::numerics
