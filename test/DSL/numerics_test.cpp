// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The examples, run by the interpreter: matrix programs against plain loops, attention against fp64 by the accuracy rule.
#include "examples/01_vector_add/vector_add.h"
#include "examples/02_softmax/softmax.h"
#include "examples/03_matmul/matmul.h"
#include "test/DSL/attention_cases.h"

using namespace tilefold;
using support::DType;
using support::HostTensor;
using support::normal_tensor;

template <class Kernel> static std::string run(const Kernel &kernel, Arguments &arguments) {
  Traced traced = trace(kernel, "program");
  return traced.ok() ? interpret(traced, arguments) : traced.diagnostics();
}

//===-- matrices ------------------------------------------------------------------------------------------------===//

TEST(Numerics, VectorAdd) {
  Arguments args{{{"a", normal_tensor(DType::f32, {1000}, 1, 0)}, {"b", normal_tensor(DType::f32, {1000}, 1, 1)}}, {}};
  ASSERT_EQ(run(VectorAdd<f32>{.block = 128}, args), "");
  auto a = args.tensors["a"].to_f32(), b = args.tensors["b"].to_f32(), c = args.tensors["c"].to_f32();
  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(c[i], a[i] + b[i]);
  args.tensors = {{"a", HostTensor(DType::f32, {8})}, {"b", HostTensor(DType::f32, {9})}};
  EXPECT_NE(run(VectorAdd<f32>{}, args).find("a's length 8, got 9"), std::string::npos);
}

TEST(Numerics, Matmul) {
  Arguments args{{{"a", normal_tensor(DType::f16, {70, 90}, 1, 0)}, {"b", normal_tensor(DType::f16, {90, 50}, 1, 1)}}, {}};
  ASSERT_EQ(run(Matmul<f16>{.block_m = 32, .block_n = 32, .block_k = 32}, args), "");
  auto a = args.tensors["a"].to_f64(), b = args.tensors["b"].to_f64(), c = args.tensors["c"].to_f64();
  for (int i = 0; i < 70; ++i)
    for (int j = 0; j < 50; ++j) {
      double sum = 0;
      for (int k = 0; k < 90; ++k)
        sum += a[i * 90 + k] * b[k * 50 + j];
      ASSERT_NEAR(c[i * 50 + j], sum, 1e-3 * std::max(1., std::abs(sum)));
    }
}

TEST(Numerics, Softmax) {
  for (int n : {1, 100, 256, 300}) {
    Arguments args{{{"x", normal_tensor(DType::f32, {5, n}, 1)}}, {}};
    for (int j = 0; j < n; ++j)
      args.tensors["x"].set(2 * n + j, -INFINITY);
    ASSERT_EQ(run(Softmax<f32>{.block_m = 4, .block_n = 128}, args), "");
    auto x = args.tensors["x"].to_f64(), y = args.tensors["y"].to_f64();
    for (int i = 0; i < 5; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j)
        sum += std::exp(x[i * n + j]);
      for (int j = 0; j < n; ++j)
        ASSERT_NEAR(y[i * n + j], sum > 0 ? std::exp(x[i * n + j]) / sum : 0, 1e-6);
    }
  }
}

//===-- attention -----------------------------------------------------------------------------------------------===//

using Sizes = AttentionSizes;

template <class Kernel> class AttentionNumerics : public AttentionTest<Kernel> {
protected:
  Kernel kernel(int head_dim, const Variant &variant = {}) { return this->make_kernel(head_dim, /*block_n=*/32, variant); }
  Arguments arguments(const Sizes &s, int64_t d) { return this->make_arguments(s, d); }
  void check(const Kernel &kernel, Arguments args, const support::AttentionOptions &options, const std::string &what, bool random = true) {
    SCOPED_TRACE(what);
    ASSERT_EQ(run(kernel, args), "");
    this->expect_attention(args, options, random);
  }
};

using Kernels = testing::Types<FlashAttention1<f16>, FlashAttention1Rows<f16>, FlashAttention2<f16>, FlashDecoding<f16>,
                               FlashAttention1<bf16>, FlashAttention1Rows<bf16>, FlashAttention2<bf16>, FlashDecoding<bf16>>;
TYPED_TEST_SUITE(AttentionNumerics, Kernels);

TYPED_TEST(AttentionNumerics, SizesAndVariants) {
  for (const Sizes &s : {Sizes{1, 1, 1, 1, 1}, Sizes{2, 4, 2, 40, 40}, Sizes{1, 3, 1, 7, 70}, Sizes{1, 2, 2, 50, 33}, Sizes{1, 20, 1, 2, 65}, Sizes{1, 2, 1, 3, 0}})
    for (const VariantPair &pair : variant_pairs(int(s.hq)))
      this->check(this->kernel(32, pair.variant), this->arguments(s, 32), pair.options,
                  std::string(pair.name) + " Hq " + std::to_string(s.hq) + " Sq " + std::to_string(s.sq) + " Sk " + std::to_string(s.sk));
}

TYPED_TEST(AttentionNumerics, HeadDims) {
  for (int d : {64, 80, 96, 128, 256})
    this->check(this->kernel(d, causal()), this->arguments({1, 2, 1, 17, 40}, d), {.causal = true}, "head dim " + std::to_string(d));
}

TYPED_TEST(AttentionNumerics, Scales) {
  for (double scale : {0., -0.3, 1., 8.}) {
    Arguments args = this->arguments({1, 2, 1, 9, 70}, 32);
    args.scalars["scale"] = scale;
    this->check(this->kernel(32), args, {}, "scale " + std::to_string(scale));
  }
}

TYPED_TEST(AttentionNumerics, NothingToDo) {
  for (const Sizes &s : {Sizes{0, 2, 2, 3, 4}, Sizes{1, 0, 0, 3, 4}, Sizes{1, 2, 2, 0, 4}}) {
    Arguments args = this->arguments(s, 32);
    EXPECT_EQ(run(this->kernel(32), args), "");
  }
}

// C2 and C3: what a row does not see changes no bit of it; what it sees and is not finite shows, in that row alone.
TYPED_TEST(AttentionNumerics, NonFiniteData) {
  for (float bad : {NAN, INFINITY, -INFINITY})
    for (bool in_keys : {false, true}) {
      Arguments args = this->arguments({1, 2, 1, 40, 40}, 32);
      HostTensor &t = args.tensors[in_keys ? "k" : "v"];
      for (int j : {21, 30}) // seen by the rows from 21 on
        t.set(j * 32 + 5, bad);
      this->check(this->kernel(32, causal()), args, {.causal = true}, std::to_string(bad) + (in_keys ? " in k" : " in v"), false);
    }
}

TYPED_TEST(AttentionNumerics, LargeLogits) {
  Arguments args = this->arguments({1, 2, 1, 20, 70}, 32);
  args.scalars["scale"] = 3e4;
  this->check(this->kernel(32, causal()), args, {.causal = true}, "scale 3e4", false);
}

// C13: many keys 17 nats below one other; together they matter.
TYPED_TEST(AttentionNumerics, SmallWeights) {
  const int64_t n = 30000;
  Arguments args = this->arguments({1, 1, 1, 1, n}, 32);
  for (const char *name : {"q", "k", "v"})
    for (int64_t i = 0; i < args.tensors[name].count(); ++i)
      args.tensors[name].set(i, 0);
  args.tensors["q"].set(0, 1);
  args.tensors["k"].set(0, 17);
  for (int64_t j = 0; j < n; ++j)
    args.tensors["v"].set(j * 32, j == 0 ? 0 : 1);
  args.scalars["scale"] = 1;
  this->check(this->kernel(32), args, {}, "one key above the others", false);
}

TYPED_TEST(AttentionNumerics, WrongArgumentsAreNamed) {
  auto refuses = [&](const char *name, support::Shape shape, const char *expected) {
    Arguments args = this->arguments({2, 4, 2, 5, 6}, 32);
    args.tensors[name] = HostTensor(this->dtype, shape);
    std::string error = run(this->kernel(32), args);
    EXPECT_NE(error.find(expected), std::string::npos) << error;
    EXPECT_NE(error.find(std::string("'") + name + "'"), std::string::npos) << error;
  };
  refuses("q", {2, 4, 5, 64}, "a head dim of 32, for which this kernel was compiled, got 64");
  refuses("k", {2, 2, 6, 64}, "q's head dim 32, got 64");
  refuses("k", {3, 2, 6, 32}, "q's batch 2, got 3");
  refuses("k", {2, 0, 6, 32}, "at least one head, got 0");
  refuses("k", {2, 3, 6, 32}, "a number of heads that divides q's 4, got 3");
  refuses("v", {2, 2, 7, 32}, "k's shape, whose dimension 2 is 6, got 7");
}

template <class Kernel> class SplitNumerics : public AttentionNumerics<Kernel> {};
TYPED_TEST_SUITE(SplitNumerics, testing::Types<FlashDecoding<f16>>);

TYPED_TEST(SplitNumerics, AnyNumberOfSplits) { // C8
  for (int splits : {0, 1, 2, 3, 7, 40, 1000000})
    for (int64_t n : {0, 5, 700, 1300})
      for (const VariantPair &pair : {VariantPair{"plain"}, VariantPair{"window", sliding_window(300, 0), {.window_left = 300, .window_right = 0}}}) {
        Arguments args = this->arguments({2, 6, 2, 3, n}, 32);
        args.scalars["splits"] = splits;
        this->check(this->kernel(32, pair.variant), args, pair.options, std::to_string(splits) + " splits of " + std::to_string(n) + " " + pair.name);
      }
  Arguments args = this->arguments({1, 2, 2, 1, 9}, 32);
  args.scalars["splits"] = -1;
  EXPECT_NE(run(this->kernel(32), args).find("0 for the default, or how many at most, got -1"), std::string::npos);
}
