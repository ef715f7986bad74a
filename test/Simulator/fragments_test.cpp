// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fragments: single elements where the PTX ISA's figures show them, whole products against plain loops.
#include "codegen/Simulator/Machine/Fragments.h"
#include "support/dtype.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

using namespace tilefold::sim;
namespace support = tilefold::support;

namespace {

using At = MatrixPosition;

TEST(Fragments, OperandAOfM16K16) { // a0 a1 are register 0, ... a6 a7 register 3
  EXPECT_EQ(operandAPosition(0, 0, 0), (At{0, 0}));
  EXPECT_EQ(operandAPosition(0, 0, 1), (At{0, 1}));
  EXPECT_EQ(operandAPosition(0, 1, 0), (At{8, 0}));
  EXPECT_EQ(operandAPosition(0, 2, 0), (At{0, 8}));
  EXPECT_EQ(operandAPosition(0, 3, 1), (At{8, 9}));
  EXPECT_EQ(operandAPosition(5, 0, 0), (At{1, 2}));
  EXPECT_EQ(operandAPosition(31, 3, 1), (At{15, 15}));
}

TEST(Fragments, OperandBOfK16N8) {
  EXPECT_EQ(operandBPosition(0, 0, 0), (At{0, 0}));
  EXPECT_EQ(operandBPosition(0, 0, 1), (At{1, 0}));
  EXPECT_EQ(operandBPosition(0, 1, 0), (At{8, 0}));
  EXPECT_EQ(operandBPosition(6, 0, 1), (At{5, 1}));
  EXPECT_EQ(operandBPosition(31, 1, 1), (At{15, 7}));
}

TEST(Fragments, AccumulatorsOfM16N8) {
  EXPECT_EQ(accumulatorPosition(0, 0), (At{0, 0}));
  EXPECT_EQ(accumulatorPosition(0, 1), (At{0, 1}));
  EXPECT_EQ(accumulatorPosition(0, 2), (At{8, 0}));
  EXPECT_EQ(accumulatorPosition(7, 0), (At{1, 6}));
  EXPECT_EQ(accumulatorPosition(31, 3), (At{15, 7}));
}

TEST(Fragments, AccumulatorsOfM64N) {
  EXPECT_EQ(accumulatorPosition(0, 4), (At{0, 8}));
  EXPECT_EQ(accumulatorPosition(0, 6), (At{8, 8}));
  EXPECT_EQ(accumulatorPosition(32, 0), (At{16, 0}));
  EXPECT_EQ(accumulatorPosition(33, 2), (At{24, 2}));
  EXPECT_EQ(accumulatorPosition(127, 63), (At{63, 127}));
}

TEST(Fragments, OperandAOfM64K16) {
  EXPECT_EQ(operandAPosition(32, 0, 0), (At{16, 0}));
  EXPECT_EQ(operandAPosition(96, 1, 0), (At{56, 0}));
  EXPECT_EQ(operandAPosition(127, 2, 1), (At{55, 15}));
}

TEST(Fragments, EveryElementHasOnePlace) {
  std::vector<int> accumulators(64 * 32), operandA(64 * 16), operandB(16 * 8);
  for (unsigned thread = 0; thread < warpgroupSize; ++thread) {
    for (unsigned index = 0; index < 16; ++index) {
      const At at = accumulatorPosition(thread, index);
      ++accumulators.at(at.row * 32 + at.column);
    }
    for (unsigned index = 0; index < 4; ++index)
      for (unsigned half = 0; half < 2; ++half) {
        const At at = operandAPosition(thread, index, half);
        ++operandA.at(at.row * 16 + at.column);
      }
  }
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (unsigned index = 0; index < 2; ++index)
      for (unsigned half = 0; half < 2; ++half) {
        const At at = operandBPosition(lane, index, half);
        ++operandB.at(at.row * 8 + at.column);
      }
  EXPECT_EQ(accumulators, std::vector<int>(64 * 32, 1));
  EXPECT_EQ(operandA, std::vector<int>(64 * 16, 1));
  EXPECT_EQ(operandB, std::vector<int>(16 * 8, 1));
}

/// A warp's registers, and the same matrices as plain ones. Lanes are filled with the formulas of the ISA's text, which
/// number the elements of a lane from 0 and not by register.
struct WarpProduct {
  unsigned k;
  Number type;
  uint32_t a[32][4] = {}, b[32][2] = {};
  float c[32][4] = {}, d[32][4] = {};
  double left[16][16] = {}, right[16][8] = {};
  float before[16][8] = {};

  uint16_t narrow(double value) const {
    return type == Number::F16 ? support::f64_to_f16(value) : support::f64_to_bf16(value);
  }
  double value(uint16_t bits) const { return type == Number::F16 ? support::f16_to_f32(bits) : support::bf16_to_f32(bits); }

  template <typename Draw> WarpProduct(unsigned k, Number type, Draw draw) : k(k), type(type) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned group = lane >> 2, member = lane % 4;
      for (unsigned i = 0; i < k / 2; ++i) {
        const unsigned row = i < 2 || (i >= 4 && i < 6) ? group : group + 8;
        const unsigned column = member * 2 + (i & 1) + (i < 4 ? 0 : 8);
        const uint16_t bits = narrow(draw());
        a[lane][i / 2] |= uint32_t(bits) << (i % 2 * 16);
        left[row][column] = value(bits);
      }
      for (unsigned i = 0; i < k / 4; ++i) {
        const uint16_t bits = narrow(draw());
        b[lane][i / 2] |= uint32_t(bits) << (i % 2 * 16);
        right[member * 2 + (i & 1) + (i < 2 ? 0 : 8)][group] = value(bits);
      }
      for (unsigned i = 0; i < 4; ++i)
        before[i < 2 ? group : group + 8][member * 2 + (i & 1)] = c[lane][i] = float(draw());
    }
  }

  void run() {
    const uint32_t *as[32], *bs[32];
    const float *cs[32];
    float *ds[32];
    for (unsigned lane = 0; lane < 32; ++lane)
      as[lane] = a[lane], bs[lane] = b[lane], cs[lane] = c[lane], ds[lane] = d[lane];
    multiplyFragments(k, type, as, bs, cs, ds);
  }

  /// Calls check(got, exact, sum of |a||b|) for each element.
  template <typename Check> void compare(Check check) const {
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned i = 0; i < 4; ++i) {
        const unsigned row = i < 2 ? lane / 4 : lane / 4 + 8, column = lane % 4 * 2 + (i & 1);
        long double sum = before[row][column], magnitude = std::fabs(before[row][column]);
        for (unsigned step = 0; step < k; ++step) {
          const long double product = (long double)(left[row][step]) * right[step][column];
          sum += product;
          magnitude += std::fabs(product);
        }
        check(d[lane][i], sum, magnitude);
      }
  }
};

class MmaSync : public testing::TestWithParam<std::tuple<unsigned, Number>> {};

TEST_P(MmaSync, IntegersAreExact) {
  std::mt19937 generator(1);
  std::uniform_int_distribution<int> draw(-64, 64);
  WarpProduct product(std::get<0>(GetParam()), std::get<1>(GetParam()), [&] { return draw(generator); });
  product.run();
  product.compare([](float got, long double exact, long double) { EXPECT_EQ(got, float(exact)); });
}

TEST_P(MmaSync, RealNumbersAreRoundedOnce) {
  std::mt19937 generator(2);
  std::normal_distribution<double> draw;
  WarpProduct product(std::get<0>(GetParam()), std::get<1>(GetParam()), [&] { return draw(generator); });
  product.run();
  product.compare([](float got, long double exact, long double magnitude) {
    EXPECT_LE(std::fabs(got - exact), 0x1p-24L * std::fabs(exact) + 0x1p-50L * magnitude);
  });
}

TEST_P(MmaSync, SmallNumbersSurviveLargeOnesThatCancel) { // a running fp32 sum would lose them
  WarpProduct product(std::get<0>(GetParam()), std::get<1>(GetParam()), [] { return 0.0; });
  product.a[0][0] = product.narrow(4096) | uint32_t(product.narrow(0x1p-6)) << 16; // row 0, k 0 and 1
  product.b[0][0] = product.narrow(4096) | uint32_t(product.narrow(1)) << 16;      // column 0
  product.c[0][0] = -0x1p24f;
  product.run();
  EXPECT_EQ(product.d[0][0], 0x1p-6f);
}

TEST_P(MmaSync, NotANumberIsCanonical) {
  WarpProduct product(std::get<0>(GetParam()), std::get<1>(GetParam()), [] { return 0.0; });
  product.c[0][0] = support::bit_copy<float>(0x7fc12345u);
  product.a[4][0] = product.narrow(std::numeric_limits<double>::infinity()); // row 1: inf * 0
  product.run();
  EXPECT_EQ(support::bit_copy<uint32_t>(product.d[0][0]), 0x7fffffffu);
  EXPECT_EQ(support::bit_copy<uint32_t>(product.d[4][1]), 0x7fffffffu);
  EXPECT_EQ(product.d[0][1], 0.0f);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MmaSync,
                         testing::Combine(testing::Values(8u, 16u), testing::Values(Number::F16, Number::BF16)));

/// Four matrices in memory; element (row, column) of matrix j is 100 j + 10 row + column.
struct Matrices {
  uint16_t elements[4][8][8];
  void *rows[32];
  uint32_t registers[32][4] = {};
  uint32_t *lanes[32];

  Matrices() {
    for (unsigned i = 0; i < 256; ++i)
      elements[i / 64][i / 8 % 8][i % 8] = uint16_t(i / 64 * 100 + i / 8 % 8 * 10 + i % 8);
    for (unsigned lane = 0; lane < 32; ++lane)
      rows[lane] = elements[lane / 8][lane % 8], lanes[lane] = registers[lane];
  }
};

TEST(Ldmatrix, LaneHoldsTwoNeighboursOfARow) {
  Matrices matrices;
  loadMatrices(4, false, matrices.rows, matrices.lanes);
  EXPECT_EQ(matrices.registers[0][0], 0u | 1u << 16);
  EXPECT_EQ(matrices.registers[1][0], 2u | 3u << 16);
  EXPECT_EQ(matrices.registers[4][0], 10u | 11u << 16);
  EXPECT_EQ(matrices.registers[31][3], 376u | 377u << 16);
}

TEST(Ldmatrix, TransposedLaneHoldsTwoNeighboursOfAColumn) {
  Matrices matrices;
  loadMatrices(4, true, matrices.rows, matrices.lanes);
  EXPECT_EQ(matrices.registers[0][0], 0u | 10u << 16);
  EXPECT_EQ(matrices.registers[1][0], 20u | 30u << 16);
  EXPECT_EQ(matrices.registers[4][0], 1u | 11u << 16);
  EXPECT_EQ(matrices.registers[31][2], 267u | 277u << 16);
}

TEST(Ldmatrix, TouchesOnlyWhatIsAskedFor) {
  for (unsigned count : {1u, 2u}) {
    Matrices matrices;
    for (unsigned lane = 8 * count; lane < 32; ++lane)
      matrices.rows[lane] = nullptr; // addresses of the other lanes are ignored
    loadMatrices(count, false, matrices.rows, matrices.lanes);
    EXPECT_EQ(matrices.registers[5][count - 1], (100 * (count - 1) + 12) | (100 * (count - 1) + 13) << 16);
    EXPECT_EQ(matrices.registers[5][count], 0u);
  }
}

TEST(Stmatrix, IsTheInverse) {
  for (unsigned count : {1u, 2u, 4u})
    for (bool transposed : {false, true}) {
      Matrices from, to;
      loadMatrices(count, transposed, from.rows, from.lanes);
      std::memset(to.elements, 0, sizeof to.elements);
      storeMatrices(count, transposed, to.rows, from.lanes);
      for (unsigned i = 0; i < 256; ++i)
        EXPECT_EQ(to.elements[i / 64][i / 8 % 8][i % 8], i / 64 < count ? from.elements[i / 64][i / 8 % 8][i % 8] : 0);
    }
}

TEST(Ldmatrix,
     FeedsMmaSync) { // operand A by x4, operand B by x2 transposed, as kernels do: row addresses as in their prologues
  uint16_t a[16][16], b[16][8];
  std::mt19937 generator(3);
  std::uniform_int_distribution<int> draw(-9, 9);
  for (auto &row : a)
    for (uint16_t &x : row)
      x = support::f32_to_f16(float(draw(generator)));
  for (auto &row : b)
    for (uint16_t &x : row)
      x = support::f32_to_f16(float(draw(generator)));
  Matrices forA, forB;
  float d[32][4] = {}, *ds[32];
  for (unsigned lane = 0; lane < 32; ++lane) {
    forA.rows[lane] = &a[lane % 16][lane / 16 * 8];
    forB.rows[lane] = b[lane % 16];
    ds[lane] = d[lane];
  }
  loadMatrices(4, false, forA.rows, forA.lanes);
  loadMatrices(2, true, forB.rows, forB.lanes);
  multiplyFragments(16, Number::F16, forA.lanes, forB.lanes, ds, ds);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      float sum = 0;
      for (unsigned k = 0; k < 16; ++k)
        sum += support::f16_to_f32(a[lane / 4 + i / 2 * 8][k]) * support::f16_to_f32(b[k][lane % 4 * 2 + i % 2]);
      EXPECT_EQ(d[lane][i], sum);
    }
}

} // namespace
