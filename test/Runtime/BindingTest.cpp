// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contract C7: a wrong argument gives a status that names it, says what it was and what was expected.
#include "test/Runtime/Manifests.h"
#include "runtime/plan/binding.h"

#include <functional>
#include <limits>
#include <random>

namespace tilefold::runtime::test {
namespace {

constexpr int64_t largest_extent = (int64_t(1) << 31) - 65536 - 1;

class BindingTest : public ::testing::Test {
protected:
  /// Plans with the default arguments after one of them is replaced.
  Status plan(const std::string &name, const void *data, DType dtype, std::vector<int64_t> sizes,
              std::vector<int64_t> strides = {}) {
    Arguments arguments;
    for (const char *other : {"q", "k", "o"}) {
      if (name == other)
        arguments.tensor(name, data, dtype, sizes, strides);
      else
        arguments.tensor(other, address(uint64_t(other[0])), TILEFOLD_F16,
                         other[0] == 'k' ? std::vector<int64_t>{2, 2, 1000, 128} : std::vector<int64_t>{2, 8, 1, 128});
    }
    arguments.f32("scale", 1);
    return artifact.plan(arguments.view(), a100).status();
  }
  Status plan(const std::function<void(Arguments &)> &change) {
    Arguments arguments;
    change(arguments);
    return artifact.plan(arguments.view(), a100).status();
  }

  Artifact artifact = open(decode_manifest());
};

#define EXPECT_ARGUMENT_ERROR(expression, name, text)                                                                  \
  do {                                                                                                                 \
    const Status status = (expression);                                                                                \
    EXPECT_EQ(status.code(), TILEFOLD_ERROR_ARGUMENT) << status.message();                                             \
    EXPECT_EQ(status.argument(), name);                                                                                \
    EXPECT_EQ(status.message(), text);                                                                                 \
  } while (false)

TEST_F(BindingTest, GoodArgumentsPass) {
  EXPECT_TRUE(artifact.plan(decode_arguments().view(), a100).ok());
}

TEST_F(BindingTest, ArgumentsAreValues) {
  Arguments copy;
  {
    const Arguments original = decode_arguments();
    copy = original;
    copy.i32("splits", 2);
    EXPECT_EQ(original.view().scalar_count, 1u);
  }
  Result<Plan> plan = artifact.plan(copy.view(), a100);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->launches[0].grid[0], 2);
}

TEST_F(BindingTest, Names) {
  EXPECT_ARGUMENT_ERROR(plan([](Arguments &a) { a = decode_arguments().tensor("kk", address(9), TILEFOLD_F16, {1}); }), "kk",
                        "argument 'kk' is unknown; program 'decode' takes q, k, o, scale, splits");
  EXPECT_ARGUMENT_ERROR(plan([](Arguments &a) { a = decode_arguments().f32("partial", 1); }), "partial",
                        "argument 'partial' is unknown; program 'decode' takes q, k, o, scale, splits");
  EXPECT_ARGUMENT_ERROR(plan([](Arguments &a) { a = decode_arguments().tensor("q", address(9), TILEFOLD_F16, {1, 1, 1, 1}); }),
                        "q", "argument 'q' is given twice, expected once");
  EXPECT_ARGUMENT_ERROR(plan([](Arguments &a) { a = decode_arguments().f32("scale", 1); }), "scale",
                        "argument 'scale' is given twice, expected once");
  EXPECT_ARGUMENT_ERROR(plan([](Arguments &a) { a = decode_arguments().i32("q", 1); }), "q",
                        "argument 'q' is a scalar, expected a tensor of rank 4");
  EXPECT_ARGUMENT_ERROR(plan([](Arguments &a) { a.tensor("scale", address(0), TILEFOLD_F32, {}); }), "scale",
                        "argument 'scale' is a tensor, expected a scalar of type f32");
  EXPECT_ARGUMENT_ERROR(plan([](Arguments &a) { a.f32("scale", 1); }), "q",
                        "argument 'q' is missing, expected a tensor of type f16 and rank 4");
}

TEST_F(BindingTest, TensorTypeAndShape) {
  EXPECT_ARGUMENT_ERROR(plan("k", address(1), TILEFOLD_BF16, {2, 2, 1000, 128}), "k",
                        "argument 'k' has element type bf16, expected f16");
  EXPECT_ARGUMENT_ERROR(plan("k", address(1), TILEFOLD_F16, {2, 1000, 128}), "k", "argument 'k' has rank 3, expected 4");
  EXPECT_ARGUMENT_ERROR(plan("k", address(1), TILEFOLD_F16, {2, 2, 1000, 128}, {1, 1}), "k",
                        "argument 'k' has rank -1, expected 4");
  EXPECT_ARGUMENT_ERROR(plan("k", address(1), TILEFOLD_F16, {2, 2, -1, 128}), "k",
                        "argument 'k' has extent -1 in dimension 2, expected 0 or more and less than 2^31 - 65536");
  EXPECT_ARGUMENT_ERROR(plan("o", address(2), TILEFOLD_F16, {2, 8, 2, 128}), "o",
                        "argument 'o' has shape [2, 8, 2, 128], expected [2, 8, 1, 128]");
}

TEST_F(BindingTest, ExtentsEndBelowTheLimit) {
  EXPECT_TRUE(plan("k", address(1), TILEFOLD_F16, {2, 2, largest_extent, 128}, {0, 0, 0, 1}).ok());
  EXPECT_ARGUMENT_ERROR(plan("k", address(1), TILEFOLD_F16, {2, 2, largest_extent + 1, 128}, {0, 0, 0, 1}), "k",
                        "argument 'k' has extent 2147418112 in dimension 2, expected 0 or more and less than 2^31 - 65536");
}

TEST_F(BindingTest, RequirementsAreFilledIn) {
  EXPECT_ARGUMENT_ERROR(plan("k", address(1), TILEFOLD_F16, {2, 2, 1000, 64}), "k",
                        "argument 'k' has shape [2, 2, 1000, 64] and strides [128000, 64000, 64, 1], expected a head dim of 128 "
                        "as q has, got 64");
  EXPECT_ARGUMENT_ERROR(plan("k", address(1), TILEFOLD_F16, {2, 3, 1000, 128}), "k",
                        "argument 'k' has shape [2, 3, 1000, 128] and strides [384000, 128000, 128, 1], expected a head count "
                        "that divides q's 8");
  EXPECT_ARGUMENT_ERROR(plan([](Arguments &a) { a = decode_arguments().i32("splits", -3); }), "splits",
                        "argument 'splits' is -3, expected 0 (choose) or a number of splits");
}

TEST_F(BindingTest, Addresses) {
  EXPECT_ARGUMENT_ERROR(plan("q", nullptr, TILEFOLD_F16, {2, 8, 1, 128}), "q",
                        "argument 'q' is a null pointer, expected device memory for shape [2, 8, 1, 128]");
  EXPECT_ARGUMENT_ERROR(plan("q", reinterpret_cast<void *>(1025), TILEFOLD_F16, {2, 8, 1, 128}), "q",
                        "argument 'q' has address 1025, expected a multiple of its element size 2");
  EXPECT_TRUE(plan("q", reinterpret_cast<void *>(1026), TILEFOLD_F16, {2, 8, 1, 128}).ok());
  EXPECT_ARGUMENT_ERROR(plan("q", reinterpret_cast<void *>(16), TILEFOLD_F16, {2, 8, 1, 128}, {-1024, 128, 128, 1}), "q",
                        "argument 'q' of shape [2, 8, 1, 128] and strides [-1024, 128, 128, 1] leaves the address space, "
                        "expected a tensor that fits memory");
  EXPECT_ARGUMENT_ERROR(plan("k", address(1), TILEFOLD_F16, {2, 2, 1000, 128}, {INT64_MAX, INT64_MAX, 1, 1}), "k",
                        "argument 'k' of shape [2, 2, 1000, 128] and strides [9223372036854775807, 9223372036854775807, 1, 1] "
                        "reaches beyond 64 bits, expected a tensor that fits memory");
}

TEST_F(BindingTest, StridesBeyond32Bits) { // O3, O5, O12: each fits, and so does every product in 64 bits
  EXPECT_TRUE(plan("k", address(1), TILEFOLD_F16, {2, 2, 24000, 128}, {int64_t(1) << 40, int64_t(1) << 31, 700 * 128, 1}).ok());
}

TEST_F(BindingTest, BroadcastAndNegativeStridesOfInputs) {
  EXPECT_TRUE(plan("k", address(1), TILEFOLD_F16, {2, 2, 1000, 128}, {0, 0, 128, 1}).ok());
  EXPECT_TRUE(plan("k", address(1), TILEFOLD_F16, {2, 2, 1000, 128}, {256000, 128000, -128, 1}).ok());
  EXPECT_ARGUMENT_ERROR(plan("o", address(2), TILEFOLD_F16, {2, 8, 1, 128}, {1024, 0, 128, 1}), "o",
                        "argument 'o' has stride 0 and extent 8 in dimension 1, expected an output whose elements do not share memory");
}

TEST_F(BindingTest, StridesOfOutputs) {
  EXPECT_TRUE(plan("o", address(2), TILEFOLD_F16, {2, 8, 1, 128}, {-1024, -128, 128, -1}).ok());
  EXPECT_TRUE(plan("o", address(2), TILEFOLD_F16, {2, 8, 1, 128}, {1024, 128, 0, 1}).ok()) << "a stride that is never taken";
  EXPECT_TRUE(plan("o", address(2), TILEFOLD_F16, {2, 8, 1, 128}, {1, 2, 77, 16}).ok()) << "dimensions in another order";
  EXPECT_TRUE(plan("o", address(2), TILEFOLD_F16, {2, 8, 1, 128}, {129 * 8, 129, 77, 1}).ok()) << "with a gap";
  EXPECT_ARGUMENT_ERROR(plan("o", address(2), TILEFOLD_F16, {2, 8, 1, 128}, {1024, 127, 128, 1}), "o",
                        "argument 'o' of shape [2, 8, 1, 128] has strides [1024, 127, 128, 1], by which elements share memory through "
                        "dimensions 1 and 3, expected an output whose elements do not");
  EXPECT_ARGUMENT_ERROR(plan("o", address(2), TILEFOLD_F16, {2, 8, 1, 128}, {896, -128, 128, 1}), "o",
                        "argument 'o' of shape [2, 8, 1, 128] has strides [896, -128, 128, 1], by which elements share memory through "
                        "dimensions 0 and 1, expected an output whose elements do not");
}

TEST_F(BindingTest, NullIsFineWithoutElements) {
  const Artifact artifact = open(scale_manifest());
  Arguments arguments;
  arguments.tensor("x", nullptr, TILEFOLD_F32, {0}).tensor("y", nullptr, TILEFOLD_F32, {0});
  Result<Plan> plan = artifact.plan(arguments.view(), a100);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->launches[0].blocks, 0u);
}

TEST_F(BindingTest, Scalars) {
  EXPECT_ARGUMENT_ERROR(plan([](Arguments &a) {
                          a.tensor("q", address(0), TILEFOLD_F16, {2, 8, 1, 128})
                              .tensor("k", address(1), TILEFOLD_F16, {2, 2, 10, 128})
                              .tensor("o", address(2), TILEFOLD_F16, {2, 8, 1, 128});
                        }),
                        "scale", "argument 'scale' is missing, expected a scalar of type f32 (it has no default)");
  EXPECT_ARGUMENT_ERROR(plan([](Arguments &a) { a.i32("scale", 1); }), "scale", "argument 'scale' has type i32, expected f32");
  EXPECT_ARGUMENT_ERROR(plan([](Arguments &a) { a.f32("scale", std::numeric_limits<double>::infinity()); }), "scale",
                        "argument 'scale' is inf, expected a finite f32");
  EXPECT_EQ(plan([](Arguments &a) { a.f32("scale", std::numeric_limits<double>::quiet_NaN()); }).argument(), "scale");
  EXPECT_EQ(plan([](Arguments &a) { a.f32("scale", 1e39); }).argument(), "scale");
  EXPECT_ARGUMENT_ERROR(plan([](Arguments &a) { a.i32("splits", int64_t(1) << 31); }), "splits",
                        "argument 'splits' is 2147483648, expected a value that fits i32");
}

TEST_F(BindingTest, OutputsShareNoMemory) { // E12
  Arguments same;
  same.tensor("q", address(0), TILEFOLD_F16, {2, 8, 1, 128})
      .tensor("k", address(1), TILEFOLD_F16, {2, 2, 10, 128})
      .tensor("o", address(0), TILEFOLD_F16, {2, 8, 1, 128})
      .f32("scale", 1);
  EXPECT_ARGUMENT_ERROR(artifact.plan(same.view(), a100).status(), "o",
                        "argument 'o' overlaps argument 'q', expected memory of its own for an output");
}

TEST_F(BindingTest, InterleavedViewsDoNotOverlap) {
  // One buffer of rows [q | o]: both span it all, neither touches the other's bytes.
  auto plan_at = [&](int64_t offset) {
    Arguments arguments;
    arguments.tensor("q", address(0), TILEFOLD_F16, {2, 8, 1, 128}, {2048, 256, 256, 1})
        .tensor("k", address(1), TILEFOLD_F16, {2, 2, 10, 128})
        .tensor("o", static_cast<char *>(address(0)) + 2 * offset, TILEFOLD_F16, {2, 8, 1, 128}, {2048, 256, 256, 1})
        .f32("scale", 1);
    return artifact.plan(arguments.view(), a100).status();
  };
  EXPECT_TRUE(plan_at(128).ok()) << plan_at(128).message();
  EXPECT_TRUE(plan_at(-128).ok());
  EXPECT_FALSE(plan_at(127).ok());
  EXPECT_FALSE(plan_at(129).ok());
  EXPECT_TRUE(plan_at(4096).ok());
}

TEST_F(BindingTest, RandomViewsAgreeWithTheirBytes) {
  // Against the set of bytes: what is accepted never shares one. (What shares none may be refused, but not often.)
  const Artifact artifact = open(scale_manifest());
  std::mt19937 random(3);
  int apart = 0, accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    const int64_t n = 1 + int64_t(random() % 6);
    const int64_t stride_x = int64_t(random() % 9) - 4;
    int64_t stride_y = int64_t(random() % 9) - 4;
    if (stride_y == 0 && n > 1)
      stride_y = 1;
    const int64_t offset = int64_t(random() % 40) - 20;
    std::set<int64_t> bytes;
    bool shared = false;
    for (int64_t i = 0; i < n; ++i)
      bytes.insert(i * stride_x);
    for (int64_t i = 0; i < n; ++i)
      shared |= bytes.count(offset + i * stride_y) > 0;
    Arguments arguments;
    arguments.tensor("x", address(0), TILEFOLD_F32, {n}, {stride_x})
        .tensor("y", static_cast<char *>(address(0)) + 4 * offset, TILEFOLD_F32, {n}, {stride_y});
    const bool ok = artifact.plan(arguments.view(), a100).ok();
    EXPECT_FALSE(ok && shared) << "n " << n << " strides " << stride_x << ", " << stride_y << " offset " << offset;
    apart += !shared;
    accepted += ok;
  }
  EXPECT_GT(accepted, apart * 8 / 10);
}

} // namespace
} // namespace tilefold::runtime::test
