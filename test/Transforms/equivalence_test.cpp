// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes keep what kernels mean: attention programs are interpreted after each pass alone and after all of them, and
// held against fp64 by the accuracy rule.
#include "examples/02_softmax/softmax.h"
#include "examples/04_flash_attention_1/flash_attention_1.h"
#include "examples/04_flash_attention_1/flash_attention_1_rows.h"
#include "examples/05_flash_attention_2/flash_attention_2.h"
#include "examples/06_flash_decoding/flash_decoding.h"
#include "examples/07_your_own_variant/your_own_variant.h"
#include "support/accuracy.h"
#include "support/random.h"
#include "test/Transforms/transform_and_run.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace tilefold;
using support::DType;
using support::normal_tensor;

static constexpr const char *kClean = ",canonicalize,cse,loop-invariant-code-motion";
static constexpr const char *kPipelines[] = {
    "tile-hoist-reciprocals",
    "tile-exp-to-exp2",
    "tile-exp-to-exp2{fold-scale=true}",
    "tile-expand-weigh",
    "tile-guard-masks",
    "tile-hoist-reciprocals,tile-exp-to-exp2,tile-expand-weigh,tile-guard-masks",
    "tile-hoist-reciprocals,tile-exp-to-exp2{fold-scale=true},tile-expand-weigh,tile-guard-masks",
};

static bool folds_scale(const std::string &pipeline) { return pipeline.find("fold-scale") != std::string::npos; }

struct Sizes {
  int64_t b, hq, hkv, sq, sk;
};

/// A variant of the language and the same in fp64.
struct Pair {
  const char *name;
  Variant variant = {};
  support::AttentionOptions options = {};
};

static std::vector<Pair> pairs(int heads) {
  auto slope = [=](const support::LogitPosition &p) { return std::exp2(-8.0 * double(p.h + 1) / heads); };
  auto alibi_score = [=](double s, const support::LogitPosition &p) { return s - slope(p) * double(p.iq - p.j); };
  return {{"plain"},
          {"causal", causal(), {.causal = true}},
          {"window", sliding_window(20, 3), {.window_left = 20, .window_right = 3}},
          {"all", causal() & softcap(2) & alibi(heads), {.causal = true, .softcap = 2, .score = alibi_score}},
          {"own", alibi_window(heads, 17), {.causal = true, .window_left = 16, .score = alibi_score}}};
}

template <class K> struct TypeOf;
template <template <class> class K, class T> struct TypeOf<K<T>> {
  static constexpr DType value = std::is_same_v<T, f16> ? DType::f16 : DType::bf16;
};

template <class Kernel> class Equivalence : public testing::Test {
protected:
  static constexpr DType dtype = TypeOf<Kernel>::value;
  static constexpr int64_t d = 16;

  Kernel kernel(const Variant &variant = {}) {
    Kernel k;
    k.block_m = 16;
    k.block_n = 16;
    k.head_dim = d;
    k.variant = variant;
    return k;
  }
  Arguments arguments(const Sizes &s) {
    return {{{"q", normal_tensor(dtype, {s.b, s.hq, s.sq, d}, 7, 0)},
             {"k", normal_tensor(dtype, {s.b, s.hkv, s.sk, d}, 7, 1)},
             {"v", normal_tensor(dtype, {s.b, s.hkv, s.sk, d}, 7, 2)}},
            {}};
  }
  void check(const Kernel &kernel, const Arguments &inputs, support::AttentionOptions options, const std::string &what, bool random) {
    if (inputs.scalars.count("scale"))
      options.scale = inputs.scalars.at("scale");
    const auto &in = inputs.tensors;
    auto reference = support::reference_attention(in.at("q"), in.at("k"), in.at("v"), options);
    auto plain = support::plain_attention(in.at("q"), in.at("k"), in.at("v"), options);
    ASSERT_TRUE(reference.ok() && plain.ok());
    support::AccuracyOptions rule;
    rule.random_inputs = random;
    for (std::string pipeline : kPipelines) {
      if (options.scale && *options.scale <= 0 && folds_scale(pipeline))
        continue; // the guard of that pipeline
      SCOPED_TRACE(what + " after " + pipeline);
      Arguments args = inputs;
      Traced traced = trace(kernel, "program");
      ASSERT_TRUE(traced.ok()) << traced.diagnostics();
      ASSERT_EQ(transform_and_run(traced, pipeline + kClean, args), "");
      const auto &t = args.tensors;
      auto report = support::compare_attention(&t.at("o"), &t.at("lse"), reference.value(), &plain.value(), dtype, rule);
      EXPECT_TRUE(report.passed()) << report.to_string();
    }
  }
};

using Kernels = testing::Types<FlashAttention1<f16>, FlashAttention1Rows<f16>, FlashAttention2<f16>, FlashDecoding<f16>,
                               FlashAttention2<bf16>>;
TYPED_TEST_SUITE(Equivalence, Kernels);

TYPED_TEST(Equivalence, SizesAndVariants) {
  for (const Sizes &s : {Sizes{1, 2, 1, 40, 70}, Sizes{1, 1, 1, 37, 20}, Sizes{1, 2, 1, 3, 0}})
    for (const Pair &pair : pairs(int(s.hq)))
      this->check(this->kernel(pair.variant), this->arguments(s), pair.options, std::string(pair.name) + " Sk " + std::to_string(s.sk), true);
}

TYPED_TEST(Equivalence, Scales) {
  for (double scale : {0., -0.3, 8.}) {
    Arguments args = this->arguments({1, 2, 1, 9, 40});
    args.scalars["scale"] = scale;
    this->check(this->kernel(), args, {}, "scale " + std::to_string(scale), true);
  }
}

// C2, C3: below, on and beyond the diagonal of row blocks that others see.
TYPED_TEST(Equivalence, NonFiniteData) {
  for (float bad : {NAN, INFINITY, -INFINITY})
    for (const char *name : {"k", "v"}) {
      Arguments args = this->arguments({1, 2, 1, 40, 40});
      for (int j : {21, 30})
        args.tensors[name].set(j * this->d + 5, bad);
      this->check(this->kernel(causal()), args, {.causal = true}, std::to_string(bad) + " in " + name, false);
    }
}

// C12: logits of 1e6, whose rounding must cancel.
TYPED_TEST(Equivalence, LargeLogits) {
  for (double scale : {3e3, 1e5}) {
    Arguments args = this->arguments({1, 2, 1, 20, 70});
    args.scalars["scale"] = scale;
    this->check(this->kernel(causal()), args, {.causal = true}, "scale " + std::to_string(scale), false);
  }
}

TEST(EquivalenceOfSoftmax, RowsOfAnyLength) {
  for (const char *pipeline : kPipelines)
    for (int n : {1, 100, 256}) {
      SCOPED_TRACE(std::string(pipeline) + " at length " + std::to_string(n));
      Arguments args{{{"x", normal_tensor(DType::f32, {5, n}, 1)}}, {}};
      auto x = args.tensors["x"].to_f64();
      Traced traced = trace(Softmax<f32>{.block_m = 4, .block_n = 64}, "program");
      ASSERT_EQ(transform_and_run(traced, std::string(pipeline) + kClean, args), "");
      auto y = args.tensors["y"].to_f64();
      for (int i = 0; i < 5; ++i) {
        double sum = 0;
        for (int j = 0; j < n; ++j)
          sum += std::exp(x[i * n + j]);
        for (int j = 0; j < n; ++j)
          ASSERT_NEAR(y[i * n + j], std::exp(x[i * n + j]) / sum, 1e-6);
      }
    }
}
