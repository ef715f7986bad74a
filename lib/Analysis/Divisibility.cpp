// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/Divisibility.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;

static int64_t divisorOf(Value value, int depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return std::abs(constant.getSExtValue());
  if (depth > 8)
    return 1;
  auto both = [&](Value a, Value b) { return std::gcd(divisorOf(a, depth + 1), divisorOf(b, depth + 1)); };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() ? both(loop.getLowerBound(), loop.getStep()) : 1;
  }
  Operation *def = value.getDefiningOp();
  if (isa<arith::AddIOp, arith::SubIOp, arith::MaxSIOp, arith::MinSIOp>(def))
    return both(def->getOperand(0), def->getOperand(1));
  if (auto select = dyn_cast<arith::SelectOp>(def))
    return both(select.getTrueValue(), select.getFalseValue());
  if (isa<arith::MulIOp>(def)) {
    int64_t a = divisorOf(def->getOperand(0), depth + 1), b = divisorOf(def->getOperand(1), depth + 1);
    return a < (int64_t(1) << 31) && b < (int64_t(1) << 31) ? a * b : 1;
  }
  return 1;
}

int64_t tilefold::tile::getKnownDivisor(Value value) { return divisorOf(value, 0); }
