// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tool and the compiler as a library, as a program of a user's would use them.
#include "codegen/Tool/tool.h"
#include "examples/01_vector_add/vector_add.h"
#include "examples/05_flash_attention_2/flash_attention_2.h"
#include "runtime/tilefold.hpp"

#include <gtest/gtest.h>

using namespace tilefold;

namespace {

/// Runs the tool as `mine WORDS...`.
int call(std::vector<NamedKernel> kernels, std::vector<std::string> words) {
  words.insert(words.begin(), "mine");
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  return tool(int(pointers.size()), pointers.data(), std::move(kernels));
}

TEST(Tool, RunsAFixedKernel) {
  FlashAttention2<bf16> kernel{.head_dim = 32, .variant = causal()};
  EXPECT_EQ(call({{"mine", kernel}}, {"run", "mine", "--on", "interpreter", "--random", "1,2,20,20,32"}), 0);
  EXPECT_EQ(call({{"mine", kernel}}, {"run", "--on", "interpreter", "--random", "1,2,20,20,32"}), 0) << "the only program needs no name";
  EXPECT_EQ(call({{"mine", kernel}}, {"run", "--on", "interpreter", "--random", "1,2,20,20,64"}), 2) << "another head dim";
  EXPECT_EQ(call({{"mine", kernel}}, {"run", "--random", "1,2,20,20,32", "--causal"}), 2) << "a fixed kernel has no options";
  EXPECT_EQ(call({{"mine", kernel}}, {"run", "--random", "1,2,20,20,32", "--check"}), 2) << "nothing to compare with";
}

TEST(Tool, WrongNumbersAreExitCodeOne) {
  About about;
  about.random = "a=10,b=10";
  about.outputs = [](const Tensors &inputs) { return std::map<std::string, std::vector<double>>{{"c", inputs.at("a").to_f64()}}; };
  EXPECT_EQ(call({{"add", VectorAdd<f32>(), about}}, {"run", "--on", "interpreter", "--check"}), 1);
  about.outputs = [](const Tensors &inputs) {
    auto c = inputs.at("a").to_f64(), b = inputs.at("b").to_f64();
    for (std::size_t i = 0; i < c.size(); ++i)
      c[i] += b[i];
    return std::map<std::string, std::vector<double>>{{"c", c}};
  };
  EXPECT_EQ(call({{"add", VectorAdd<f32>(), about}}, {"run", "--on", "interpreter", "--check"}), 0);
}

TEST(Tool, AKernelWithErrorsIsBadInput) {
  auto kernel = [](Program &p) {
    auto x = p.input<f32, 1>("x");
    auto [i] = p.grid({x.size(0)});
    store(x, {i}, p.zeros<f32>({3})); // an input cannot be stored to
  };
  EXPECT_EQ(call({{"bad", kernel}}, {"run", "--random", "x=8"}), 2);
  EXPECT_EQ(call({{"bad", kernel}}, {"compile", "--emit=tile"}), 2);
}

TEST(Compile, GivesAnArtifactThatTheRuntimeReads) {
  auto bytes = compile(VectorAdd<f32>(), "sm_80", "add");
  ASSERT_TRUE(bytes) << bytes.message();
  auto artifact = runtime::Artifact::from_memory(bytes->data(), bytes->size());
  ASSERT_TRUE(artifact) << artifact.status().message();
  EXPECT_EQ(artifact->program(), "add");
  EXPECT_TRUE(artifact->verify({8, 0, 108, 163 * 1024}).ok());
}

TEST(Compile, ErrorsAreDiagnosticsOnTheKernelsOwnLines) {
  auto kernel = [](Program &p) {
    auto x = p.input<f32, 1>("x");
    auto [i] = p.grid({x.size(0)});
    store(x, {i}, p.zeros<f32>({3}));
  };
  auto bytes = compile(kernel);
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.message().find("tool_test.cpp"), std::string::npos) << bytes.message();
}

} // namespace
