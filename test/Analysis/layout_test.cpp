// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts hold every element, where PTX says that mma.m16n8k16 holds it, and swizzled rows do not collide in banks.
#include "lib/Analysis/Layout.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace tilefold::tile;
using llvm::ArrayRef;
using Coordinates = Layout::Coordinates;

namespace {

struct LayoutTest : ::testing::Test {
  LayoutTest() { context.loadDialect<TileDialect>(); }
  mlir::MLIRContext context;

  /// Every element of `shape` has `copies` holders, and there are no others.
  void expectCovers(LayoutAttr attribute, ArrayRef<int64_t> shape, int64_t copies) {
    Layout layout(attribute, shape.size());
    int64_t elements = 1;
    for (int64_t extent : shape)
      elements *= extent;
    std::vector<int64_t> holders(elements);
    for (int64_t w = 0; w < layout.getWarps(); ++w)
      for (int64_t l = 0; l < kLanes; ++l)
        for (int64_t r = 0; r < layout.getRegisters(); ++r) {
          int64_t index = 0;
          for (auto [extent, c] : llvm::zip(shape, layout.at(r, l, w))) {
            ASSERT_GE(c, 0);
            ASSERT_LT(c, extent);
            index = index * extent + c;
          }
          ++holders[index];
        }
    EXPECT_EQ(*std::min_element(holders.begin(), holders.end()), copies);
    EXPECT_EQ(*std::max_element(holders.begin(), holders.end()), copies);
  }

  /// What mapRegisters promises, thread by thread.
  void expectMaps(const Layout &from, const Layout &to, llvm::function_ref<Coordinates(Coordinates)> project) {
    auto map = mapRegisters(from, to, project);
    ASSERT_TRUE(map);
    ASSERT_EQ(int64_t(map->size()), to.getRegisters());
    for (int64_t w = 0; w < to.getWarps(); ++w)
      for (int64_t l = 0; l < kLanes; ++l)
        for (int64_t r = 0; r < to.getRegisters(); ++r)
          EXPECT_EQ(from.at((*map)[r], l, w), project(to.at(r, l, w)));
  }
};

/// Visits the products that warps share evenly.
void forEachProduct(llvm::function_ref<void(int64_t m, int64_t n, int64_t warps, WarpGrid)> visit) {
  for (int64_t m : {16, 32, 48, 64, 128})
    for (int64_t n = 16; n <= 256; n += 16)
      for (int64_t warps : {1, 2, 4, 8}) {
        WarpGrid grid = WarpGrid::forProduct(m, warps);
        if (grid.rows * grid.columns == warps && m / 16 % grid.rows == 0 && n / 16 % grid.columns == 0)
          visit(m, n, warps, grid);
      }
}

} // namespace

TEST_F(LayoutTest, WarpsTakeRowsFirst) {
  auto expect = [](int64_t m, int64_t warps, int64_t rows, int64_t columns) {
    WarpGrid grid = WarpGrid::forProduct(m, warps);
    EXPECT_EQ(grid.rows, rows);
    EXPECT_EQ(grid.columns, columns);
  };
  expect(128, 4, 4, 1);
  expect(64, 4, 4, 1);
  expect(32, 4, 2, 2);
  expect(16, 4, 1, 4);
  expect(48, 4, 1, 4); // three blocks of rows: not three warps, and one that owns nothing of its own
  expect(96, 8, 2, 4);
}

// The figures of "Matrix fragments for mma.m16n8k16" in the PTX manual.
TEST_F(LayoutTest, FragmentsAreThoseOfPtx) {
  WarpGrid one{1, 1};
  Layout a(leftOperandLayout(&context, 16, 16, one), 2), b(rightOperandLayout(&context, 16, 8, one), 2);
  Layout c(accumulatorLayout(&context, 16, 8, one), 2);
  ASSERT_EQ(a.getRegisters(), 8);
  ASSERT_EQ(b.getRegisters(), 4);
  ASSERT_EQ(c.getRegisters(), 4);
  for (int64_t l = 0; l < kLanes; ++l) {
    int64_t group = l / 4, in = l % 4;
    for (int64_t i = 0; i < 8; ++i)
      EXPECT_EQ(a.at(i, l, 0), (Coordinates{group + (i % 4 < 2 ? 0 : 8), in * 2 + i % 2 + (i < 4 ? 0 : 8)}));
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(b.at(i, l, 0), (Coordinates{in * 2 + i % 2 + (i < 2 ? 0 : 8), group}));
      EXPECT_EQ(c.at(i, l, 0), (Coordinates{group + (i < 2 ? 0 : 8), in * 2 + i % 2}));
    }
  }
}

TEST_F(LayoutTest, ProductsAreCoveredExactly) {
  forEachProduct([&](int64_t m, int64_t n, int64_t warps, WarpGrid grid) {
    SCOPED_TRACE(testing::Message() << m << " x " << n << ", " << warps << " warps");
    LayoutAttr acc = accumulatorLayout(&context, m, n, grid);
    expectCovers(acc, {m, n}, 1);
    expectCovers(transposeLayout(acc), {n, m}, 1);
    expectCovers(sliceLayout(acc, 1), {m}, 4 * grid.columns);
    expectCovers(sliceLayout(acc, 0), {n}, 8 * grid.rows);
    expectCovers(expandLayout(sliceLayout(acc, 1), 1), {m, 1}, 4 * grid.columns);
    expectCovers(leftOperandLayout(&context, m, 64, grid), {m, 64}, grid.columns);
    expectCovers(rightOperandLayout(&context, 64, n, grid), {64, n}, grid.rows);
  });
}

TEST_F(LayoutTest, BlockedTilesAreCoveredEvenly) {
  llvm::SmallVector<int64_t> shapes[] = {{1024}, {1000}, {7}, {1}, {64, 96}, {16, 80}, {3, 5}, {128, 1}, {2, 8, 64}};
  for (auto &shape : shapes)
    for (int64_t bits : {1, 16, 32})
      for (int64_t warps : {1, 4, 8}) {
        LayoutAttr attribute = blockedLayout(&context, shape, bits, warps);
        Layout layout(attribute, shape.size());
        int64_t held = layout.getRegisters() * kLanes * warps, elements = llvm::product_of(shape);
        ASSERT_EQ(held % elements, 0);
        expectCovers(attribute, shape, held / elements);
      }
}

TEST_F(LayoutTest, VectorsAreAlignedNeighbours) {
  Layout halves(blockedLayout(&context, {64, 128}, 16, 4), 2), acc(accumulatorLayout(&context, 64, 64, {4, 1}), 2);
  EXPECT_EQ(halves.getVectorWidth(0, 8), 8);
  EXPECT_EQ(halves.getVectorWidth(0, 4), 4);
  EXPECT_EQ(acc.getVectorWidth(0, 4), 2);
  EXPECT_EQ(acc.getVectorWidth(1, 4), 1);
}

// Weights become an operand where they are, unless several warps share the columns.
TEST_F(LayoutTest, AccumulatorIsTheLeftOperand) {
  forEachProduct([&](int64_t m, int64_t n, int64_t warps, WarpGrid grid) {
    LayoutAttr acc = accumulatorLayout(&context, m, n, grid), left = leftOperandLayout(&context, m, n, grid);
    auto map = mapRegisters(Layout(acc, 2), Layout(left, 2));
    EXPECT_EQ(map.has_value(), grid.columns == 1) << m << " x " << n << ", " << warps << " warps";
    if (!map)
      return;
    for (auto [i, r] : llvm::enumerate(*map))
      EXPECT_EQ(int64_t(i), r);
  });
}

TEST_F(LayoutTest, RepeatedRowsStayInTheirThread) {
  forEachProduct([&](int64_t m, int64_t n, int64_t, WarpGrid grid) {
    LayoutAttr acc = accumulatorLayout(&context, m, n, grid);
    Layout whole(acc, 2);
    expectMaps(Layout(restrictLayout(acc, {m, 1}), 2), whole, [](Coordinates c) { return c[1] = 0, c; });
    expectMaps(Layout(restrictLayout(acc, {1, n}), 2), whole, [](Coordinates c) { return c[0] = 0, c; });
    expectMaps(Layout(sliceLayout(acc, 1), 1), Layout(restrictLayout(acc, {m, 1}), 2),
               [](Coordinates c) { return Coordinates{c[0]}; });
    expectMaps(whole, Layout(transposeLayout(acc), 2), [](Coordinates c) { return std::swap(c[0], c[1]), c; });
  });
}

TEST_F(LayoutTest, OthersNeedAnExchange) {
  Layout acc(accumulatorLayout(&context, 64, 64, {4, 1}), 2);
  EXPECT_FALSE(mapRegisters(acc, Layout(blockedLayout(&context, {64, 64}, 32, 4), 2)));
  EXPECT_FALSE(mapRegisters(acc, Layout(accumulatorLayout(&context, 64, 64, {2, 2}), 2)));
  EXPECT_FALSE(mapRegisters(acc, Layout(accumulatorLayout(&context, 64, 64, {2, 1}), 2)));
}

// One phase of ldmatrix reads the same chunk of eight consecutive rows: 16 bytes from each of the 8 groups of banks.
TEST_F(LayoutTest, SwizzledRowsMeetEveryBankOnce) {
  for (int64_t headDim = 16; headDim <= 256; headDim += 8) {
    int64_t chunks = headDim * 2 / 16;
    SwizzleAttr swizzle = SwizzleAttr::forRows(&context, headDim * 2);
    for (int64_t first = 0; first < 64; first += 8)
      for (int64_t chunk = 0; chunk < chunks; ++chunk) {
        std::set<int64_t> groups;
        for (int64_t row = first; row < first + 8; ++row)
          groups.insert((row * chunks + swizzle.apply(row, chunk)) % 8);
        EXPECT_EQ(groups.size(), 8u) << "head dim " << headDim << ", rows from " << first << ", chunk " << chunk;
      }
    for (int64_t row = 0; row < 8; ++row) {
      std::set<int64_t> places;
      for (int64_t chunk = 0; chunk < chunks; ++chunk)
        places.insert(swizzle.apply(row, chunk));
      EXPECT_EQ(int64_t(places.size()), chunks) << "head dim " << headDim;
      EXPECT_LT(*places.rbegin(), chunks) << "head dim " << headDim;
    }
  }
}
