// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every example traces in every configuration, and its IR has what its contract needs.
#include "examples/01_vector_add/vector_add.h"
#include "examples/02_softmax/softmax.h"
#include "examples/03_matmul/matmul.h"
#include "examples/04_flash_attention_1/flash_attention_1.h"
#include "examples/04_flash_attention_1/flash_attention_1_rows.h"
#include "examples/05_flash_attention_2/flash_attention_2.h"
#include "examples/06_flash_decoding/flash_decoding.h"
#include "examples/07_your_own_variant/your_own_variant.h"
#include "test/DSL/expect.h"
#include "test/Numerics/head_dims.h"

using namespace tilefold;

TEST(Examples, VectorAdd) {
  auto text = traced(VectorAdd<f32>{.block = 256});
  EXPECT_HAS(text, "tile.require .*, \"b\", \"a's length");
  EXPECT_HAS(text, "arith.addf .* : tensor<256xf32>");
  traced(VectorAdd<bf16>{});
}

TEST(Examples, Softmax) {
  auto text = traced(Softmax<f16>{});
  EXPECT_EQ(count(text, "scf.for"), 2);
  EXPECT_EQ(count(text, "pad 0xFC00 : f16"), 2);
  traced(Softmax<f32>{.block_m = 1, .block_n = 4096});
}

TEST(Examples, Matmul) {
  auto text = traced(Matmul<f16>{});
  EXPECT_HAS(text, "tile.dot .* : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>");
  EXPECT_HAS(text, "grid ?\\(%[0-9]+, %[0-9]+, %c1_i64\\)");
}

/// What the contracts ask of every attention program.
static void expect_contracts(const std::string &text, const std::string &shape_of_scores) {
  EXPECT_HAS(text, "tile.weigh");                                                 // C2
  EXPECT_HAS(text, "cmpf une, .* : tensor<" + shape_of_scores);                   // C3: a NaN logit is visible
  EXPECT_HAS(text, "cmpf ogt");                                                   // C1: l > 0 guards the division
  EXPECT_HAS(text, "tile.default = .* : f32, tile.name = \"scale\"");
  EXPECT_HAS(text, "tile.shape .*!tile.view<3xf32>");
  for (auto argument : {"\"q\", \"a head dim of", "\"k\", \"q's head dim", "\"k\", \"q's batch", "\"k\", \"a number of heads", "\"v\", \"k's shape"})
    EXPECT_HAS(text, std::string("tile.require .*, ") + argument);
}

template <class K> class Attention : public testing::Test {};
using AttentionKernels = testing::Types<FlashAttention1<f16>, FlashAttention1Rows<f16>, FlashAttention2<f16>, FlashDecoding<f16>,
                                        FlashAttention1<bf16>, FlashAttention1Rows<bf16>, FlashAttention2<bf16>, FlashDecoding<bf16>>;
TYPED_TEST_SUITE(Attention, AttentionKernels);

TYPED_TEST(Attention, AllHeadDimsAndVariants) {
  std::vector<int> head_dims = {33, 72}; // of no multiple of 16
  head_dims.insert(head_dims.end(), std::begin(numerics::head_dims), std::end(numerics::head_dims));
  for (int head_dim : head_dims)
    for (const Variant &variant : {Variant{}, causal(), sliding_window(100, 0), causal() & softcap(30) & alibi(12), alibi_window(8, 64)}) {
      TypeParam kernel;
      kernel.head_dim = head_dim;
      kernel.variant = variant;
      auto text = traced(kernel, "attention");
      expect_contracts(text, std::to_string(kernel.block_m) + "x" + std::to_string(kernel.block_n) + "xf32>");
    }
}

TEST(Examples, HalfPrecisionWeightsHaveHeadroom) { // C13
  EXPECT_HAS(traced(FlashAttention2<f16>{}), "dense<8.317766");
  EXPECT_LACKS(traced(FlashAttention2<bf16>{}), "dense<8.317766");
}

TEST(Examples, CausalVisitsNoBlockBeyondTheDiagonal) {
  FlashAttention2<f16> kernel;
  const char *ends_early = "%([0-9]+) = arith.minsi .* : i32[^]*scf.for %[a-z0-9]+ = %c0_i32 to %\\1 ";
  auto text = traced(kernel);
  EXPECT_EQ(count(text, "arith.minsi"), 1); // the end of a stretch
  EXPECT_LACKS(text, ends_early);
  EXPECT_LACKS(text, "cmpi sge");
  kernel.variant = causal();
  text = traced(kernel);
  EXPECT_EQ(count(text, "arith.minsi"), 2);
  EXPECT_HAS(text, ends_early);
  EXPECT_HAS(text, "arith.cmpi sge, .* : tensor<128x64xi32>");
}

TEST(Examples, FlashAttention1KeepsItsStateInMemory) {
  auto text = traced(FlashAttention1<f16>{});
  EXPECT_EQ(count(text, "tile.workspace"), 3);
  EXPECT_EQ(count(text, "scf.for .* iter_args"), 0);
  // The sums are initialised; for stretches of keys (C14) { the state is; blocks of keys { blocks of queries }; the sums grow };
  // they become the output.
  EXPECT_EQ(count(text, "scf.for"), 7);
}

TEST(Examples, FlashDecodingIsTwoKernels) {
  auto text = traced(FlashDecoding<f16>{}, "decode");
  EXPECT_HAS(text, "tile.launch @decode_split [^]*tile.launch @decode_combine");
  EXPECT_HAS(text, "tile.default = 0 : i32, tile.name = \"splits\"");
  EXPECT_HAS(text, "tile.require .*, \"splits\"");
  EXPECT_EQ(count(text, "tile.narrow"), 4); // q, and the partial m, l and acc: the group's heads only
  EXPECT_HAS(text, "pad 0xFF800000 : f32"); // a split that is not there is the identity
}
