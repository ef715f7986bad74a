// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic that a host does otherwise than a GPU: a division by zero, which ends a process; f16's fused multiply-add, which
// few hosts have and which must not round twice; a number that its integer type cannot hold.
#include "codegen/Simulator/Retarget/MachineCalls.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilefold::sim;

/// Also the one signed quotient that does not fit.
static bool neverTraps(Operation *op) {
  llvm::APInt divisor;
  return matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) && !divisor.isZero() && !divisor.isAllOnes();
}

/// IR leaves such a division undefined; here it is a finding, and goes on with one as divisor.
static Outcome guardDivision(Operation *op, bool isSigned, MachineCalls &calls) {
  if (neverTraps(op))
    return Outcome::Done;
  Value left = op->getOperand(0), right = op->getOperand(1);
  Type type = right.getType(), element = getElementTypeOrSelf(type);
  auto constant = [&](const llvm::APInt &value) -> Value {
    TypedAttr attribute = calls.getIntegerAttr(element, value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(calls, attribute);
  };
  unsigned bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  auto equals = [&](Value value, const llvm::APInt &number) -> Value {
    return arith::CmpIOp::create(calls, arith::CmpIPredicate::eq, value, constant(number));
  };
  Value bad = equals(right, llvm::APInt::getZero(bits));
  if (isSigned && !element.isIndex()) {
    Value least = equals(left, llvm::APInt::getSignedMinValue(bits)), minusOne = equals(right, llvm::APInt::getAllOnes(bits));
    bad = arith::OrIOp::create(calls, bad, arith::AndIOp::create(calls, least, minusOne));
  }
  Value anyBad = isa<VectorType>(type) ? vector::ReductionOp::create(calls, vector::CombiningKind::OR, bad).getResult() : bad;
  calls.guarded(anyBad, [&] { calls.call(MACHINE(trap), {calls.word(TrapCause::Division)}); });
  op->setOperand(1, arith::SelectOp::create(calls, bad, constant(llvm::APInt(bits, 1)), right));
  return Outcome::Done;
}

/// A GPU gives the nearest integer that there is, and 0 for NaN; IR leaves it undefined.
static Outcome saturate(Operation *op, StringRef intrinsic, MachineCalls &calls) {
  auto call = LLVM::CallIntrinsicOp::create(calls, op->getResultTypes()[0], calls.getStringAttr(intrinsic), op->getOperands());
  op->replaceAllUsesWith(call);
  op->erase();
  return Outcome::Done;
}

static Outcome checkFused(Operation *op) {
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  return type.isF16() || type.isBF16() ? notModelled(op, "of 16-bit numbers") : Outcome::Done;
}

Outcome tilefold::sim::retargetArithmetic(Operation *op, MachineCalls &calls) {
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, LLVM::UDivOp, LLVM::URemOp>(
          [&](Operation *op) { return guardDivision(op, /*isSigned=*/false, calls); })
      .Case<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp, LLVM::SDivOp, LLVM::SRemOp>(
          [&](Operation *op) { return guardDivision(op, /*isSigned=*/true, calls); })
      .Case<arith::FPToSIOp, LLVM::FPToSIOp>([&](Operation *op) { return saturate(op, "llvm.fptosi.sat", calls); })
      .Case<arith::FPToUIOp, LLVM::FPToUIOp>([&](Operation *op) { return saturate(op, "llvm.fptoui.sat", calls); })
      .Case<math::FmaOp, LLVM::FMAOp>([](Operation *op) { return checkFused(op); })
      .Default([](Operation *) { return Outcome::NotMine; });
}
