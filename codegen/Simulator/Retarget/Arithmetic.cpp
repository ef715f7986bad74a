// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic that a host does otherwise than a GPU: a division by zero, which ends a process, and f16's fused
// multiply-add, which few hosts have and which must not round twice.
#include "codegen/Simulator/Retarget/MachineCalls.h"
#include "mlir/Dialect/Math/IR/Math.h"
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
  Type type = right.getType();
  if (isa<VectorType>(type))
    return notModelled(op, "of vectors, by what is no constant other than 0 and -1");
  auto constant = [&](int64_t value) { return arith::ConstantOp::create(calls, calls.getIntegerAttr(type, value)); };
  Value bad = arith::CmpIOp::create(calls, arith::CmpIPredicate::eq, right, constant(0));
  if (isSigned && !type.isIndex()) {
    Value least = arith::ConstantOp::create(
        calls, calls.getIntegerAttr(type, llvm::APInt::getSignedMinValue(type.getIntOrFloatBitWidth())));
    Value overflow = arith::AndIOp::create(calls, arith::CmpIOp::create(calls, arith::CmpIPredicate::eq, left, least),
                                           arith::CmpIOp::create(calls, arith::CmpIPredicate::eq, right, constant(-1)));
    bad = arith::OrIOp::create(calls, bad, overflow);
  }
  calls.guarded(bad, [&] { calls.call(MACHINE(trap), {calls.word(TrapCause::Division)}); });
  op->setOperand(1, arith::SelectOp::create(calls, bad, constant(1), right));
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
      .Case<math::FmaOp, LLVM::FMAOp>([](Operation *op) { return checkFused(op); })
      .Default([](Operation *) { return Outcome::NotMine; });
}
