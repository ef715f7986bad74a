// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/StoreWindows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <cstdlib>

using namespace mlir;
using namespace tilefold::tile;

namespace {

/// By how much `value` grows with each step of the loop, if by the same amount each time.
std::optional<int64_t> growth(Value value, scf::ForOp loop, int depth = 0) {
  if (loop.isDefinedOutsideOfLoop(value))
    return 0;
  if (value == loop.getInductionVar())
    return getConstantIntValue(loop.getStep());
  Operation *op = value.getDefiningOp();
  if (!isa_and_present<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) || depth > 8)
    return std::nullopt;
  const auto a = growth(op->getOperand(0), loop, depth + 1), b = growth(op->getOperand(1), loop, depth + 1);
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return llvm::checkedAdd(*a, *b);
  if (isa<arith::SubIOp>(op))
    return llvm::checkedSub(*a, *b);
  if (*a == 0 && *b == 0)
    return 0;
  const auto left = getConstantIntValue(op->getOperand(0)), right = getConstantIntValue(op->getOperand(1));
  if (left)
    return llvm::checkedMul(*left, *b);
  return right ? llvm::checkedMul(*a, *right) : std::nullopt;
}

/// How a loop moves the windows of a store.
struct Movement {
  bool apart = false, inPlace = true;

  void add(std::optional<int64_t> growth, int64_t extent) {
    apart |= growth && std::abs(*growth) >= extent;
    inPlace &= growth && *growth == 0;
  }
};

Movement movement(StoreOp store, scf::ForOp loop) {
  Movement result;
  for (auto [offset, extent] : llvm::zip_equal(store.getOffsets(), store.getValue().getType().getShape()))
    result.add(growth(offset, loop), extent);
  for (Operation *view = store.getView().getDefiningOp(); view; view = view->getOperand(0).getDefiningOp()) {
    if (auto slice = dyn_cast<SliceOp>(view))
      for (Value index : slice.getIndices())
        result.add(growth(index, loop), 1);
    else if (growth(cast<NarrowOp>(view).getOffset(), loop) != 0)
      return {.apart = false, .inPlace = false}; // what the offsets count from moves as well
  }
  return result;
}

} // namespace

bool tilefold::tile::mayOverlapEarlierStep(StoreOp store) {
  for (auto loop = store->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>())
    if (const Movement moved = movement(store, loop); !moved.apart && !moved.inPlace)
      return true;
  return false;
}
