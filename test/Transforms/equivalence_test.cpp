// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes keep what kernels mean: attention programs are interpreted after each pass alone and after all of them, and
// held against fp64 by the accuracy rule.
#include "codegen/Pipeline/Stages.h"
#include "examples/02_softmax/softmax.h"
#include "mlir/Pass/Pass.h"
#include "support/random.h"
#include "test/DSL/interpret.h"
#include "test/Numerics/attention.h"
#include "test/Numerics/variants.h"
#include "test/Transforms/transform.h"
#include <array>
#include <gtest/gtest.h>

using namespace tilefold;
using namespace tilefold::numerics;
using support::DType;
using support::normal_tensor;

static constexpr const char *kClean = ",canonicalize,cse,loop-invariant-code-motion";

/// The compiler's passes on kernels up to and with `last`, in its order and with its options.
static std::string compiler_passes(tilefold::Stage last, bool folds_scale) {
  tilefold::AlternativePlan plan;
  if (folds_scale)
    plan.positiveScalars.insert("scale");
  mlir::OpPassManager manager(mlir::ModuleOp::getOperationName());
  for (tilefold::Stage stage : {tilefold::Stage::Layout, tilefold::Stage::Schedule})
    if (stage <= last)
      tilefold::addStage(manager, stage, plan, {});
  std::string passes;
  for (mlir::Pass &nested : manager.getPasses()) { // one adaptor for the kernels of each stage
    std::string text;
    llvm::raw_string_ostream stream(text);
    nested.printAsTextualPipeline(stream);
    const size_t first = text.find('(') + 1; // tile.kernel(...)
    passes += (passes.empty() ? "" : ",") + text.substr(first, text.rfind(')') - first);
  }
  return passes;
}

/// Each pass on tiles alone, and what the compiler makes of them.
static const std::vector<std::string> &pipelines() {
  static const std::vector<std::string> all = {
      "tile-hoist-reciprocals",
      "tile-exp-to-exp2",
      "tile-exp-to-exp2{fold-scale=true}",
      "tile-expand-weigh",
      "tile-guard-masks",
      "tile-expand-weigh,tile-contract-products",
      compiler_passes(tilefold::Stage::Schedule, /*folds_scale=*/false),
      compiler_passes(tilefold::Stage::Schedule, /*folds_scale=*/true),
  };
  return all;
}

static bool folds_scale(const std::string &pipeline) { return pipeline.find("fold-scale=true") != std::string::npos; }

class Equivalence : public testing::TestWithParam<std::pair<Kind, DType>> {
protected:
  static constexpr int head_dim = 16;

  Configuration configuration(const Variant &variant = {}) const { return {GetParam().first, GetParam().second, head_dim, variant}; }
  Tensors tensors(const Sizes &sizes) const { return random_tensors(GetParam().second, head_dim, sizes); }
  static numerics::Run after(const std::string &pipeline, std::optional<double> scale) {
    numerics::Run run;
    if (scale)
      run.scalars["scale"] = *scale;
    run.transform = [pipeline](Traced &traced) { return transform(traced, pipeline + kClean); };
    return run;
  }
  void check(const Variant &variant, const Tensors &tensors, support::AttentionOptions options, const std::string &what, bool random) {
    for (const std::string &pipeline : pipelines()) {
      if (options.scale && *options.scale <= 0 && folds_scale(pipeline))
        continue; // the guard of that pipeline
      SCOPED_TRACE(what + " after " + pipeline);
      expect_attention(configuration(variant), tensors, options, after(pipeline, options.scale), random);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Programs, Equivalence,
                         testing::Values(std::pair(Kind::fa1, DType::f16), std::pair(Kind::fa1_rows, DType::f16),
                                         std::pair(Kind::fa2, DType::f16), std::pair(Kind::decode, DType::f16),
                                         std::pair(Kind::fa2, DType::bf16)),
                         [](const auto &info) { return name(info.param.first) + "_" + std::string(support::name(info.param.second)); });

TEST_P(Equivalence, SizesAndVariants) {
  for (const Sizes &s : {Sizes{1, 2, 1, 40, 70}, Sizes{1, 1, 1, 37, 20}, Sizes{1, 2, 1, 3, 0}}) {
    check({}, tensors(s), {}, "plain", true);
    check(causal(), tensors(s), causal_reference(), "causal", true);
    for (const NamedVariant &named : named_variants())
      if (named.name != "huge_bias") // has no log-sum that the accuracy rule could judge
        check(named.variant, tensors(s), *variant_reference(named.name), named.name, true);
    support::AttentionOptions all = *variant_reference("softcap_alibi");
    all.causal = true;
    check(causal() & softcap(30) & alibi(alibi_heads), tensors(s), all, "all", true);
  }
}

TEST_P(Equivalence, Scales) {
  for (double scale : {0., -0.3, 8.})
    check({}, tensors({1, 2, 1, 9, 40}), {.scale = scale}, "scale " + std::to_string(scale), true);
}

// C2, C3: below, on and beyond the diagonal of row blocks that others see.
TEST_P(Equivalence, NonFiniteData) {
  for (float bad : {NAN, INFINITY, -INFINITY})
    for (bool in_keys : {false, true}) {
      Tensors inputs = tensors({1, 2, 1, 40, 40});
      for (int j : {21, 30})
        (in_keys ? inputs.k : inputs.v).set(j * head_dim + 5, bad);
      check(causal(), inputs, {.causal = true}, std::to_string(bad) + (in_keys ? " in k" : " in v"), false);
    }
}

// C12: logits of 1e6, whose rounding must cancel.
TEST_P(Equivalence, LargeLogits) {
  for (double scale : {3e3, 1e5})
    check(causal(), tensors({1, 2, 1, 20, 70}), {.scale = scale, .causal = true}, "scale " + std::to_string(scale), false);
}

/// Products of queries and keys that are `at(row, key)`, in numbers that f16 and bf16 hold: q0 k0 + q1 k1.
static Tensors with_products(Tensors tensors, const std::function<std::array<double, 4>(int64_t row, int64_t key)> &factors) {
  const int64_t head_dim = tensors.q.size(3);
  auto fill = [&](support::HostTensor &tensor, bool keys) {
    for (int64_t row = 0; row < tensor.size(2); ++row)
      for (int64_t column = 0; column < head_dim; ++column) {
        const auto [q0, k0, q1, k1] = factors(keys ? 0 : row, keys ? row : 0);
        set(tensor, 0, 0, row, column, column > 1 ? 0 : keys ? (column ? k1 : k0) : column ? q1 : q0);
      }
  };
  fill(tensors.q, false), fill(tensors.k, true);
  return tensors;
}

// C12: logits of 2^24 and more, up to what f32 holds and base 2 does not. One key has by far the largest.
TEST_P(Equivalence, LogitsBeyondAccuracy) {
  std::vector<double> scales;
  for (int exponent : {13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 28, 40, 100, 117})
    scales.push_back(std::ldexp(1, exponent));
  scales.insert(scales.end(), {std::ldexp(1.5, 117), std::ldexp(1.875, 117)});
  for (bool negative : {false, true}) {
    const Tensors inputs = with_products(tensors({1, 1, 1, 3, 70}), [&](int64_t, int64_t key) {
      const double other = negative ? -1040 + 8 * double(key % 4) : 1000 + 8 * double(key % 4);
      return std::array{1., key != 40 ? other : negative ? -1000. : 1040., 0., 0.};
    });
    for (double scale : scales)
      check({}, inputs, {.scale = scale}, (negative ? "logits of -1000 * " : "logits of 1000 * ") + std::to_string(scale), false);
  }
}

// C12: the largest logits of the blocks rise a little, fall a little or are all the same. What a row's weights are off by, for which
// f16 is too narrow, depends on the row.
TEST_P(Equivalence, CloseLogitsBeyondAccuracy) {
  for (int exponent : {14, 16, 17, 18, 20, 22})
    for (double sign : {1., -1.})
      for (int slope : {1, -1, 0}) {
        const Tensors inputs = with_products(tensors({1, 1, 1, 16, 70}), [&](int64_t row, int64_t key) {
          return std::array{1 + double(row) / 16, 1024 * sign, 0x1p-12, double(slope * (key / 16))};
        });
        check({}, inputs, {.scale = std::ldexp(1, exponent)}, "logits of 2^" + std::to_string(exponent + 10), false);
      }
}

// C12: 65536 equal logits beyond 2^24, relative to which the weights of a row in f16 are less than 2^-14 and off by 0.1 % and more (the
// first four rows), or are not.
TEST_P(Equivalence, ManyTiesBeyondAccuracy) {
  if (GetParam() != std::pair(Kind::fa2, DType::f16))
    GTEST_SKIP() << "what keeps to base e is exact here";
  for (const std::vector<int> &numerators : {std::vector<int>{495, 868, 972, 990}, {1, 3, 5, 7}}) {
    Tensors inputs = with_products(tensors({1, 1, 1, 4, 65536}), [&](int64_t row, int64_t) {
      return std::array{1 + double(numerators[size_t(row % 4)]) / 1024, 1024., 0., 0.};
    });
    for (int64_t n = 0; n < inputs.v.count(); ++n)
      inputs.v.set(n, 1);
    const auto how = after(compiler_passes(Stage::Schedule, /*folds_scale=*/true), 0x1p17);
    expect_attention(configuration(), inputs, {.scale = 0x1p17}, how, /*random_inputs=*/false);
    auto outputs = run(configuration(), inputs, how);
    ASSERT_TRUE(outputs.ok()) << outputs.message();
    EXPECT_EQ(std::isnan(outputs->o.get(0)), numerators.front() == 495) << "a row of normal weights is right";
  }
}

// What is called the compiler's passes above has all of them.
TEST(EquivalenceOfSoftmax, PassesAreTheCompilers) {
  for (bool folds : {false, true}) {
    const std::string passes = compiler_passes(Stage::Schedule, folds);
    for (const std::string &name : passNames(Stage::Tile, Stage::Schedule))
      EXPECT_NE(passes.find(name), std::string::npos) << name << " in " << passes;
    EXPECT_EQ(folds_scale(passes), folds) << passes;
  }
}

TEST(EquivalenceOfSoftmax, RowsOfAnyLength) {
  for (const std::string &pipeline : pipelines())
    for (int n : {1, 100, 256}) {
      SCOPED_TRACE(pipeline + " at length " + std::to_string(n));
      Arguments args{{{"x", normal_tensor(DType::f32, {5, n}, 1)}}, {}};
      auto x = args.tensors["x"].to_f64();
      Traced traced = trace(Softmax<f32>{.block_m = 4, .block_n = 64}, "program");
      ASSERT_EQ(transform(traced, pipeline + kClean), "");
      ASSERT_EQ(interpret(traced, args), "");
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
