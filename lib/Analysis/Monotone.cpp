// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/Monotone.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace tilefold::tile {

Trend reversed(Trend trend) {
  if (trend == Trend::Rising)
    return Trend::Falling;
  return trend == Trend::Falling ? Trend::Rising : trend;
}

Trend joined(Trend a, Trend b) {
  if (a == Trend::Constant || a == b)
    return b;
  return b == Trend::Constant ? a : Trend::Unknown;
}

namespace {

class TrendOf {
public:
  explicit TrendOf(Value source) : source(source) {}

  Trend operator()(Value value) {
    if (value == source)
      return Trend::Rising;
    auto [place, isNew] = known.try_emplace(value, Trend::Unknown);
    if (!isNew)
      return place->second;
    Operation *op = value.getDefiningOp();
    Trend trend = op ? ofOperation(op) : ofArgument(cast<BlockArgument>(value));
    return known[value] = trend;
  }

private:
  /// An argument of the kernel is the same for all instances; a position of a loop follows where the loop starts.
  Trend ofArgument(BlockArgument argument) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return argument == loop.getInductionVar() ? (*this)(loop.getLowerBound()) : Trend::Unknown;
    return Trend::Constant;
  }

  Trend ofOperation(Operation *op) {
    bool isConstant = true;
    for (Value operand : op->getOperands())
      isConstant &= (*this)(operand) == Trend::Constant;
    if (isConstant && op->getNumRegions() == 0)
      return Trend::Constant;
    if (isa<arith::AddIOp, arith::MaxSIOp, arith::MinSIOp>(op))
      return joined((*this)(op->getOperand(0)), (*this)(op->getOperand(1)));
    if (isa<arith::SubIOp>(op))
      return joined((*this)(op->getOperand(0)), reversed((*this)(op->getOperand(1))));
    if (isa<arith::ExtSIOp, arith::IndexCastOp, arith::TruncIOp>(op))
      return (*this)(op->getOperand(0));
    APInt factor;
    if (isa<arith::MulIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op) &&
        matchPattern(op->getOperand(1), m_ConstantInt(&factor)))
      return factor.isNegative() ? reversed((*this)(op->getOperand(0))) : (*this)(op->getOperand(0));
    return Trend::Unknown;
  }

  Value source;
  llvm::DenseMap<Value, Trend> known;
};

} // namespace

Trend getTrend(Value value, Value source) { return TrendOf(source)(value); }

} // namespace tilefold::tile
