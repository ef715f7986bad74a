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

/// The exit code of the tool, and what it says on standard error.
std::pair<int, std::string> complaint(std::vector<NamedKernel> kernels, std::vector<std::string> words) {
  testing::internal::CaptureStderr();
  const int code = call(std::move(kernels), std::move(words));
  return {code, testing::internal::GetCapturedStderr()};
}

TEST(Tool, NamesThatNobodyCouldAskForAreRefused) {
  FlashAttention2<f16> kernel{.head_dim = 32};
  for (const char *name : {"", "two words", "-x", "a/b"}) {
    const auto [code, text] = complaint({{name, kernel}}, {"run", "--random", "1,2,20,20,32"});
    EXPECT_EQ(code, 2) << name;
    EXPECT_NE(text.find("tool(): expected kernels with names of letters, digits, '-' and '_', got '" + std::string(name) + "'"), std::string::npos) << text;
  }
  const auto [code, text] = complaint({{"mine", kernel}, {"mine", kernel}}, {"run", "mine"});
  EXPECT_EQ(code, 2);
  EXPECT_NE(text.find("tool(): expected kernels with names of their own, got 'mine' twice"), std::string::npos) << text;
}

// A grid or a workspace that cannot be is an error of the arguments, the same one wherever the program was to run.
TEST(Tool, GridsAndWorkspacesThatCannotBeAreBadInput) {
  auto launch = [](bool grid) {
    return [grid](Program &p) {
      auto X = p.input<f32, 1>("x");
      auto extent = X.size(0) - 5;
      auto W = p.workspace<f32, 1>("w", {grid ? X.size(0) : extent});
      auto [i] = p.grid({grid ? extent : X.size(0)});
      store(W, {i}, load(X, {i}, {1}));
    };
  };
  for (bool grid : {true, false}) {
    const std::string expected = grid ? "launch of" : "workspace 'w'";
    const std::vector<NamedKernel> kernels{{"mine", AnyKernel(launch(grid))}};
    for (const std::vector<std::string> &words : {std::vector<std::string>{"run", "--on", "interpreter", "--random", "x=4"},
                                                  {"run", "--on", "simulator", "--random", "x=4"},
                                                  {"explain", "--shape", "x=4"}}) {
      const auto [code, text] = complaint(kernels, words);
      EXPECT_EQ(code, 2) << words[0] << ": " << text;
      EXPECT_NE(text.find(expected), std::string::npos) << words[0] << ": " << text;
      EXPECT_NE(text.find("-1"), std::string::npos) << words[0] << ": " << text;
    }
  }
}

TEST(Tool, ElementsThatNobodyWroteAreTold) {
  auto half = [](Program &p) {
    auto X = p.input<f32, 1>("x");
    auto Y = p.output<f32, 1>("y", {X.size(0) * 2});
    auto [i] = p.grid({X.size(0)});
    store(Y, {i * 2}, load(X, {i}, {1}));
  };
  testing::internal::CaptureStdout();
  EXPECT_EQ(call({{"mine", AnyKernel(half)}}, {"run", "--on", "interpreter", "--random", "x=4"}), 0);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("4 of 8 elements of output 'y' were never written and hold no value"), std::string::npos) << text;
}

TEST(Tool, EmptyKernelIsAnError) {
  const auto [code, text] = complaint({{"mine", AnyKernel()}}, {"run", "--random", "1,1,8,8,32"});
  EXPECT_EQ(code, 2);
  EXPECT_NE(text.find("'mine' is an empty function"), std::string::npos) << text;
  const auto compiled = compile(AnyKernel(), "sm_80", "mine");
  ASSERT_FALSE(bool(compiled));
  EXPECT_NE(compiled.message().find("'mine' is an empty function"), std::string::npos) << compiled.message();
}

// An option that a program never asks for would change nothing, which nobody would see.
TEST(Tool, OptionsThatAProgramDoesNotTakeAreRefused) {
  const std::vector<std::string> where{"--on", "interpreter", "--random", "1,2,20,20,32"};
  auto says = [&](const AnyKernel &fixed, auto make, std::vector<std::string> words, const std::string &expected) {
    if (words.front() == "run")
      words.insert(words.end(), where.begin(), where.end());
    const auto [code, text] = make ? complaint({{"mine", make}}, words) : complaint({{"mine", fixed}}, words);
    EXPECT_EQ(code, expected.empty() ? 0 : 2) << words.front() << ": " << text;
    EXPECT_NE(text.find(expected), std::string::npos) << words.front() << ": " << text;
  };
  using Make = AnyKernel (*)(const Config &);
  const Make sized = [](const Config &c) -> AnyKernel { return FlashAttention2<f16>{.head_dim = c.head_dim}; };
  const Make typed = [](const Config &c) {
    return for_dtype(c.dtype, []<class T>(T) { return FlashAttention2<T>{.head_dim = 32, .variant = causal()}; });
  };
  // It is asked when the kernel is traced, of a copy.
  const Make late = [](const Config &c) -> AnyKernel {
    return [c](Program &p) { FlashAttention2<f16>{.head_dim = 32, .variant = c.causal ? causal() : Variant()}(p); };
  };
  const AnyKernel fixed = FlashAttention2<f16>{.head_dim = 32};
  for (const char *command : {"run", "compile", "explain"}) {
    says({}, sized, {command, "--causal"}, "mine: --causal: would change nothing in 'mine', which is made without a look at Config::causal");
    says({}, sized, {command, "--dtype", "f16"}, "mine: --dtype: would change nothing in 'mine'");
    says(fixed, Make(), {command, "--causal"}, "mine: --causal: 'mine' is one fixed kernel, which this option cannot change");
  }
  for (const char *command : {"compile", "explain"})
    says({}, typed, {command, "--head-dim", "32"}, "mine: --head-dim: would change nothing in 'mine'");
  says({}, typed, {"run", "--dtype", "bf16"}, "");
  says({}, typed, {"explain", "--dtype", "bf16"}, "");
  says({}, late, {"run", "--causal"}, "");
}

/// What `explain` prints; empty if it fails.
std::string explain(std::vector<NamedKernel> kernels, std::vector<std::string> words) {
  words.insert(words.begin(), "explain");
  testing::internal::CaptureStdout();
  const int code = call(std::move(kernels), std::move(words));
  const std::string text = testing::internal::GetCapturedStdout();
  return code == 0 ? text : "";
}

// A fixed kernel says itself for which head dim and type it is made, and its loops say which keys it visits.
TEST(Tool, ExplainsAFixedKernel) {
  FlashAttention2<bf16> kernel{.head_dim = 32, .variant = sliding_window(99, 0)};
  const std::string text = explain({{"mine", kernel}}, {"mine", "--heads", "4"});
  EXPECT_NE(text.find("TFLOP/s in bf16 products)"), std::string::npos) << text;
  EXPECT_NE(text.find("4096 keys, head dim 32\n"), std::string::npos) << text;
  // 32 blocks of 128 rows a head visit 4 blocks of 64 keys, the first one 2: 4 (31 4 + 2) times 2 products of 128 x 64 x 32.
  EXPECT_NE(text.find("528 MFLOP are computed, in the blocks of keys that the kernel visits; without any mask 8.59 GFLOP would be needed"),
            std::string::npos) << text;
  EXPECT_EQ(text.find("attention needs"), std::string::npos) << text;
}

// With a reference, what its mask shows is counted: here 100 keys a row, less at the start.
TEST(Tool, ExplainCountsWhatTheMaskShows) {
  About about;
  about.attention = [](const Config &) { return support::AttentionOptions{.causal = true, .window_left = 99}; };
  FlashAttention2<f16> kernel{.head_dim = 32, .variant = sliding_window(99, 0)};
  std::string text = explain({{"mine", kernel, about}}, {"--heads", "4"});
  EXPECT_NE(text.find("207 MFLOP are what attention needs, 39 % of what is computed"), std::string::npos) << text;
  about.attention = [](const Config &) {
    support::AttentionOptions options;
    options.visible = [](const support::LogitPosition &) { return false; };
    return options;
  };
  text = explain({{"mine", kernel, about}}, {"--heads", "4"});
  // A reference that sees pairs one by one is not counted: 8.59 GFLOP bound nothing where the kernel visits fewer blocks.
  EXPECT_EQ(text.find("attention needs"), std::string::npos) << text;
  EXPECT_NE(text.find("without any mask 8.59 GFLOP would be needed"), std::string::npos) << text;
  FlashAttention2<f16> all{.head_dim = 32};
  text = explain({{"mine", all, about}}, {"--heads", "4"});
  EXPECT_NE(text.find("at most 8.59 GFLOP are what attention needs"), std::string::npos) << text;
}

// A head dim between two multiples of 16: the tensors have it, the tiles the next multiple.
TEST(Tool, AFixedHeadDimIsTheKernelsOwn) {
  const std::vector<NamedKernel> mine{{"mine", FlashAttention2<f16>{.head_dim = 72}}};
  const std::string text = explain(mine, {"--heads", "4"});
  EXPECT_NE(text.find("head dim 72\n"), std::string::npos) << text;
  testing::internal::CaptureStdout();
  EXPECT_EQ(call(mine, {"compile", "--emit=layout"}), 0);
  const std::string layout = testing::internal::GetCapturedStdout();
  EXPECT_NE(layout.find("buffer<128x80xf16"), std::string::npos) << layout;
  EXPECT_EQ(call(mine, {"run", "--on", "simulator", "--random", "1,1,20,20,72"}), 0);
}

TEST(Tool, ErrorsNameTheToolOnce) {
  FlashAttention2<f16> kernel{.head_dim = 32};
  const auto [code, text] = complaint({{"mine", kernel}}, {"explain", "--heads", "3/2"});
  EXPECT_EQ(code, 2);
  EXPECT_NE(text.find("mine: 'mine' cannot run like this on h200: argument 'k': expected"), std::string::npos) << text;
  EXPECT_EQ(text.find("mine: mine:"), std::string::npos) << text;
}

/// y = x + what the workspace held; what it holds afterwards is `left`.
AnyKernel withZeros(float left) {
  return [=](Program &p) {
    auto X = p.input<f32, 1>("x");
    auto Y = p.output<f32, 1>("y", X.shape());
    auto Z = p.workspace<f32, 1>("zeros", {X.size(0)}, zero_once);
    p.launch("fill", {ceil_div(X.size(0), 64)}, [&](Index i) {
      auto x = load(X, {i * 64}, {64});
      auto z = load(Z, {i * 64}, {64});
      store(Z, {i * 64}, x + z);
    });
    p.launch("take", {ceil_div(X.size(0), 64)}, [&](Index i) {
      store(Y, {i * 64}, load(Z, {i * 64}, {64}));
      store(Z, {i * 64}, p.full<f32>(left, {64}));
    });
  };
}

// Zeros are there before the first run, and have to be for the next one.
TEST(Tool, AWorkspaceZeroedOnceIsLeftZero) {
  About about;
  about.random = "x=100";
  about.outputs = [](const Tensors &inputs) { return std::map<std::string, std::vector<double>>{{"y", inputs.at("x").to_f64()}}; };
  for (const auto &[executor, code] : {std::pair<std::string, int>{"interpreter", 1}, {"simulator", 2}}) {
    EXPECT_EQ(call({{"mine", withZeros(0), about}}, {"run", "--on", executor, "--check"}), 0) << executor;
    const auto [ended, text] = complaint({{"mine", withZeros(1), about}}, {"run", "--on", executor, "--check"});
    EXPECT_EQ(ended, code) << executor;
    EXPECT_NE(text.find("workspace 'zeros' is not zero after the run"), std::string::npos) << text;
  }
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

// Beside a large index, one that is wrong by 1 is still wrong.
TEST(Tool, IntegersAreExact) {
  auto positions = [](Program &p) {
    auto X = p.input<f32, 1>("x");
    auto Y = p.output<i32, 1>("y", X.shape());
    auto [i] = p.grid({ceil_div(X.size(0), 1024)});
    store(Y, {i * 1024}, i * 1024 + p.arange(1024));
  };
  for (int wrong : {0, 1}) {
    About about;
    about.random = "x=200000";
    about.outputs = [=](const Tensors &) {
      std::vector<double> y(200000);
      for (std::size_t n = 0; n < y.size(); ++n)
        y[n] = double(n);
      y[7] += wrong;
      return std::map<std::string, std::vector<double>>{{"y", y}};
    };
    EXPECT_EQ(call({{"positions", positions, about}}, {"run", "--on", "interpreter", "--check"}), wrong);
  }
}

// A check that leaves an output out says nothing of it.
TEST(Tool, AnOutputWithoutReferenceIsNotRight) {
  About about;
  about.random = "a=10,b=10";
  about.outputs = [](const Tensors &) { return std::map<std::string, std::vector<double>>(); };
  testing::internal::CaptureStdout();
  EXPECT_EQ(call({{"add", VectorAdd<f32>(), about}}, {"run", "--on", "interpreter", "--check"}), 1);
  const std::string text = testing::internal::GetCapturedStdout();
  EXPECT_NE(text.find("FAIL     c form"), std::string::npos) << text;
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

TEST(Compile, UnknownTargetsAreNamed) {
  const auto bytes = compile(VectorAdd<f32>(), "sm_99");
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.message().find("target: expected one of sm_80, "), std::string::npos) << bytes.message();
  EXPECT_NE(bytes.message().find("got 'sm_99'"), std::string::npos) << bytes.message();
}

// 128 x 64 blocks at head dim 384, where Q, K and V alone are 192 KiB: enough for sm_90, for sm_80 with fewer keys.
TEST(Compile, KernelsFitTheTarget) {
  FlashAttention2<f16> kernel{.head_dim = 384};
  EXPECT_TRUE(compile(kernel, "sm_90"));
  const auto bytes = compile(kernel, "sm_80");
  ASSERT_FALSE(bytes);
  EXPECT_NE(bytes.message().find("needs 196608 bytes of shared memory, a block on sm_80 has at most 166912"), std::string::npos) << bytes.message();
  kernel.block_n = 32;
  EXPECT_TRUE(compile(kernel, "sm_80"));
  EXPECT_FALSE(compile(kernel, "sm_89"));
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
