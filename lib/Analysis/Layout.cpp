// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/Layout.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace tilefold::tile;

/// What each value of a mixed-radix index contributes to the coordinates.
static SmallVector<Layout::Coordinates> tabulate(ArrayRef<Digit> digits, int64_t rank) {
  SmallVector<Layout::Coordinates> table{Layout::Coordinates(rank, 0)};
  for (const Digit &digit : digits) {
    size_t slower = table.size();
    for (int64_t value = 1; value < digit.radix; ++value)
      for (size_t i = 0; i < slower; ++i) {
        Layout::Coordinates c = table[i];
        c[digit.dim] += value * digit.stride;
        table.push_back(c);
      }
  }
  return table;
}

Layout::Layout(LayoutAttr attribute, int64_t rank)
    : attribute(attribute), rank(rank), registers(tabulate(attribute.getRegisters(), rank)),
      lanes(tabulate(attribute.getLanes(), rank)), warps(tabulate(attribute.getWarps(), rank)) {
  assert(int64_t(lanes.size()) == kLanes && "a layout names every lane of a warp");
}

Layout::Layout(RankedTensorType type) : Layout(cast<LayoutAttr>(type.getEncoding()), type.getRank()) {}

Layout::Coordinates Layout::at(int64_t reg, int64_t lane, int64_t warp) const {
  Coordinates c = registers[reg];
  for (int64_t d = 0; d < rank; ++d)
    c[d] += lanes[lane][d] + warps[warp][d];
  return c;
}

int64_t Layout::getVectorWidth(int64_t first, int64_t limit) const {
  int64_t last = rank - 1, width = 1;
  auto fits = [&](int64_t candidate) {
    if (first + candidate > getRegisters())
      return false;
    for (int64_t i = 1; i < candidate; ++i) {
      Coordinates expected = registers[first];
      expected[last] += i;
      if (registers[first + i] != expected)
        return false;
    }
    auto aligned = [&](const Coordinates &c) { return c[last] % candidate == 0; };
    return aligned(registers[first]) && llvm::all_of(lanes, aligned) && llvm::all_of(warps, aligned);
  };
  while (width * 2 <= limit && fits(width * 2))
    width *= 2;
  return width;
}

std::optional<SmallVector<int64_t>>
tilefold::tile::mapRegisters(const Layout &from, const Layout &to,
                             function_ref<Layout::Coordinates(Layout::Coordinates)> project) {
  if (from.getWarps() != to.getWarps())
    return std::nullopt;
  auto wanted = [&](int64_t r, int64_t l, int64_t w) {
    Layout::Coordinates c = to.at(r, l, w);
    return project ? project(c) : c;
  };
  std::map<Layout::Coordinates, int64_t> holders;
  for (int64_t r = from.getRegisters() - 1; r >= 0; --r)
    holders[from.at(r, 0, 0)] = r;
  SmallVector<int64_t> result;
  for (int64_t r = 0; r < to.getRegisters(); ++r) {
    auto holder = holders.find(wanted(r, 0, 0));
    if (holder == holders.end())
      return std::nullopt;
    // Lanes and warps contribute independently, so each needs checking only on its own.
    for (int64_t l = 1; l < kLanes; ++l)
      if (from.at(holder->second, l, 0) != wanted(r, l, 0))
        return std::nullopt;
    for (int64_t w = 1; w < to.getWarps(); ++w)
      if (from.at(holder->second, 0, w) != wanted(r, 0, w))
        return std::nullopt;
    result.push_back(holder->second);
  }
  return result;
}

WarpGrid WarpGrid::forProduct(int64_t m, int64_t warps) {
  // Every warp has to own a part, the same as the others: a second owner of an element would store it as well.
  int64_t blocks = std::max<int64_t>(1, m / 16), rows = std::min(warps, blocks);
  while (warps % rows || blocks % rows)
    --rows;
  return {rows, warps / rows};
}

/// A digit, unless it counts nothing.
static void add(SmallVectorImpl<Digit> &digits, int64_t radix, int64_t dim, int64_t stride) {
  if (radix > 1)
    digits.push_back({int32_t(radix), int32_t(dim), int32_t(stride)});
}

LayoutAttr tilefold::tile::accumulatorLayout(MLIRContext *context, int64_t m, int64_t n, WarpGrid grid) {
  int64_t rows = m / grid.rows, columns = n / grid.columns;
  SmallVector<Digit> registers, lanes{{4, 1, 2}, {8, 0, 1}}, warps;
  add(registers, 2, 1, 1);
  add(registers, 2, 0, 8);
  add(registers, columns / 8, 1, 8);
  add(registers, rows / 16, 0, 16);
  add(warps, grid.rows, 0, rows);
  add(warps, grid.columns, 1, columns);
  return LayoutAttr::get(context, registers, lanes, warps);
}

LayoutAttr tilefold::tile::leftOperandLayout(MLIRContext *context, int64_t m, int64_t k, WarpGrid grid) {
  int64_t rows = m / grid.rows;
  SmallVector<Digit> registers, lanes{{4, 1, 2}, {8, 0, 1}}, warps;
  add(registers, 2, 1, 1);
  add(registers, 2, 0, 8);
  add(registers, k / 8, 1, 8);
  add(registers, rows / 16, 0, 16);
  add(warps, grid.rows, 0, rows);
  add(warps, grid.columns, 1, 0);
  return LayoutAttr::get(context, registers, lanes, warps);
}

LayoutAttr tilefold::tile::rightOperandLayout(MLIRContext *context, int64_t k, int64_t n, WarpGrid grid) {
  int64_t columns = n / grid.columns;
  SmallVector<Digit> registers, lanes{{4, 0, 2}, {8, 1, 1}}, warps;
  add(registers, 2, 0, 1);
  add(registers, k / 8, 0, 8);
  add(registers, columns / 8, 1, 8);
  add(warps, grid.rows, 0, 0);
  add(warps, grid.columns, 1, columns);
  return LayoutAttr::get(context, registers, lanes, warps);
}

LayoutAttr tilefold::tile::blockedLayout(MLIRContext *context, ArrayRef<int64_t> shape, int64_t elementBits,
                                         int64_t warpCount) {
  SmallVector<Digit> registers, lanes, warps;
  int64_t lastDim = int64_t(shape.size()) - 1;
  SmallVector<int64_t> covered(shape.size(), 1);
  int64_t vector = std::max<int64_t>(1, 128 / std::max<int64_t>(8, elementBits));
  while (vector > 1 && shape[lastDim] % vector)
    vector /= 2;
  // A tile too small to give every thread a vector is spread thinner.
  while (vector > 1 && llvm::product_of(shape) < vector * kLanes * warpCount)
    vector /= 2;
  add(registers, vector, lastDim, 1);
  covered[lastDim] = vector;

  // Powers of two from the last dimension outward; what does not fit replicates.
  auto spread = [&](SmallVectorImpl<Digit> &digits, int64_t count) {
    for (int64_t dim = lastDim; dim >= 0 && count > 1; --dim) {
      int64_t here = 1;
      while (here * 2 <= count && (shape[dim] / covered[dim]) % (here * 2) == 0)
        here *= 2;
      add(digits, here, dim, covered[dim]);
      covered[dim] *= here;
      count /= here;
    }
    add(digits, count, 0, 0);
  };
  spread(lanes, kLanes);
  spread(warps, warpCount);
  for (int64_t dim = lastDim; dim >= 0; --dim)
    add(registers, shape[dim] / covered[dim], dim, covered[dim]);
  return LayoutAttr::get(context, registers, lanes, warps);
}

/// Rewrites every digit; registers that no longer move anything are dropped, threads that no longer do replicate.
static LayoutAttr transform(LayoutAttr layout, function_ref<Digit(Digit)> rewrite) {
  SmallVector<Digit> registers, lanes, warps;
  for (const Digit &d : layout.getRegisters())
    if (Digit changed = rewrite(d); changed.stride)
      registers.push_back(changed);
  for (const Digit &d : layout.getLanes())
    lanes.push_back(rewrite(d));
  for (const Digit &d : layout.getWarps())
    warps.push_back(rewrite(d));
  return LayoutAttr::get(layout.getContext(), registers, lanes, warps);
}

LayoutAttr tilefold::tile::sliceLayout(LayoutAttr layout, int64_t dim) {
  return transform(layout, [&](Digit d) -> Digit {
    if (d.dim == dim || !d.stride)
      return {d.radix, 0, 0};
    return {d.radix, int32_t(d.dim > dim ? d.dim - 1 : d.dim), d.stride};
  });
}

LayoutAttr tilefold::tile::expandLayout(LayoutAttr layout, int64_t dim) {
  return transform(layout, [&](Digit d) -> Digit {
    if (!d.stride)
      return d;
    return {d.radix, int32_t(d.dim >= dim ? d.dim + 1 : d.dim), d.stride};
  });
}

LayoutAttr tilefold::tile::restrictLayout(LayoutAttr layout, ArrayRef<int64_t> shape) {
  return transform(layout, [&](Digit d) -> Digit { return shape[d.dim] == 1 ? Digit{d.radix, 0, 0} : d; });
}

LayoutAttr tilefold::tile::transposeLayout(LayoutAttr layout) {
  return transform(layout, [](Digit d) -> Digit { return {d.radix, d.stride ? 1 - d.dim : 0, d.stride}; });
}
