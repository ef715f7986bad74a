// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Approximate functions: the tables of special values in the PTX ISA, and errors within its bounds.
#include "codegen/Simulator/Machine/ApproximateMath.h"
#include "support/dtype.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace tilefold::sim;
using tilefold::support::bit_copy;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float subnormal = 0x1p-130f;
const float nan = bit_copy<float>(0x7fffffffu); // what the GPU returns

struct Special {
  Approximate function;
  float operand, result;
};

class SpecialValues : public testing::TestWithParam<Special> {};

TEST_P(SpecialValues, AsInTheTable) {
  const Special special = GetParam();
  const float got = approximate(special.function, special.operand);
  EXPECT_EQ(bit_copy<uint32_t>(got), bit_copy<uint32_t>(special.result)) << special.operand << " gives " << got;
}

using enum Approximate;
INSTANTIATE_TEST_SUITE_P(Ex2, SpecialValues,
                         testing::Values(Special{Ex2, -inf, 0.0f}, Special{Ex2, -subnormal, 1.0f}, Special{Ex2, -0.0f, 1.0f},
                                         Special{Ex2, subnormal, 1.0f}, Special{Ex2, inf, inf},
                                         Special{Ex2, std::nanf(""), nan}, Special{Ex2, -130.0f, subnormal},
                                         Special{Ex2Ftz, -130.0f, 0.0f}, Special{Ex2Ftz, -126.0f, 0x1p-126f},
                                         Special{Ex2Ftz, -inf, 0.0f}, Special{Ex2Ftz, -subnormal, 1.0f},
                                         Special{Ex2Ftz, inf, inf}, Special{Ex2Ftz, 128.0f, inf},
                                         Special{Ex2Ftz, -std::nanf(""), nan}));
INSTANTIATE_TEST_SUITE_P(Lg2, SpecialValues,
                         testing::Values(Special{Lg2, -inf, nan}, Special{Lg2, -1.0f, nan}, Special{Lg2, -0.0f, -inf},
                                         Special{Lg2, 0.0f, -inf}, Special{Lg2, subnormal, -130.0f}, Special{Lg2, inf, inf},
                                         Special{Lg2, std::nanf(""), nan}, Special{Lg2Ftz, subnormal, -inf},
                                         Special{Lg2Ftz, -subnormal, -inf}, Special{Lg2Ftz, 1.0f, 0.0f}));
INSTANTIATE_TEST_SUITE_P(Rcp, SpecialValues,
                         testing::Values(Special{RcpFtz, -inf, -0.0f}, Special{RcpFtz, -subnormal, -inf},
                                         Special{RcpFtz, -0.0f, -inf}, Special{RcpFtz, 0.0f, inf},
                                         Special{RcpFtz, subnormal, inf}, Special{RcpFtz, inf, 0.0f},
                                         Special{RcpFtz, 0x1p127f, 0.0f}, Special{RcpFtz, -0x1p127f, -0.0f},
                                         Special{RcpFtz, std::nanf(""), nan}));
INSTANTIATE_TEST_SUITE_P(Rsqrt, SpecialValues,
                         testing::Values(Special{RsqrtFtz, -inf, nan}, Special{RsqrtFtz, -1.0f, nan},
                                         Special{RsqrtFtz, -subnormal, -inf}, Special{RsqrtFtz, -0.0f, -inf},
                                         Special{RsqrtFtz, 0.0f, inf}, Special{RsqrtFtz, subnormal, inf},
                                         Special{RsqrtFtz, inf, 0.0f}, Special{RsqrtFtz, std::nanf(""), nan}));
INSTANTIATE_TEST_SUITE_P(Tanh, SpecialValues,
                         testing::Values(Special{Tanh, -inf, -1.0f}, Special{Tanh, -subnormal, -subnormal},
                                         Special{Tanh, -0.0f, -0.0f}, Special{Tanh, 0.0f, 0.0f},
                                         Special{Tanh, subnormal, subnormal}, Special{Tanh, inf, 1.0f},
                                         Special{Tanh, std::nanf(""), nan}));
INSTANTIATE_TEST_SUITE_P(Sqrt, SpecialValues,
                         testing::Values(Special{SqrtFtz, -inf, nan}, Special{SqrtFtz, -1.0f, nan},
                                         Special{SqrtFtz, -subnormal, -0.0f}, Special{SqrtFtz, -0.0f, -0.0f},
                                         Special{SqrtFtz, 0.0f, 0.0f}, Special{SqrtFtz, subnormal, 0.0f},
                                         Special{SqrtFtz, inf, inf}, Special{SqrtFtz, std::nanf(""), nan}));

TEST(ApproximateMath, WithinHalfAUnitOfTheFunction) {
  struct Function {
    Approximate function;
    long double (*exactly)(long double);
  };
  const Function functions[] = {
      {Ex2, [](long double x) { return exp2l(x); }},  {Ex2Ftz, [](long double x) { return exp2l(x); }},
      {Lg2, [](long double x) { return log2l(x); }},  {Lg2Ftz, [](long double x) { return log2l(x); }},
      {RcpFtz, [](long double x) { return 1 / x; }},  {RsqrtFtz, [](long double x) { return 1 / sqrtl(x); }},
      {Tanh, [](long double x) { return tanhl(x); }}, {SqrtFtz, [](long double x) { return sqrtl(x); }},
  };
  for (const Function &function : functions)
    for (float x = 0.01f; x < 100; x *= 1.01f) {
      const long double exact = function.exactly(x);
      const float unit = std::nextafter(std::fabs(float(exact)), inf) - std::fabs(float(exact));
      EXPECT_LE(std::fabs(approximate(function.function, x) - exact), 0.50001L * unit) << x;
    }
}

} // namespace
