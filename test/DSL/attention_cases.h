// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention kernels in the language beside the same in fp64: what tests of the language and of the passes run.
#pragma once
#include "examples/04_flash_attention_1/flash_attention_1.h"
#include "examples/04_flash_attention_1/flash_attention_1_rows.h"
#include "examples/05_flash_attention_2/flash_attention_2.h"
#include "examples/06_flash_decoding/flash_decoding.h"
#include "examples/07_your_own_variant/your_own_variant.h"
#include "support/accuracy.h"
#include "support/random.h"
#include "test/DSL/interpret.h"
#include <cmath>
#include <gtest/gtest.h>

namespace tilefold {

/// A variant of the language and the same in fp64.
struct VariantPair {
  const char *name;
  Variant variant = {};
  support::AttentionOptions options = {};
};

inline std::vector<VariantPair> variant_pairs(int heads) {
  auto slope = [=](const support::LogitPosition &p) { return std::exp2(-8.0 * double(p.h + 1) / heads); };
  auto alibi_score = [=](double s, const support::LogitPosition &p) { return s - slope(p) * double(p.iq - p.j); };
  return {{"plain"},
          {"causal", causal(), {.causal = true}},
          {"window", sliding_window(20, 3), {.window_left = 20, .window_right = 3}},
          {"diagonal", sliding_window(0, 0), {.window_left = 0, .window_right = 0}},
          {"all", causal() & softcap(2) & alibi(heads), {.causal = true, .softcap = 2, .score = alibi_score}},
          {"own", alibi_window(heads, 17), {.causal = true, .window_left = 16, .score = alibi_score}}};
}

struct AttentionSizes {
  int64_t b, hq, hkv, sq, sk;
};

template <class K> struct TypeOf;
template <template <class> class K, class T> struct TypeOf<K<T>> {
  static constexpr support::DType value = std::is_same_v<T, f16> ? support::DType::f16 : support::DType::bf16;
};

/// For one kernel, f16 or bf16: makes it and its inputs, and holds outputs against fp64 by the accuracy rule.
template <class Kernel> class AttentionTest : public testing::Test {
protected:
  static constexpr support::DType dtype = TypeOf<Kernel>::value;

  Kernel make_kernel(int head_dim, int block_n, const Variant &variant) {
    Kernel k;
    k.block_m = 16;
    k.block_n = block_n;
    k.head_dim = head_dim;
    k.variant = variant;
    return k;
  }
  Arguments make_arguments(const AttentionSizes &s, int64_t d) {
    using support::normal_tensor;
    return {{{"q", normal_tensor(dtype, {s.b, s.hq, s.sq, d}, 7, 0)},
             {"k", normal_tensor(dtype, {s.b, s.hkv, s.sk, d}, 7, 1)},
             {"v", normal_tensor(dtype, {s.b, s.hkv, s.sk, d}, 7, 2)}},
            {}};
  }
  /// `args` after a run; `options` says what the kernel's variant does, its scale is that of the arguments.
  void expect_attention(const Arguments &args, support::AttentionOptions options, bool random) {
    if (args.scalars.count("scale"))
      options.scale = args.scalars.at("scale");
    const auto &t = args.tensors;
    auto reference = support::reference_attention(t.at("q"), t.at("k"), t.at("v"), options);
    ASSERT_TRUE(reference.ok()) << reference.message();
    auto plain = support::plain_attention(t.at("q"), t.at("k"), t.at("v"), options);
    ASSERT_TRUE(plain.ok()) << plain.message();
    support::AccuracyOptions rule;
    rule.random_inputs = random;
    auto report = support::compare_attention(&t.at("o"), &t.at("lse"), reference.value(), &plain.value(), dtype, rule);
    EXPECT_TRUE(report.passed()) << report.to_string();
  }
};

} // namespace tilefold
