// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Mutate/Shift.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilefold::sim;

static Operation *step(Operation *op, Direction direction) {
  Operation *next = direction == Direction::Up ? op->getPrevNode() : op->getNextNode();
  return next && !next->hasTrait<OpTrait::IsTerminator>() ? next : nullptr;
}

/// Whether `op`, or something in it, uses a result of `other`.
static bool uses(Operation *op, Operation *other) {
  WalkResult found = op->walk([&](Operation *inner) {
    return llvm::any_of(inner->getOperands(), [&](Value operand) { return operand.getDefiningOp() == other; })
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return found.wasInterrupted();
}

static bool dependsOn(Operation *op, Operation *other, Direction direction) {
  return direction == Direction::Up ? uses(other, op) : uses(op, other);
}

/// The scf.if that does nothing but `op`: then it is `op`'s predicate.
static Operation *predicateOf(Operation *op) {
  auto parent = dyn_cast<scf::IfOp>(op->getParentOp());
  if (!parent || parent->getNumResults() || parent.elseBlock())
    return nullptr;
  for (Operation &other : *parent.thenBlock())
    if (&other != op && (touchesMemory(&other) || other.getNumRegions()))
      return nullptr;
  return parent;
}

static bool isMovable(Operation *op) {
  WalkResult found =
      op->walk([](Operation *inner) { return touchesMemory(inner) ? WalkResult::interrupt() : WalkResult::advance(); });
  return !found.wasInterrupted();
}

std::optional<Shift> tilefold::sim::findShift(Operation *sync, Direction direction, const Ordering &ordering) {
  Operation *mover = sync, *target = nullptr;
  while (!target) {
    target = step(mover, direction);
    while (target && !ordering.mayOrder(sync, target))
      target = step(target, direction);
    if (!target && !(mover = predicateOf(mover)))
      return {};
  }
  if (OperationEquivalence::isEquivalentTo(mover, target, OperationEquivalence::IgnoreLocations))
    return {};

  Shift shift{target, {mover}, direction};
  auto isTied = [&](Operation *op) {
    return llvm::any_of(shift.moved, [&](Operation *moved) { return dependsOn(op, moved, direction); });
  };
  for (Operation *between = step(mover, direction); between != target; between = step(between, direction)) {
    if (!isTied(between))
      continue;
    if (!isMovable(between))
      return {};
    shift.moved.push_back(between);
  }
  if (isTied(target))
    return {};
  if (direction == Direction::Up)
    std::reverse(shift.moved.begin(), shift.moved.end());
  return shift;
}

void Shift::apply() const {
  Operation *after = target;
  for (Operation *op : moved) {
    if (direction == Direction::Up) {
      op->moveBefore(target);
    } else {
      op->moveAfter(after);
      after = op;
    }
  }
}
