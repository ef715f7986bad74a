// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/random.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace tilefold::support;

namespace {

TEST(Random, NumbersStayTheSame) {
  // A change here changes every seeded test and every published number. The bits of the normal numbers are part of it.
  EXPECT_EQ(random_bits(2024, 1, 0), 0xf6ff06b8bfa5c688u);
  EXPECT_EQ(random_bits(2024, 1, 2), 0xd5124f02330bad7fu);
  EXPECT_EQ(random_normal(2024, 1, 0), -0x1.ec12ed2aae10bp-4);
  EXPECT_EQ(random_normal(2024, 1, 1), 0x1.e9b5bc3ce3aa7p-3);
  EXPECT_NE(random_bits(1, 2, 0), random_bits(2, 1, 0));
  EXPECT_NE(random_bits(0, 0, 0), random_bits(0, 0, 1));
  EXPECT_NE(random_bits(0, 0, 0), random_bits(0, 1, 0));
}

TEST(Random, NormalFollowsBoxAndMuller) {
  for (std::uint64_t pair = 0; pair < 2000; ++pair) {
    const double u = double((random_bits(7, 3, 2 * pair) >> 11) + 1) * 0x1p-53;
    const double angle = 2 * M_PI * double(random_bits(7, 3, 2 * pair + 1) >> 11) * 0x1p-53;
    const double radius = std::sqrt(-2 * std::log(u));
    ASSERT_NEAR(random_normal(7, 3, 2 * pair), radius * std::cos(angle), 1e-14) << pair;
    ASSERT_NEAR(random_normal(7, 3, 2 * pair + 1), radius * std::sin(angle), 1e-14) << pair;
  }
}

TEST(Random, Moments) {
  constexpr int n = 200000;
  double sum = 0, squares = 0, fourths = 0, neighbours = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random_normal(42, 0, std::uint64_t(i));
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
    neighbours += x * random_normal(42, 1, std::uint64_t(i));
  }
  EXPECT_NEAR(sum / n, 0, 0.01);
  EXPECT_NEAR(squares / n, 1, 0.015);
  EXPECT_NEAR(fourths / n, 3, 0.1);
  EXPECT_NEAR(neighbours / n, 0, 0.01); // streams are independent
}

TEST(Random, TensorDependsOnTheIndexAlone) {
  const HostTensor dense = normal_tensor(DType::f16, {3, 50, 700}, 5);
  auto strided = HostTensor::create(DType::f16, {3, 50, 700}, {1, 3, 160}, 1);
  ASSERT_TRUE(strided.ok());
  fill_normal(*strided, 5);
  EXPECT_TRUE(same_bits(dense, *strided));
  EXPECT_EQ(dense.get(12345), f16_to_f32(f64_to_f16(random_normal(5, 0, 12345))));
  HostTensor shifted(DType::f32, {10});
  fill_normal(shifted, 5, 0, 3, 0.5);
  EXPECT_EQ(shifted.get(4), float(3 + 0.5 * random_normal(5, 0, 4)));
}

} // namespace
