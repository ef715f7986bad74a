// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps: what the driver refuses, and which bytes a box takes from where, also beyond the tensor's edges.
#include "codegen/Simulator/Machine/TensorMap.h"

#include <gtest/gtest.h>
#include <set>

using namespace tilefold::sim;

namespace {

alignas(128) uint8_t memory[4096];
const uint64_t base = reinterpret_cast<uint64_t>(memory);

/// A tensor f16 [16][64] with rows of 128 bytes, box [8][boxColumns].
TensorMapArguments arguments(uint32_t boxColumns = 64, Swizzle swizzle = Swizzle::None) {
  TensorMapArguments arguments;
  arguments.rank = 2;
  arguments.base = memory;
  arguments.sizes[0] = 64, arguments.sizes[1] = 16;
  arguments.strides[0] = 128;
  arguments.box[0] = boxColumns, arguments.box[1] = 8;
  arguments.swizzle = swizzle;
  return arguments;
}

TensorMap encoded(const TensorMapArguments &arguments) {
  TensorMap map;
  EXPECT_EQ(encodeTensorMap(arguments, map), "");
  return map;
}

std::vector<BoxPiece> box(const TensorMap &map, std::vector<int32_t> coordinates, uint32_t shared = 0) {
  std::vector<BoxPiece> pieces;
  enumerateBox(map, coordinates.data(), shared, pieces);
  return pieces;
}

TEST(Swizzle, FlipsChunkBitsByRowBits) {
  EXPECT_EQ(swizzled(Swizzle::None, 0x3ff), 0x3ffu);
  EXPECT_EQ(swizzled(Swizzle::Span128, 0x080), 0x090u);
  EXPECT_EQ(swizzled(Swizzle::Span128, 0x3ff), 0x38fu); // 7 ^ 7
  EXPECT_EQ(swizzled(Swizzle::Span128, 0x400), 0x400u); // repeats after 1024 bytes
  EXPECT_EQ(swizzled(Swizzle::Span64, 0x080), 0x090u);
  EXPECT_EQ(swizzled(Swizzle::Span64, 0x1c0), 0x1f0u);
  EXPECT_EQ(swizzled(Swizzle::Span64, 0x200), 0x200u); // after 512
  EXPECT_EQ(swizzled(Swizzle::Span32, 0x080), 0x090u);
  EXPECT_EQ(swizzled(Swizzle::Span32, 0x0f4), 0x0e4u);
  EXPECT_EQ(swizzled(Swizzle::Span32, 0x100), 0x100u); // after 256
}

TEST(EncodeTensorMap, SaysWhatIsWrong) {
  const auto error = [](auto change) {
    TensorMapArguments wrong = arguments();
    change(wrong);
    TensorMap map;
    return encodeTensorMap(wrong, map);
  };
  using Arguments = TensorMapArguments;
  EXPECT_EQ(error([](Arguments &a) { a.rank = 0; }), "tensor map: rank is 0, expected 1 to 5");
  EXPECT_EQ(error([](Arguments &a) { a.rank = 6; }), "tensor map: rank is 6, expected 1 to 5");
  EXPECT_EQ(error([](Arguments &a) { a.base = memory + 8; }),
            "tensor map: base is " + std::to_string(base + 8) + ", expected an address that is a multiple of 16");
  EXPECT_EQ(error([](Arguments &a) { a.sizes[1] = 0; }), "tensor map: sizes[1] is 0, expected 1 to 2^32");
  EXPECT_EQ(error([](Arguments &a) { a.sizes[0] = (1ull << 32) + 1; }),
            "tensor map: sizes[0] is 4294967297, expected 1 to 2^32");
  EXPECT_EQ(error([](Arguments &a) { a.box[1] = 0; }), "tensor map: box[1] is 0, expected 1 to 256");
  EXPECT_EQ(error([](Arguments &a) { a.box[1] = 257; }), "tensor map: box[1] is 257, expected 1 to 256");
  EXPECT_EQ(error([](Arguments &a) { a.elementStrides[1] = 9; }), "tensor map: elementStrides[1] is 9, expected 1 to 8");
  EXPECT_EQ(error([](Arguments &a) { a.elementStrides[1] = 0; }), "tensor map: elementStrides[1] is 0, expected 1 to 8");
  EXPECT_EQ(error([](Arguments &a) { a.strides[0] = 120; }),
            "tensor map: strides[0] is 120, expected a multiple of 16 bytes");
  EXPECT_EQ(error([](Arguments &a) { a.strides[0] = 1ull << 40; }),
            "tensor map: strides[0] is 1099511627776, expected less than 2^40 bytes");
  EXPECT_EQ(error([](Arguments &a) { a.box[0] = 12; }), "tensor map: box[0] is 24, expected a multiple of 16 (in bytes)");
  EXPECT_EQ(error([](Arguments &a) { a.swizzle = Swizzle::Span64; }),
            "tensor map: box[0] is 128, expected at most the swizzle's span of 64 (in bytes)");
  EXPECT_EQ(error([](Arguments &a) { a.type = TensorElement::F32, a.box[0] = 256, a.box[1] = 229; }),
            "tensor map: box is 234496, expected at most 233472 (all of it, in bytes)");
}

TEST(EncodeTensorMap, TakesWhatTheDriverTakes) {
  const auto accepted = [](auto change) {
    TensorMapArguments unusual = arguments();
    change(unusual);
    TensorMap map;
    return encodeTensorMap(unusual, map);
  };
  using Arguments = TensorMapArguments;
  EXPECT_EQ(accepted([](Arguments &a) { a.sizes[1] = 1ull << 32; }), "");
  EXPECT_EQ(accepted([](Arguments &a) { a.strides[0] = 0; }), "");
  EXPECT_EQ(accepted([](Arguments &a) { a.strides[0] = 64; }), ""); // rows that overlap
  EXPECT_EQ(accepted([](Arguments &a) { a.strides[0] = (1ull << 40) - 16; }), "");
  EXPECT_EQ(accepted([](Arguments &a) { a.sizes[0] = 3; }), ""); // the box is wider
  EXPECT_EQ(accepted([](Arguments &a) { a.type = TensorElement::F32, a.box[0] = 256, a.box[1] = 228; }), "");
}

TEST(CheckBox, SaysWhatIsWrong) {
  TensorMap map = encoded(arguments());
  const int32_t corner[] = {-8, 1}, between[] = {-3, 0};
  EXPECT_EQ(checkBox(map, 2, corner, 256, false), "");
  EXPECT_EQ(checkBox(map, 3, corner, 256, false),
            "tensor copy: the instruction has 3 coordinates, expected 2, the rank of its tensor map");
  EXPECT_EQ(checkBox(map, 2, corner, 64, false), "tensor copy: the shared address is 64, expected a multiple of 128");
  EXPECT_EQ(checkBox(map, 2, between, 256, false),
            "tensor copy: coordinate 0 is -3, byte -6 of its row, expected a multiple of 16 bytes");
  EXPECT_EQ(checkBox(map, 2, corner, 256, true), "tensor copy: coordinate 0 of a store is -8, expected 0 or more");
  const int32_t above[] = {8, -1}, beyond[] = {104, 40};
  EXPECT_EQ(checkBox(map, 2, above, 256, true), "tensor copy: coordinate 1 of a store is -1, expected 0 or more");
  EXPECT_EQ(checkBox(map, 2, beyond, 256, true), "");
  map.mark = 0;
  EXPECT_EQ(checkBox(map, 2, corner, 256, false), "tensor copy: its map operand does not point at a tensor map");
}

TEST(Box, InsideTheTensor) {
  const auto pieces = box(encoded(arguments(16)), {8, 2}, 1024); // rows of 32 bytes, one after the other
  ASSERT_EQ(pieces.size(), 16u);
  EXPECT_EQ(pieces[0], (BoxPiece{1024, 16, base + 2 * 128 + 16, 16}));
  EXPECT_EQ(pieces[1], (BoxPiece{1040, 16, base + 2 * 128 + 32, 16}));
  EXPECT_EQ(pieces[2], (BoxPiece{1056, 16, base + 3 * 128 + 16, 16}));
  EXPECT_EQ(pieces[15], (BoxPiece{1024 + 7 * 32 + 16, 16, base + 9 * 128 + 32, 16}));
}

TEST(Box, SwizzledByTheSharedAddress) {
  const TensorMap map = encoded(arguments(64, Swizzle::Span128));
  auto pieces = box(map, {0, 0}, 1024);
  EXPECT_EQ(pieces[8], (BoxPiece{1024 + 128 + 16, 16, base + 128, 16})); // row 1, chunk 0 goes to 0 ^ 1
  EXPECT_EQ(pieces[8 * 5 + 3].sharedAddress, 1024u + 5 * 128 + 6 * 16);  // 3 ^ 5
  pieces = box(map, {0, 0}, 1024 + 256);                                 // starts in the middle of the pattern
  EXPECT_EQ(pieces[0], (BoxPiece{1024 + 256 + 32, 16, base, 16}));
  EXPECT_EQ(box(encoded(arguments(32, Swizzle::Span64)), {0, 0})[4 * 2].sharedAddress, 128u + 16); // row 2
  EXPECT_EQ(box(encoded(arguments(16, Swizzle::Span32)), {0, 0})[2 * 4].sharedAddress, 128u + 16); // row 4
}

TEST(Box, BeyondTheLastRowAndColumn) {
  const auto pieces = box(encoded(arguments(16)), {56, 12});
  EXPECT_EQ(pieces[0], (BoxPiece{0, 16, base + 12 * 128 + 112, 16}));
  EXPECT_EQ(pieces[1], (BoxPiece{16, 16, 0, 0})); // columns 64 to 71
  EXPECT_EQ(pieces[6], (BoxPiece{96, 16, base + 15 * 128 + 112, 16}));
  EXPECT_EQ(pieces[8], (BoxPiece{128, 16, 0, 0})); // row 16
}

TEST(Box, EndsWithinAPiece) {
  TensorMapArguments odd = arguments(16);
  odd.sizes[0] = 61;
  const auto pieces = box(encoded(odd), {56, 0});
  EXPECT_EQ(pieces[0], (BoxPiece{0, 16, base + 112, 10}));
  EXPECT_EQ(pieces[1], (BoxPiece{16, 16, 0, 0}));
}

TEST(Box, BeforeTheFirstRowAndColumn) {
  const auto pieces = box(encoded(arguments(16)), {-8, -1});
  EXPECT_EQ(pieces[0], (BoxPiece{0, 16, 0, 0})); // row -1
  EXPECT_EQ(pieces[1], (BoxPiece{16, 16, 0, 0}));
  EXPECT_EQ(pieces[2], (BoxPiece{32, 16, 0, 0})); // row 0, columns -8 to -1
  EXPECT_EQ(pieces[3], (BoxPiece{48, 16, base, 16}));
  EXPECT_EQ(pieces[5], (BoxPiece{80, 16, base + 128, 16}));
}

TEST(Box, WiderThanTheTensor) {
  TensorMapArguments narrow = arguments(32);
  narrow.sizes[0] = 3;
  const auto pieces = box(encoded(narrow), {-8, 0});
  EXPECT_EQ(pieces[0], (BoxPiece{0, 16, 0, 0}));
  EXPECT_EQ(pieces[1], (BoxPiece{16, 16, base, 6}));
  EXPECT_EQ(pieces[2], (BoxPiece{32, 16, 0, 0}));
}

TEST(Box, NarrowerThanItsSwizzleSpan) { // a row still takes a whole span
  const auto pieces = box(encoded(arguments(16, Swizzle::Span128)), {0, 0});
  EXPECT_EQ(pieces[1], (BoxPiece{16, 16, base + 16, 16}));
  EXPECT_EQ(pieces[2], (BoxPiece{128 + 16, 16, base + 128, 16}));
  EXPECT_EQ(pieces[3], (BoxPiece{128, 16, base + 128 + 16, 16}));
  EXPECT_EQ(box(encoded(arguments(8, Swizzle::Span64)), {0, 0})[2].sharedAddress, 128u + 16);
}

TEST(Box, FarAwayIsAllZeros) {
  for (const std::vector<int32_t> &corner :
       {std::vector<int32_t>{INT32_MIN, 0}, {INT32_MAX, 0}, {0, INT32_MIN}, {0, INT32_MAX}})
    for (const BoxPiece &piece : box(encoded(arguments()), corner)) {
      EXPECT_EQ(piece.global, 0u);
      EXPECT_EQ(piece.validBytes, 0u);
    }
}

TEST(Box, OfFiveDimensions) {
  TensorMapArguments five;
  five.type = TensorElement::F32;
  five.rank = 5;
  five.base = memory;
  for (unsigned i = 0; i < 5; ++i)
    five.sizes[i] = i == 0 ? 4 : 2, five.box[i] = i == 0 ? 4 : 2;
  five.strides[0] = 16, five.strides[1] = 64, five.strides[2] = 256, five.strides[3] = 1024;
  const TensorMap map = encoded(five);
  EXPECT_EQ(boxBytes(map), 256u);
  const auto pieces = box(map, {0, 0, 0, 0, 0});
  ASSERT_EQ(pieces.size(), 16u);
  for (unsigned i = 0; i < 16; ++i)
    EXPECT_EQ(pieces[i], (BoxPiece{16 * i, 16, base + i % 2 * 16 + i / 2 % 2 * 64 + i / 4 % 2 * 256 + i / 8 * 1024, 16}));
  const auto last = box(map, {0, 1, 1, 1, 1}); // one row of the tensor, and 15 beyond it
  EXPECT_EQ(last[0], (BoxPiece{0, 16, base + 16 + 64 + 256 + 1024, 16}));
  for (unsigned i = 1; i < 16; ++i)
    EXPECT_EQ(last[i], (BoxPiece{16 * i, 16, 0, 0}));
}

TEST(Box, TakesEverySecondRow) {
  TensorMapArguments strided = arguments(8);
  strided.box[1] = 5, strided.elementStrides[1] = 2;
  const TensorMap map = encoded(strided);
  EXPECT_EQ(boxBytes(map), 3u * 16); // rows 0, 2, 4
  const auto pieces = box(map, {0, 1});
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[2], (BoxPiece{32, 16, base + 5 * 128, 16}));
}

TEST(Box, EveryByteIsInOnePiece) {
  for (Swizzle swizzle : {Swizzle::None, Swizzle::Span32, Swizzle::Span64, Swizzle::Span128})
    for (TensorElement type :
         {TensorElement::U8, TensorElement::I32, TensorElement::F16, TensorElement::BF16, TensorElement::F32})
      for (int32_t x : {-16, 0, 48}) {
        TensorMapArguments all = arguments(spanBytes(swizzle) / elementBytes(type), swizzle);
        all.type = type;
        const TensorMap map = encoded(all);
        std::set<uint32_t> chunks;
        for (const BoxPiece &piece : box(map, {x, -2}, 256)) {
          EXPECT_EQ(piece.sharedAddress % 16, 0u);
          EXPECT_EQ(piece.bytes, 16u);
          EXPECT_LE(piece.validBytes, 16u);
          EXPECT_EQ(piece.global == 0, piece.validBytes == 0);
          EXPECT_TRUE(chunks.insert(piece.sharedAddress).second);
        }
        EXPECT_EQ(chunks.size() * 16, boxBytes(map));
        EXPECT_EQ(*chunks.begin(), 256u);
        EXPECT_EQ(*chunks.rbegin(), 256 + boxBytes(map) - 16);
      }
}

} // namespace
