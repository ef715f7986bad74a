// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every program against fp64 attention: head dims, types, ragged lengths, groups of heads, strides, splits.
#include "support/random.h"
#include "test/Numerics/attention.h"
#include "test/Numerics/head_dims.h"
#include "test/Numerics/variant_references.h"

#include <gtest/gtest.h>

namespace tilefold::numerics {
namespace {

using support::AttentionOptions;
using support::DType;

class EveryProgram : public testing::TestWithParam<Kind> {
protected:
  Kind kind() const { return GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Numerics, EveryProgram, testing::ValuesIn(all_kinds), [](const auto &info) { return name(info.param); });

TEST_P(EveryProgram, HeadDims) {
  for (int head_dim : head_dims)
    for (bool is_causal : {false, true}) {
      Configuration c{kind(), DType::f16, head_dim, is_causal ? causal() : Variant{}};
      expect_attention(c, random_tensors(c.dtype, head_dim, {1, 2, 1, 37, 53}), is_causal ? causal_reference() : AttentionOptions{});
    }
}

TEST_P(EveryProgram, Types) {
  for (DType dtype : {DType::f16, DType::bf16, DType::f32})
    expect_attention({kind(), dtype, 64, causal()}, random_tensors(dtype, 64, {2, 2, 2, 40, 40}), causal_reference());
}

// Lengths around and between multiples of the block of 16, each with each.
TEST_P(EveryProgram, RaggedLengths) {
  for (std::int64_t queries : {1, 5, 16, 17, 33})
    for (std::int64_t keys : {1, 2, 15, 16, 17, 48, 65}) {
      expect_attention({kind(), DType::f16, 32}, random_tensors(DType::f16, 32, {1, 1, 1, queries, keys}));
      expect_attention({kind(), DType::f16, 32, causal()}, random_tensors(DType::f16, 32, {1, 1, 1, queries, keys}), causal_reference());
    }
}

// A block larger than the tensor.
TEST_P(EveryProgram, LengthsBelowABlock) {
  Configuration c{kind(), DType::f16, 64, causal()};
  c.block_m = 128, c.block_n = 64;
  expect_attention(c, random_tensors(c.dtype, 64, {1, 2, 2, 3, 7}), causal_reference());
}

// F1
TEST_P(EveryProgram, GroupedHeads) {
  for (auto [query_heads, key_heads] : {std::pair{4, 1}, {4, 2}, {7, 1}, {28, 4}, {40, 8}, {20, 1}})
    expect_attention({kind(), DType::f16, 32}, random_tensors(DType::f16, 32, {2, query_heads, key_heads, 3, 35}));
}

// A23
TEST_P(EveryProgram, QueriesAndKeysDiffer) {
  expect_attention({kind(), DType::bf16, 64}, random_tensors(DType::bf16, 64, {1, 1, 1, 128, 256}));
  expect_attention({kind(), DType::bf16, 64}, random_tensors(DType::bf16, 64, {1, 1, 1, 129, 3}));
  expect_attention({kind(), DType::bf16, 64, causal()}, random_tensors(DType::bf16, 64, {1, 1, 1, 50, 100}), causal_reference());
}

// G14: 16 x 16 x 16 among them, two products in a chain of one fragment each.
TEST_P(EveryProgram, BlocksOfManySizes) {
  const Tensors tensors = random_tensors(DType::f16, 64, {1, 2, 2, 70, 90});
  for (auto [m, n] : {std::pair{16, 16}, {64, 32}, {32, 64}, {128, 128}, {16, 80}}) {
    Configuration c{kind(), DType::f16, 64, causal()};
    c.block_m = m, c.block_n = n;
    expect_attention(c, tensors, causal_reference());
  }
  expect_attention({kind(), DType::f16, 16}, random_tensors(DType::f16, 16, {1, 2, 2, 16, 16}));
}

// E2, E5, E9, C2: the same values through any strides give the same bits: padded rows, heads and rows exchanged, an inner stride of 2, an
// address that is not aligned, one head for all.
TEST_P(EveryProgram, Strides) {
  const Configuration c{kind(), DType::f16, 32, causal()};
  const Tensors dense = random_tensors(c.dtype, 32, {2, 2, 2, 21, 21});
  auto expected = run(c, dense);
  ASSERT_TRUE(expected.ok()) << expected.message();
  const auto strided = [](const support::HostTensor &t, support::Shape strides, std::int64_t offset = 0) {
    auto result = t.with_strides(std::move(strides), offset);
    EXPECT_TRUE(result.ok()) << result.message();
    return *result;
  };
  const std::int64_t s = 21, d = 32;
  Tensors padded{strided(dense.q, {2 * s * 40, s * 40, 40, 1}), strided(dense.k, {2 * s * d, d, 2 * d, 1}),
                 strided(dense.v, {2 * s * d * 2, s * d * 2, d * 2, 2}, 1)};
  auto actual = run(c, padded);
  ASSERT_TRUE(actual.ok()) << actual.message();
  expect_same_bits(*actual, *expected);

  // Outputs: [b, s, h, d] with padded rows, and an LSE of every other element. What lies between stays as it was.
  numerics::Run into;
  auto o = support::HostTensor::create(c.dtype, {2, 2, s, d}, {s * 2 * 40, 40, 2 * 40, 1}, 3);
  auto lse = support::HostTensor::create(DType::f32, {2, 2, s}, {4 * s, 2 * s, 2});
  ASSERT_TRUE(o.ok() && lse.ok());
  o->poison(), lse->poison();
  into.outputs = {{"o", *o}, {"lse", *lse}};
  auto strided_outputs = run(c, dense, into);
  ASSERT_TRUE(strided_outputs.ok()) << strided_outputs.message();
  EXPECT_EQ(strided_outputs->o.strides(), o->strides());
  EXPECT_EQ(strided_outputs->lse.strides(), lse->strides());
  expect_same_bits(*strided_outputs, *expected);
  for (auto [into, from] : {std::pair(&*o, &strided_outputs->o), {&*lse, &strided_outputs->lse}})
    for (std::int64_t n = 0; n < into->count(); ++n)
      into->set(into->at_linear(n), from->get(from->at_linear(n)));
  EXPECT_EQ(strided_outputs->o.storage(), o->storage());
  EXPECT_EQ(strided_outputs->lse.storage(), lse->storage());
}

// One head, or one batch entry, for all.
TEST_P(EveryProgram, BroadcastKeys) {
  const Configuration c{kind(), DType::f16, 32};
  const std::int64_t head = 21 * 32;
  for (const support::Shape &strides : {support::Shape{2 * head, 0, 32, 1}, {0, head, 32, 1}, {0, 0, 32, 1}}) {
    Tensors tensors = random_tensors(c.dtype, 32, {2, 2, 2, 21, 21});
    for (auto [tensor, seed] : {std::pair(&tensors.k, 5), {&tensors.v, 6}}) {
      auto shared = support::HostTensor::create(c.dtype, {2, 2, 21, 32}, strides);
      ASSERT_TRUE(shared.ok()) << shared.message();
      support::fill_normal(*shared, seed);
      *tensor = *shared;
    }
    expect_attention(c, tensors);
    auto shared = run(c, tensors), dense = run(c, {tensors.q, tensors.k.to_dense(), tensors.v.to_dense()});
    ASSERT_TRUE(shared.ok() && dense.ok()) << shared.message() << dense.message();
    expect_same_bits(*shared, *dense);
  }
}

// Neither the threads nor the order of instances may matter, bit by bit.
TEST_P(EveryProgram, OrderAndThreads) {
  const Configuration c{kind(), DType::bf16, 64, causal()};
  const Tensors tensors = random_tensors(c.dtype, 64, {2, 3, 1, 60, 80});
  auto expected = run(c, tensors, {.scalars = {}, .threads = 1, .shuffle = {}});
  ASSERT_TRUE(expected.ok()) << expected.message();
  for (std::uint64_t seed : {1, 2, 3}) {
    auto actual = run(c, tensors, {.scalars = {}, .threads = 4, .shuffle = seed});
    ASSERT_TRUE(actual.ok()) << actual.message();
    expect_same_bits(*actual, *expected);
  }
}

// The batch around a row does not change its bits.
TEST_P(EveryProgram, RestOfTheBatch) {
  const Configuration c{kind(), DType::f16, 64, causal()};
  const Tensors many = random_tensors(c.dtype, 64, {1, 4, 4, 40, 70});
  auto all = run(c, many);
  ASSERT_TRUE(all.ok()) << all.message();
  const auto head = [](const support::HostTensor &t, std::int64_t h) {
    const support::Shape shape = t.shape();
    return support::make_tensor(t.dtype(), {1, 1, shape[2], shape[3]}, [&](std::int64_t n) {
      return t.get(t.at({0, h, n / shape[3], n % shape[3]}));
    });
  };
  auto alone = run(c, {head(many.q, 2), head(many.k, 2), head(many.v, 2)});
  ASSERT_TRUE(alone.ok()) << alone.message();
  EXPECT_TRUE(support::same_bits(alone->o, head(all->o, 2)));
}

// H3, C8
TEST(Splits, AnyNumber) {
  const Tensors tensors = random_tensors(DType::f16, 64, {2, 4, 2, 1, 100});
  for (double splits : {1, 2, 3, 6, 7, 8, 99, 100, 5000})
    for (bool is_causal : {false, true})
      expect_attention({Kind::decode, DType::f16, 64, is_causal ? causal() : Variant{}}, tensors,
                       is_causal ? causal_reference() : AttentionOptions{}, {.scalars = {{"splits", splits}}});
}

// Lengths below a block, of several splits and of none; a window that leaves most splits nothing.
TEST(Splits, AnyLength) {
  AttentionOptions window;
  window.window_left = 300, window.window_right = 0;
  for (double splits : {0, 1, 2, 7, 40, 1000000})
    for (std::int64_t keys : {0, 5, 700, 1300}) {
      const Tensors tensors = random_tensors(DType::f16, 32, {2, 6, 2, 3, keys});
      Configuration c{Kind::decode, DType::f16, 32};
      c.block_n = 32;
      expect_attention(c, tensors, {}, {.scalars = {{"splits", splits}}});
      c.variant = sliding_window(300, 0);
      expect_attention(c, tensors, window, {.scalars = {{"splits", splits}}});
    }
  auto refused = run({Kind::decode, DType::f16, 32}, random_tensors(DType::f16, 32, {}), {.scalars = {{"splits", -1}}});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.message().find("0 for the default, or how many at most, got -1"), std::string::npos) << refused.message();
}

// Queries before the keys of most splits: those splits see nothing.
TEST(Splits, WithoutVisibleKeys) {
  const Tensors tensors = random_tensors(DType::bf16, 32, {1, 2, 2, 90, 90});
  for (double splits : {0, 1, 5, 64})
    expect_attention({Kind::decode, DType::bf16, 32, causal()}, tensors, causal_reference(), {.scalars = {{"splits", splits}}});
}

} // namespace
} // namespace tilefold::numerics
