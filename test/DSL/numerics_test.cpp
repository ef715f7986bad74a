// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examples that are no attention, run by the interpreter, against fp64.
#include "examples/01_vector_add/vector_add.h"
#include "examples/02_softmax/softmax.h"
#include "examples/03_matmul/matmul.h"
#include "examples/references.h"
#include "support/random.h"
#include "test/DSL/interpret.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace tilefold;
using support::DType;
using support::HostTensor;
using support::normal_tensor;

template <class Kernel> static std::string run(const Kernel &kernel, Arguments &arguments) {
  Traced traced = trace(kernel, "program");
  return traced.ok() ? interpret(traced, arguments) : traced.diagnostics();
}

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
  const auto expected = references::product(a, b, 70, 90, 50);
  for (size_t i = 0; i < expected.size(); ++i)
    ASSERT_NEAR(c[i], expected[i], 1e-3 * std::max(1., std::abs(expected[i])));
}

TEST(Numerics, Softmax) {
  for (int n : {1, 100, 256, 300}) {
    Arguments args{{{"x", normal_tensor(DType::f32, {5, n}, 1)}}, {}};
    for (int j = 0; j < n; ++j)
      args.tensors["x"].set(2 * n + j, -INFINITY);
    ASSERT_EQ(run(Softmax<f32>{.block_m = 4, .block_n = 128}, args), "");
    const auto expected = references::softmax(args.tensors["x"].to_f64(), size_t(n)), y = args.tensors["y"].to_f64();
    for (size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(y[i], expected[i], 1e-6);
  }
}
