// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma's operands: addresses worked out by hand from the canonical layouts, products against plain sums, and tiles that TMA
// brought, read back through descriptors.
#include "codegen/Simulator/Machine/Fragments.h"
#include "codegen/Simulator/Machine/TensorMap.h"
#include "codegen/Simulator/Machine/WgmmaOperands.h"
#include "support/dtype.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace tilefold::sim;
namespace support = tilefold::support;

namespace {

constexpr bool kMajor = false, mnMajor = true;

/// Bits as a kernel computes them. The mode is the field's value: 0 none, 1 128 bytes, 2 64 bytes, 3 32 bytes.
uint64_t encode(uint64_t address, uint64_t leading, uint64_t stride, uint64_t mode) {
  return address >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | mode << 62;
}

TEST(MatrixDescriptor, IsDecodedBitForBit) {
  const MatrixDescriptor descriptor = decodeDescriptor(0x400A'0040'2001'3FFEu);
  EXPECT_EQ(descriptor.address, 0x3FFE0u);
  EXPECT_EQ(descriptor.leadingBytes, 0x20010u);
  EXPECT_EQ(descriptor.strideBytes, 1024u);
  EXPECT_EQ(descriptor.baseOffset, 5u);
  EXPECT_EQ(descriptor.swizzle, Swizzle::Span128);
  EXPECT_EQ(decodeDescriptor(0).swizzle, Swizzle::None);
  EXPECT_EQ(decodeDescriptor(2ull << 62).swizzle, Swizzle::Span64);
  EXPECT_EQ(decodeDescriptor(3ull << 62).swizzle, Swizzle::Span32);
}

TEST(MatrixDescriptor, TheBaseOffsetMovesThePattern) {
  // A tile that begins three rows of 128 bytes behind a multiple of 1024: with the offset its first row is as at a multiple.
  const uint64_t bits = encode(3 * 128, 16, 1024, 1);
  EXPECT_EQ(elementAddress(decodeDescriptor(bits), kMajor, 0, 0), 3u * 128 + 3 * 16);
  EXPECT_EQ(elementAddress(decodeDescriptor(bits | 3ull << 49), kMajor, 0, 0), 3u * 128);
  EXPECT_EQ(elementAddress(decodeDescriptor(bits | 3ull << 49), kMajor, 6, 8), 9u * 128 + (1 ^ 6) * 16);
}

struct Element {
  bool mnMajor;
  uint64_t mode, leading, stride, start;
  unsigned row, k;
  uint32_t address;
};

class ElementAddress : public testing::TestWithParam<Element> {};

TEST_P(ElementAddress, AsInTheCanonicalLayout) {
  const Element element = GetParam();
  const uint64_t bits = encode(element.start, element.leading, element.stride, element.mode);
  EXPECT_EQ(elementAddress(decodeDescriptor(bits), element.mnMajor, element.row, element.k), element.address)
      << "row " << element.row << ", k " << element.k;
}

INSTANTIATE_TEST_SUITE_P(
    KMajor128, ElementAddress,
    testing::Values(Element{kMajor, 1, 16, 1024, 3072, 0, 0, 3072},
                    Element{kMajor, 1, 16, 1024, 3072, 1, 0, 3072 + 128 + 16}, // row 1: chunks 0 and 1 change
                    Element{kMajor, 1, 16, 1024, 3072, 1, 8, 3072 + 128},
                    Element{kMajor, 1, 16, 1024, 3072, 7, 15, 3072 + 7 * 128 + 6 * 16 + 14}, // 1 ^ 7 is 6
                    Element{kMajor, 1, 16, 1024, 3072, 9, 3, 3072 + 1024 + 128 + 16 + 6},
                    Element{kMajor, 1, 16, 1024, 3072 + 32, 1, 0, 3072 + 128 + 48},       // next k16: chunk 2 ^ 1
                    Element{kMajor, 1, 16, 1024, 3072 + 96, 3, 8, 3072 + 3 * 128 + 64})); // chunk 7 ^ 3
INSTANTIATE_TEST_SUITE_P(KMajor64, ElementAddress,
                         testing::Values(Element{kMajor, 2, 0, 512, 0, 1, 0,
                                                 64}, // rows 0 and 1 share 128 bytes: as they are
                                         Element{kMajor, 2, 0, 512, 0, 2, 0, 128 + 16},
                                         Element{kMajor, 2, 0, 512, 0, 7, 8, 7 * 64 + 32}, // chunk 1 ^ 3
                                         Element{kMajor, 2, 0, 512, 32, 8, 1, 512 + 32 + 2}));
INSTANTIATE_TEST_SUITE_P(KMajor32, ElementAddress,
                         testing::Values(Element{kMajor, 3, 0, 256, 0, 3, 8, 3 * 32 + 16},
                                         Element{kMajor, 3, 0, 256, 0, 4, 0, 128 + 16},
                                         Element{kMajor, 3, 0, 256, 0, 5, 8, 5 * 32},
                                         Element{kMajor, 3, 0, 256, 0, 8, 0, 256}));
INSTANTIATE_TEST_SUITE_P(KMajorNone, ElementAddress,
                         testing::Values(Element{kMajor, 0, 128, 256, 16, 1, 0, 32},
                                         Element{kMajor, 0, 128, 256, 16, 0, 8, 144},
                                         Element{kMajor, 0, 128, 256, 0, 8, 9, 386}));
INSTANTIATE_TEST_SUITE_P(MnMajor128, ElementAddress,
                         testing::Values(Element{mnMajor, 1, 4096, 1024, 0, 1, 0, 2},
                                         Element{mnMajor, 1, 4096, 1024, 0, 0, 1, 128 + 16},
                                         Element{mnMajor, 1, 4096, 1024, 0, 8, 1, 128},           // chunk 1 ^ 1
                                         Element{mnMajor, 1, 4096, 1024, 0, 63, 7, 7 * 128 + 14}, // chunk 7 ^ 7
                                         Element{mnMajor, 1, 4096, 1024, 0, 64, 0, 4096},
                                         Element{mnMajor, 1, 4096, 1024, 2048, 65, 9, 2048 + 4096 + 1024 + 128 + 16 + 2}));
INSTANTIATE_TEST_SUITE_P(MnMajor64, ElementAddress,
                         testing::Values(Element{mnMajor, 2, 2048, 512, 0, 31, 0, 62},
                                         Element{mnMajor, 2, 2048, 512, 0, 0, 2, 128 + 16},
                                         Element{mnMajor, 2, 2048, 512, 0, 33, 11, 2048 + 512 + 192 + 16 + 2}));
INSTANTIATE_TEST_SUITE_P(MnMajor32, ElementAddress,
                         testing::Values(Element{mnMajor, 3, 1024, 256, 0, 15, 0, 30},
                                         Element{mnMajor, 3, 1024, 256, 0, 0, 4, 128 + 16},
                                         Element{mnMajor, 3, 1024, 256, 0, 17, 8, 1024 + 256 + 2}));
INSTANTIATE_TEST_SUITE_P(MnMajorNone, ElementAddress,
                         testing::Values(Element{mnMajor, 0, 1024, 128, 0, 1, 0, 2},
                                         Element{mnMajor, 0, 1024, 128, 0, 0, 1, 16},
                                         Element{mnMajor, 0, 1024, 128, 0, 8, 0, 128},
                                         Element{mnMajor, 0, 1024, 128, 0, 9, 10, 1024 + 128 + 34}));

TEST(MatrixDescriptor, WhatIsWrongIsSaid) {
  EXPECT_EQ(checkDescriptor(encode(1024, 16, 1024, 1), kMajor, 64), "");
  EXPECT_EQ(checkDescriptor(encode(1024 + 96, 16, 1024, 1), kMajor, 256), "");
  EXPECT_EQ(checkDescriptor(encode(1024 + 112, 0, 128, 0), kMajor, 64), ""); // no span to run out of
  EXPECT_EQ(checkDescriptor(encode(112, 4096, 1024, 1), mnMajor, 8), "");    // eight rows are one chunk
  EXPECT_EQ(checkDescriptor(1ull << 14, kMajor, 64),
            "matrix descriptor: bits 14 to 15 are 1, expected 0: an address or offset that does not fit its field?");
  EXPECT_EQ(checkDescriptor(encode(0, 1 << 18, 0, 0), kMajor, 64),
            "matrix descriptor: bits 30 to 31 are 1, expected 0: an address or offset that does not fit its field?");
  EXPECT_EQ(checkDescriptor(encode(0, 0, 1 << 19, 0), kMajor, 64),
            "matrix descriptor: bits 46 to 48 are 2, expected 0: an address or offset that does not fit its field?");
  EXPECT_EQ(checkDescriptor(1ull << 61, kMajor, 64),
            "matrix descriptor: bits 52 to 61 are 512, expected 0: an address or offset that does not fit its field?");
  EXPECT_EQ(checkDescriptor(encode(0, 0, 1024, 1) | 3ull << 49, kMajor, 64), "");
  EXPECT_EQ(checkDescriptor(encode(1024 + 112, 0, 1024, 1), kMajor, 64),
            "matrix descriptor: the start address 1136 is at byte 112 of a swizzle span of 128 bytes, expected at most 96: "
            "a K-major "
            "operand takes 32 bytes of a span");
  EXPECT_EQ(
      checkDescriptor(encode(16, 0, 512, 2), mnMajor, 64),
      "matrix descriptor: the start address 16 is at byte 16 of a swizzle span of 64 bytes, expected at most 0: an MN-major "
      "operand of 64 rows takes 64 bytes of a span");
}

/// A block's shared memory.
struct Shared {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(128 * 1024);

  void put(uint32_t address, uint16_t element) { std::memcpy(&bytes.at(address), &element, 2); }

  std::vector<uint16_t> gather(uint64_t bits, bool major, unsigned extent) const {
    std::vector<uint32_t> addresses(2 * extent);
    std::vector<const void *> chunks;
    std::vector<uint16_t> elements(extent * 16);
    chunkAddresses(decodeDescriptor(bits), major, extent, addresses.data());
    for (uint32_t address : addresses)
      chunks.push_back(&bytes.at(address));
    gatherOperand(major, extent, chunks.data(), elements.data());
    return elements;
  }

  /// What a TMA load does.
  void load(const TensorMap &map, std::vector<int32_t> coordinates, uint32_t address) {
    std::vector<BoxPiece> pieces;
    enumerateBox(map, coordinates.data(), address, pieces);
    for (const BoxPiece &piece : pieces) {
      std::memset(&bytes.at(piece.sharedAddress), 0, piece.bytes);
      if (piece.validBytes)
        std::memcpy(&bytes.at(piece.sharedAddress), reinterpret_cast<const void *>(piece.global), piece.validBytes);
    }
  }
};

struct Registers {
  std::vector<float> values;
  std::vector<float *> threads;
  unsigned perThread;
  explicit Registers(unsigned n) : values(64 * n), perThread(n / 2) {
    for (unsigned thread = 0; thread < 128; ++thread)
      threads.push_back(&values[thread * perThread]);
  }
  /// By the ISA's figure, from the element's side.
  float &at(unsigned row, unsigned column) {
    const unsigned thread = row / 16 * 32 + row % 8 * 4 + column % 8 / 2;
    return threads[thread][column / 8 * 4 + row % 16 / 8 * 2 + column % 2];
  }
};

struct Mode {
  bool mnMajor;
  uint64_t mode, leading, stride;
};

class Product : public testing::TestWithParam<std::tuple<unsigned, Number, Mode>> {};

TEST_P(Product, OfIntegersIsExact) {
  const auto &[n, type, mode] = GetParam();
  std::mt19937 generator(n);
  std::uniform_int_distribution<int> draw(-16, 16);
  const auto narrow = type == Number::F16 ? support::f32_to_f16 : support::f32_to_bf16;
  const uint64_t aBits = encode(1024, mode.leading, mode.stride, mode.mode);
  const uint64_t bBits = encode(65536, mode.leading, mode.stride, mode.mode);
  Shared shared;
  std::vector<int> a(64 * 16), b(n * 16);
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned k = 0; k < 16; ++k)
      shared.put(elementAddress(decodeDescriptor(aBits), mode.mnMajor, row, k),
                 narrow(float(a[row * 16 + k] = draw(generator))));
  for (unsigned row = 0; row < n; ++row)
    for (unsigned k = 0; k < 16; ++k)
      shared.put(elementAddress(decodeDescriptor(bBits), mode.mnMajor, row, k),
                 narrow(float(b[row * 16 + k] = draw(generator))));
  ASSERT_EQ(checkDescriptor(aBits, mode.mnMajor, 64), "");
  const auto left = shared.gather(aBits, mode.mnMajor, 64), right = shared.gather(bBits, mode.mnMajor, n);
  for (bool accumulate : {false, true})
    for (int scale : {1, -1}) {
      Registers d(n);
      for (float &value : d.values)
        value = 1000;
      multiplyWarpgroup({n, type, accumulate, scale, scale * (accumulate ? -1 : 1)}, left.data(), right.data(),
                        d.threads.data());
      for (unsigned row = 0; row < 64; ++row)
        for (unsigned column = 0; column < n; ++column) {
          int sum = 0;
          for (unsigned k = 0; k < 16; ++k)
            sum += a[row * 16 + k] * b[column * 16 + k];
          ASSERT_EQ(d.at(row, column), float(accumulate ? 1000 - sum : sum)) << row << ", " << column;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Layouts, Product,
                         testing::Combine(testing::Values(8u, 64u, 80u, 128u, 256u),
                                          testing::Values(Number::F16, Number::BF16),
                                          testing::Values(Mode{kMajor, 0, 128, 256}, Mode{kMajor, 1, 16, 1024},
                                                          Mode{kMajor, 2, 16, 512}, Mode{kMajor, 3, 16, 256},
                                                          Mode{mnMajor, 0, 4096, 128}, Mode{mnMajor, 1, 2048, 1024},
                                                          Mode{mnMajor, 2, 1024, 512}, Mode{mnMajor, 3, 512, 256})));

TEST(Product, OfRealNumbersIsRoundedOnce) {
  std::mt19937 generator(5);
  std::normal_distribution<float> draw;
  std::vector<uint16_t> a(64 * 16), b(24 * 16);
  for (uint16_t &x : a)
    x = support::f32_to_f16(draw(generator));
  for (uint16_t &x : b)
    x = support::f32_to_f16(draw(generator));
  Registers d(24);
  multiplyWarpgroup({24, Number::F16, false}, a.data(), b.data(), d.threads.data());
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned column = 0; column < 24; ++column) {
      long double sum = 0, magnitude = 0;
      for (unsigned k = 0; k < 16; ++k) {
        const long double product = support::f16_to_f32(a[row * 16 + k]) * support::f16_to_f32(b[column * 16 + k]);
        sum += product, magnitude += std::fabs(product);
      }
      EXPECT_LE(std::fabs(d.at(row, column) - sum), 0x1p-24L * std::fabs(sum) + 0x1p-50L * magnitude);
    }
}

TEST(OperandA, FromRegistersIsTheMatrix) { // by the ISA's figure, from the element's side
  std::vector<uint32_t> registers(128 * 4);
  std::vector<const uint32_t *> threads;
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned k = 0; k < 16; ++k)
      registers[(row / 16 * 32 + row % 8 * 4 + k % 8 / 2) * 4 + k / 8 * 2 + row % 16 / 8] |= (row * 16 + k) << 16 * (k % 2);
  for (unsigned thread = 0; thread < 128; ++thread)
    threads.push_back(&registers[4 * thread]);
  std::vector<uint16_t> elements(64 * 16);
  gatherOperandA(threads.data(), elements.data());
  for (unsigned i = 0; i < elements.size(); ++i)
    EXPECT_EQ(elements[i], i);
}

TEST(OperandA,
     IsTheAccumulatorsOfTwoColumnBlocks) { // why P = exp(S) needs no shuffle: registers of S's columns 16 j .. 16 j + 15
  for (unsigned thread = 0; thread < 128; ++thread)
    for (unsigned index = 0; index < 4; ++index)
      for (unsigned half = 0; half < 2; ++half)
        EXPECT_EQ(operandAPosition(thread, index, half), accumulatorPosition(thread, 2 * index + half));
}

/// A tensor [rows][columns] in global memory; element (row, column) is its number.
struct Tensor {
  unsigned rows, columns;
  std::vector<uint16_t> elements; // the allocator aligns to 16 bytes, as a map needs
  Tensor(unsigned rows, unsigned columns) : rows(rows), columns(columns), elements(rows * columns) {
    for (unsigned i = 0; i < elements.size(); ++i)
      elements[i] = uint16_t(i);
  }
  uint16_t at(unsigned row, unsigned column) const { return elements[row * columns + column]; }
  TensorMap map(unsigned boxRows, unsigned boxColumns, Swizzle swizzle) {
    TensorMapArguments arguments;
    arguments.rank = 2;
    arguments.base = elements.data();
    arguments.sizes[0] = columns, arguments.sizes[1] = rows;
    arguments.strides[0] = columns * 2;
    arguments.box[0] = boxColumns, arguments.box[1] = boxRows;
    arguments.swizzle = swizzle;
    TensorMap map;
    EXPECT_EQ(encodeTensorMap(arguments, map), "");
    return map;
  }
};

class LoadedTile : public testing::TestWithParam<std::tuple<Swizzle, uint64_t>> {};

TEST_P(LoadedTile, ReadKMajor) { // Q and K: rows of the tensor are rows of the operand, its columns are k
  const auto &[swizzle, mode] = GetParam();
  const unsigned span = spanBytes(swizzle), perTile = span / 2, rows = 128;
  Tensor tensor(256, 128);
  Shared shared;
  const TensorMap map = tensor.map(rows, perTile, swizzle);
  const uint32_t base = 2048, tileBytes = rows * span;
  for (unsigned tile = 0; tile < 128 / perTile; ++tile)
    shared.load(map, {int32_t(tile * perTile), 64}, base + tile * tileBytes);
  for (unsigned step = 0; step < 8; ++step) { // 16 columns are 32 bytes of a span
    const uint32_t start = base + step * 16 / perTile * tileBytes + step * 32 % span;
    const auto elements = shared.gather(encode(start, 16, 8 * span, mode), kMajor, rows);
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned k = 0; k < 16; ++k)
        ASSERT_EQ(elements[row * 16 + k], tensor.at(64 + row, step * 16 + k)) << row << ", " << step << ", " << k;
  }
}

TEST_P(LoadedTile, ReadMnMajor) { // V: rows of the tensor are k, its columns are rows of the operand
  const auto &[swizzle, mode] = GetParam();
  const unsigned span = spanBytes(swizzle), perTile = span / 2, rows = 64;
  Tensor tensor(256, 128);
  Shared shared;
  const TensorMap map = tensor.map(rows, perTile, swizzle);
  const uint32_t base = 4096, tileBytes = rows * span;
  for (unsigned tile = 0; tile < 128 / perTile; ++tile)
    shared.load(map, {int32_t(tile * perTile), 128}, base + tile * tileBytes);
  for (unsigned step = 0; step < rows / 16; ++step) { // 16 rows of the tensor
    const auto elements = shared.gather(encode(base + step * 16 * span, tileBytes, 8 * span, mode), mnMajor, 128);
    for (unsigned row = 0; row < 128; ++row)
      for (unsigned k = 0; k < 16; ++k)
        ASSERT_EQ(elements[row * 16 + k], tensor.at(128 + step * 16 + k, row)) << row << ", " << step << ", " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Swizzles, LoadedTile,
                         testing::Values(std::tuple(Swizzle::Span128, 1), std::tuple(Swizzle::Span64, 2),
                                         std::tuple(Swizzle::Span32, 3)));

} // namespace
