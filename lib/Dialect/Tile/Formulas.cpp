// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Dialect/Tile/Formulas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilefold;

bool tile::isNonNegative(Operation *op, llvm::function_ref<bool(Value)> operandIs) {
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isInteger(64))
    return false;
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto value = dyn_cast_or_null<IntegerAttr>(constant.getValueAttr());
    return value && !value.getValue().isNegative();
  }
  if (isa<SizeOp, DevicePropertyOp>(op))
    return true;
  if (isa<arith::MaxSIOp>(op))
    return llvm::any_of(op->getOperands(), operandIs);
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivSIOp, arith::RemSIOp>(op))
    return llvm::all_of(op->getOperands(), operandIs);
  if (isa<arith::SelectOp>(op))
    return op->getNumOperands() == 3 && operandIs(op->getOperand(1)) && operandIs(op->getOperand(2));
  return false;
}

namespace {

/// Of one formula as a tree; a number, a size or a scalar by itself has depth 0 and size 1.
struct Extent {
  int64_t depth = 0, size = 1;
  bool nonNegative = false;
};

/// What an operation adds around the formulas of its operands, and how often it repeats each.
struct Wrapping {
  int64_t depth = 1, size = 1, repeats = 1;
};

} // namespace

/// The forms that codegen/Artifact/Formula.cpp gives to operations.
static Wrapping wrapping(Operation *op, bool nonNegativeOperands) {
  if (isa<arith::ExtSIOp>(op))
    return {0, 0, 1};
  if (isa<arith::ExtUIOp>(op))
    return {1, 3, 1}; // select(c, 1, 0)
  if (isa<arith::CmpFOp>(op))
    return {2, 2, 1}; // not(a < b) at most
  if (isa<arith::DivSIOp>(op) && !nonNegativeOperands)
    return {3, 8, 3}; // select((a < 0) == (b < 0), floor, ceiling)
  if (isa<arith::RemSIOp>(op) && !nonNegativeOperands)
    return {5, 10, 4}; // a - quotient * b
  return {};
}

static Extent extentOf(Operation *op, const llvm::DenseMap<Value, Extent> &extents) {
  auto isNonNegativeValue = [&](Value value) { return extents.lookup(value).nonNegative; };
  Extent extent;
  extent.nonNegative = tile::isNonNegative(op, isNonNegativeValue);
  if (!isa<arith::ArithDialect>(op->getDialect()) || op->getNumOperands() == 0)
    return extent;
  Wrapping around = wrapping(op, llvm::all_of(op->getOperands(), isNonNegativeValue));
  extent.size = around.size;
  for (Value operand : op->getOperands()) {
    Extent inner = extents.lookup(operand);
    extent.depth = std::max(extent.depth, inner.depth + around.depth);
    extent.size += inner.size * around.repeats;
  }
  return extent;
}

LogicalResult tile::verifyFormulas(ProgramOp program) {
  llvm::DenseMap<Value, Extent> extents; // what is not in it is an argument, or text out of order, of which others tell
  int64_t total = 0;
  for (Operation &op : program.getBody().front()) {
    Extent extent = extentOf(&op, extents);
    if (extent.depth > kFormulaDepthLimit)
      return op.emitOpError("nests its formula ") << extent.depth << " deep, expected at most " << kFormulaDepthLimit;
    if (extent.size > kFormulaSizeLimit)
      return op.emitOpError("has a formula of ") << extent.size << " operations and operands, expected at most " << kFormulaSizeLimit
                                                 << " (what is shared counts at each use)";
    for (Value result : op.getResults())
      extents[result] = extent;
    if (isa<arith::ArithDialect>(op.getDialect()))
      continue;
    for (Value operand : op.getOperands()) // of a launch, a shape, ...: written out for each
      total += isa<ViewType>(operand.getType()) ? 0 : extents.lookup(operand).size;
    if (total > kFormulasSizeLimit)
      return op.emitOpError("brings the formulas of the program to ") << total << " operations and operands, expected at most "
                                                                      << kFormulasSizeLimit << " (what is shared counts at each use)";
  }
  return success();
}
