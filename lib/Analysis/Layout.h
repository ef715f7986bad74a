// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "lib/Dialect/Tile/TileDialect.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace tilefold::tile {

/// Threads of a warp.
inline constexpr int64_t kLanes = 32;

/// A layout with its digits multiplied out: the map from (register, lane, warp) to coordinates, and its inverse questions.
///
/// The coordinates of an element are the sum of what the register, the lane and the warp contribute, so each part is
/// tabulated once and combined on demand.
class Layout {
public:
  using Coordinates = llvm::SmallVector<int64_t, 3>;

  Layout(LayoutAttr attribute, int64_t rank);
  /// The layout of a tile; asserts that it has one.
  explicit Layout(mlir::RankedTensorType type);

  int64_t getRank() const { return rank; }
  int64_t getRegisters() const { return registers.size(); }
  int64_t getWarps() const { return warps.size(); }
  LayoutAttr getAttribute() const { return attribute; }

  /// What each part contributes.
  const Coordinates &ofRegister(int64_t r) const { return registers[r]; }
  const Coordinates &ofLane(int64_t l) const { return lanes[l]; }
  const Coordinates &ofWarp(int64_t w) const { return warps[w]; }
  Coordinates at(int64_t reg, int64_t lane, int64_t warp) const;

  /// How many registers from `first` on hold neighbours along the last dimension, aligned to their number in every
  /// thread: the width of a vector access. A power of two, at most `limit`.
  int64_t getVectorWidth(int64_t first, int64_t limit) const;

private:
  LayoutAttr attribute;
  int64_t rank;
  llvm::SmallVector<Coordinates> registers, lanes, warps;
};

/// For every register of `to`, the register of the same thread that holds in `from` the element at `project` of its
/// coordinates; nothing if some thread holds no such element.
std::optional<llvm::SmallVector<int64_t>>
mapRegisters(const Layout &from, const Layout &to,
             llvm::function_ref<Layout::Coordinates(Layout::Coordinates)> project = nullptr);

/// How the warps of a block share the rows and columns of a product.
struct WarpGrid {
  int64_t rows, columns;
  /// Rows first: a warp that owns whole rows reduces along them without leaving its registers.
  static WarpGrid forProduct(int64_t m, int64_t warps);
};

/// The accumulator of mma.m16n8k16 tiled over m x n.
LayoutAttr accumulatorLayout(mlir::MLIRContext *context, int64_t m, int64_t n, WarpGrid warps);
/// Its left operand, 16-bit elements, over m x k.
LayoutAttr leftOperandLayout(mlir::MLIRContext *context, int64_t m, int64_t k, WarpGrid warps);
/// Its right operand, 16-bit elements, over k x n.
LayoutAttr rightOperandLayout(mlir::MLIRContext *context, int64_t k, int64_t n, WarpGrid warps);
/// Neighbouring threads hold neighbouring vectors of the last dimension; for tiles without products.
LayoutAttr blockedLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, int64_t elementBits, int64_t warps);

/// The layout of the result of reducing along `dim`, and of whatever is later broadcast along it.
LayoutAttr sliceLayout(LayoutAttr layout, int64_t dim);
/// The layout after inserting a dimension of extent one.
LayoutAttr expandLayout(LayoutAttr layout, int64_t dim);
/// The layout before repeating the dimensions of extent one in `shape`.
LayoutAttr restrictLayout(LayoutAttr layout, llvm::ArrayRef<int64_t> shape);
/// The layout with dimensions 0 and 1 exchanged.
LayoutAttr transposeLayout(LayoutAttr layout);

} // namespace tilefold::tile
