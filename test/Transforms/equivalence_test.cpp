// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes keep what kernels mean: attention programs are interpreted after each pass alone and after all of them, and
// held against fp64 by the accuracy rule.
#include "codegen/Pipeline/Stages.h"
#include "examples/02_softmax/softmax.h"
#include "mlir/Pass/Pass.h"
#include "test/DSL/attention_cases.h"
#include "test/Transforms/transform_and_run.h"

using namespace tilefold;
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

template <class Kernel> class Equivalence : public AttentionTest<Kernel> {
protected:
  static constexpr int64_t d = 16;

  Kernel kernel(const Variant &variant = {}) { return this->make_kernel(d, /*block_n=*/16, variant); }
  Arguments arguments(const AttentionSizes &s) { return this->make_arguments(s, d); }
  void check(const Kernel &kernel, const Arguments &inputs, const support::AttentionOptions &options, const std::string &what, bool random) {
    for (const std::string &pipeline : pipelines()) {
      if (inputs.scalars.count("scale") && inputs.scalars.at("scale") <= 0 && folds_scale(pipeline))
        continue; // the guard of that pipeline
      SCOPED_TRACE(what + " after " + pipeline);
      Arguments args = inputs;
      Traced traced = trace(kernel, "program");
      ASSERT_TRUE(traced.ok()) << traced.diagnostics();
      ASSERT_EQ(transform_and_run(traced, pipeline + kClean, args), "");
      this->expect_attention(args, options, random);
    }
  }
};

using Kernels = testing::Types<FlashAttention1<f16>, FlashAttention1Rows<f16>, FlashAttention2<f16>, FlashDecoding<f16>,
                               FlashAttention2<bf16>>;
TYPED_TEST_SUITE(Equivalence, Kernels);

TYPED_TEST(Equivalence, SizesAndVariants) {
  for (const AttentionSizes &s : {AttentionSizes{1, 2, 1, 40, 70}, AttentionSizes{1, 1, 1, 37, 20}, AttentionSizes{1, 2, 1, 3, 0}})
    for (const VariantPair &pair : variant_pairs(int(s.hq)))
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

// C12: logits of 2^24 and more. A row is right, which here is the value of the one key with the largest logit, or NaN.
TYPED_TEST(Equivalence, LogitsBeyondAccuracy) {
  for (double sign : {1., -1.})
    for (int exponent : {13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 28, 40, 100}) {
      Arguments inputs = this->arguments({1, 1, 1, 3, 70});
      const int64_t d = this->d, best = 40;
      for (int64_t column = 0; column < d; ++column) {
        for (int64_t row = 0; row < 3; ++row)
          inputs.tensors["q"].set(row * d + column, column == 0);
        for (int64_t key = 0; key < 70; ++key) { // numbers that f16 and bf16 hold
          const double other = sign > 0 ? 1000 + 8 * double(key % 4) : -1040 + 8 * double(key % 4);
          inputs.tensors["k"].set(key * d + column, column ? 0 : key != best ? other : sign > 0 ? 1040 : -1000);
        }
      }
      inputs.scalars["scale"] = std::ldexp(1, exponent);
      const double logit = std::ldexp(sign > 0 ? 1040 : -1000, exponent);
      for (const std::string &pipeline : pipelines()) {
        SCOPED_TRACE("logit " + std::to_string(logit) + " after " + pipeline);
        Arguments args = inputs;
        Traced traced = trace(this->kernel(), "program");
        ASSERT_EQ(transform_and_run(traced, pipeline + kClean, args), "");
        const auto o = args.tensors["o"].to_f64(), lse = args.tensors["lse"].to_f64(), v = args.tensors["v"].to_f64();
        for (int64_t row = 0; row < 3; ++row) {
          if (std::abs(logit) < 0x1p24) {
            EXPECT_FALSE(std::isnan(lse[row]));
          }
          if (!std::isnan(lse[row])) {
            EXPECT_NEAR(lse[row] / logit, 1, 1e-6);
          }
          for (int64_t column = 0; column < d; ++column) {
            const double value = o[row * d + column], right = v[best * d + column];
            if (std::abs(logit) < 0x1p24) {
              EXPECT_FALSE(std::isnan(value)) << "row " << row << " column " << column;
            }
            if (std::isnan(lse[row])) { // the converse need not hold: o alone may be NaN
              EXPECT_TRUE(std::isnan(value)) << "row " << row << " column " << column;
            }
            if (!std::isnan(value)) {
              EXPECT_NEAR(value, right, 1e-2 * std::abs(right));
            }
          }
        }
      }
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
      ASSERT_EQ(transform_and_run(traced, pipeline + kClean, args), "");
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
