// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions, over every 16-bit pattern and every boundary between two of them. A rounding function is monotone, so being
// right on both sides of, and at, each midpoint makes it right everywhere.
#include "support/dtype.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace tilefold::support;

namespace {

constexpr float inf = std::numeric_limits<float>::infinity();

/// A 16-bit format from its definition: sign, exponent, mantissa.
struct Format {
  int mantissa_bits, bias;
  std::uint16_t infinity;
  float (*widen)(std::uint16_t);
  std::uint16_t (*narrow)(float);
  std::uint16_t (*narrow64)(double);

  double value(std::uint16_t bits) const {
    const int exponent = (bits & 0x7fff) >> mantissa_bits, mantissa = bits & ((1 << mantissa_bits) - 1);
    const double magnitude = exponent == 0 ? std::ldexp(mantissa, 1 - bias - mantissa_bits)
                                           : std::ldexp((1 << mantissa_bits) + mantissa, exponent - bias - mantissa_bits);
    return bits & 0x8000 ? -magnitude : magnitude;
  }
};

class Conversion : public testing::TestWithParam<Format> {};

TEST_P(Conversion, WideningIsExact) {
  const Format format = GetParam();
  for (int bits = 0; bits < 0x10000; ++bits) {
    const float wide = format.widen(std::uint16_t(bits));
    const int magnitude = bits & 0x7fff;
    ASSERT_EQ(std::signbit(wide), bits >= 0x8000) << bits;
    if (magnitude > format.infinity)
      ASSERT_TRUE(std::isnan(wide)) << bits;
    else if (magnitude == format.infinity)
      ASSERT_EQ(std::fabs(wide), inf) << bits;
    else
      ASSERT_EQ(double(wide), format.value(std::uint16_t(bits))) << bits;
  }
}

TEST_P(Conversion, RoundTripKeepsEveryPattern) {
  const Format format = GetParam();
  const int quiet = 1 << (format.mantissa_bits - 1);
  for (int bits = 0; bits < 0x10000; ++bits) {
    const int expected = (bits & 0x7fff) > format.infinity ? bits | quiet : bits; // a signalling NaN becomes quiet
    ASSERT_EQ(format.narrow(format.widen(std::uint16_t(bits))), expected) << bits;
    ASSERT_EQ(std::isnan(format.widen(std::uint16_t(expected))), (bits & 0x7fff) > format.infinity) << bits;
    if ((bits & 0x7fff) <= format.infinity) {
      ASSERT_EQ(format.narrow64(format.widen(std::uint16_t(bits))), bits) << bits;
    }
  }
}

TEST_P(Conversion, RoundsToNearestEvenAtEveryMidpoint) {
  const Format format = GetParam();
  for (int low = 0; low < format.infinity; ++low) {
    const int high = low + 1, even = low % 2 == 0 ? low : high;
    const double below = format.value(std::uint16_t(low));
    // Above the largest finite value the boundary lies where the next one would be, had the exponent room for it.
    const double above = high == format.infinity ? 2 * below - format.value(std::uint16_t(low - 1)) : format.value(std::uint16_t(high));
    const double middle = (below + above) / 2;
    const auto middle32 = float(middle);
    ASSERT_EQ(double(middle32), middle);
    for (int sign : {1, -1}) {
      const int bit = sign < 0 ? 0x8000 : 0;
      ASSERT_EQ(format.narrow(float(sign) * middle32), bit | even) << low;
      ASSERT_EQ(format.narrow(float(sign) * std::nextafter(middle32, 0.0f)), bit | low) << low;
      ASSERT_EQ(format.narrow(float(sign) * std::nextafter(middle32, inf)), bit | high) << low;
      // One fp64 step beside the midpoint, which a detour over fp32 rounded to nearest would lose.
      ASSERT_EQ(format.narrow64(sign * middle), bit | even) << low;
      ASSERT_EQ(format.narrow64(sign * std::nextafter(middle, 0.0)), bit | low) << low;
      ASSERT_EQ(format.narrow64(sign * std::nextafter(middle, 1e308)), bit | high) << low;
    }
  }
}

TEST_P(Conversion, ExtremesAndNaN) {
  const Format format = GetParam();
  EXPECT_EQ(format.narrow(inf), format.infinity);
  EXPECT_EQ(format.narrow(-inf), 0x8000 | format.infinity);
  EXPECT_EQ(format.narrow(std::numeric_limits<float>::max()), format.infinity);
  EXPECT_EQ(format.narrow64(1e300), format.infinity);
  EXPECT_EQ(format.narrow64(-1e300), 0x8000 | format.infinity);
  EXPECT_EQ(format.narrow(-0.0f), 0x8000);
  EXPECT_EQ(format.narrow64(1e-300), 0);
  EXPECT_EQ(format.narrow64(-1e-300), 0x8000);
  // A NaN whose payload lies in the low bits only must not turn into infinity.
  EXPECT_TRUE(std::isnan(format.widen(format.narrow(bit_copy<float>(0x7f800001u)))));
  EXPECT_TRUE(std::isnan(format.widen(format.narrow(bit_copy<float>(0xffffffffu)))));
  EXPECT_TRUE(std::isnan(format.widen(format.narrow64(std::nan("")))));
}

INSTANTIATE_TEST_SUITE_P(Half, Conversion, testing::Values(Format{10, 15, 0x7c00, f16_to_f32, f32_to_f16, f64_to_f16}));
INSTANTIATE_TEST_SUITE_P(BFloat, Conversion, testing::Values(Format{7, 127, 0x7f80, bf16_to_f32, f32_to_bf16, f64_to_bf16}));

TEST(DType, NamesAndSizes) {
  for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::i32, DType::i64, DType::i1})
    EXPECT_EQ(dtype_from_name(name(dtype)), dtype);
  EXPECT_EQ(dtype_from_name("f64"), std::nullopt);
  EXPECT_EQ(byte_size(DType::bf16), 2u);
  EXPECT_EQ(byte_size(DType::i1), 1u);
}

} // namespace
