// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/TileToBase/Scratch.h"
#include <map>

using namespace mlir;
using namespace tilefold;
using namespace tilefold::tile;

ScratchTile::ScratchTile(RankedTensorType type) {
  elementBytes = std::max<int64_t>(1, type.getElementTypeBitWidth() / 8);
  int64_t columns = type.getDimSize(type.getRank() - 1);
  rows = type.getNumElements() / columns;
  rowBytes = (columns * elementBytes + 15) / 16 * 16 + (rows > 1 ? 16 : 0);
}

ReductionPlan::ReductionPlan(ReduceOp op) {
  auto type = op.getSource().getType();
  Layout source(type);
  int64_t dim = op.getDim();

  auto resultType = dyn_cast<RankedTensorType>(op.getResult().getType());
  auto drop = [&](Layout::Coordinates c) { return c.erase(c.begin() + dim), c; };
  std::map<Layout::Coordinates, int64_t> index;
  if (resultType) {
    Layout result(resultType);
    results = resultType.getNumElements();
    registers.resize(result.getRegisters());
    for (int64_t r = 0; r < result.getRegisters(); ++r)
      index.try_emplace(result.ofRegister(r), r);
  } else {
    registers.resize(1);
    index[{}] = 0;
  }
  for (int64_t r = 0; r < source.getRegisters(); ++r)
    registers[index.at(drop(source.ofRegister(r)))].push_back(r);

  int64_t faster = 1;
  for (const Digit &d : source.getAttribute().getLanes()) {
    if (d.dim == dim && d.stride)
      for (int64_t mask = faster; mask < faster * d.radix; mask *= 2)
        laneMasks.push_back(mask);
    faster *= d.radix;
  }
  for (const Digit &d : source.getAttribute().getWarps())
    if (d.dim == dim && d.stride)
      warpCount *= d.radix;
}

int64_t tilefold::getScratchBytes(KernelOp kernel) {
  int64_t bytes = 0;
  kernel.walk([&](Operation *op) {
    if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
      if (!mapRegisters(Layout(convert.getSource().getType()), Layout(convert.getResult().getType())))
        bytes = std::max(bytes, ScratchTile(convert.getSource().getType()).getBytes());
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      ReductionPlan plan(reduce);
      if (plan.warpCount > 1)
        bytes = std::max(bytes, plan.warpCount * plan.results * 4);
    }
  });
  return bytes;
}
