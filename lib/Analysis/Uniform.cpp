// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/Uniform.h"
#include "lib/Dialect/Tile/TileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilefold::tile {

bool isRepetition(Operation *op) {
  return isa_and_nonnull<SplatOp, ExpandOp, BroadcastOp, TransposeOp>(op);
}

Value repeatedSource(Value value) {
  while (isRepetition(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

Value repeatOnto(OpBuilder &builder, Value value, Value source) {
  if (!isRepetition(value.getDefiningOp()))
    return source;
  Operation *op = value.getDefiningOp();
  IRMapping map;
  map.map(op->getOperand(0), repeatOnto(builder, op->getOperand(0), source));
  return builder.clone(*op, map)->getResult(0);
}

std::optional<APFloat> uniformFloat(Value value) {
  Attribute constant;
  if (!matchPattern(repeatedSource(value), m_Constant(&constant)))
    return std::nullopt;
  if (auto scalar = dyn_cast<FloatAttr>(constant))
    return scalar.getValue();
  auto elements = dyn_cast<DenseFPElementsAttr>(constant);
  if (elements && elements.isSplat())
    return elements.getSplatValue<APFloat>();
  return std::nullopt;
}

bool isNegativeInfinity(Value value) {
  std::optional<APFloat> constant = uniformFloat(value);
  return constant && constant->isInfinity() && constant->isNegative();
}

Value floatConstant(OpBuilder &builder, Location loc, Type type, double value) {
  TypedAttr attr = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, cast<Attribute>(attr));
  return arith::ConstantOp::create(builder, loc, attr);
}

} // namespace tilefold::tile
