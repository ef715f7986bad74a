// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Mutate/Mutants.h"
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "codegen/Simulator/Mutate/Shift.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilefold;
using namespace tilefold::sim;

std::string Mutant::name() const { return kernel + " " + kind + " " + operation + " #" + std::to_string(ordinal); }

static Value constant(Operation *before, Type type, int64_t value) {
  OpBuilder builder(before);
  return arith::ConstantOp::create(builder, before->getLoc(), builder.getIntegerAttr(type, value));
}

/// What stands for the results of a synchronisation that is not there.
static SmallVector<Value> valuesWithout(Operation *op) {
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([](ptx::BarrierOrOp op) { return SmallVector<Value>{op.getPredicate()}; })
      .Case([](ptx::WgmmaWaitOp op) { return SmallVector<Value>(op.getAccumulators()); })
      .Case([](ptx::WgmmaFenceOp op) { return SmallVector<Value>(op.getValues()); })
      .Case([](NVVM::BarrierOp op) {
        return op.getReductionOp() ? SmallVector<Value>{op.getReductionPredicate()} : SmallVector<Value>();
      })
      .Default([](Operation *op) { // a barrier's state, or whether its phase is complete
        SmallVector<Value> values;
        for (Type type : op->getResultTypes())
          values.push_back(constant(op, type, type.isInteger(1)));
        return values;
      });
}

static void remove(Operation *op) {
  op->replaceAllUsesWith(valuesWithout(op));
  op->erase();
}

/// Puts a number computed from it and a constant in the place of an operand.
template <class Op> static void change(OpOperand &operand, int64_t by) {
  Operation *user = operand.getOwner();
  Value number = constant(user, operand.get().getType(), by);
  OpBuilder builder(user);
  operand.set(Op::create(builder, user->getLoc(), operand.get(), number));
}

static std::function<void()> weaken(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::function<void()>>(op)
      .Case([](NVVM::CpAsyncWaitGroupOp op) { return [=]() mutable { op.setN(op.getN() + 1); }; })
      .Case<NVVM::CpAsyncBulkWaitGroupOp, NVVM::WgmmaWaitGroupSyncOp>(
          [](auto op) { return [=]() mutable { op.setGroup(op.getGroup() + 1); }; })
      .Case([](ptx::WgmmaWaitOp op) { return [=]() mutable { op.setPending(op.getPending() + 1); }; })
      .Default([](Operation *) { return nullptr; });
}

static std::function<void()> flip(Operation *op) {
  auto parity = [](OpOperand &phase) -> std::function<void()> {
    if (!phase.get().getType().isInteger(32))
      return nullptr; // a state
    return [&phase] { change<arith::XOrIOp>(phase, 1); };
  };
  return llvm::TypeSwitch<Operation *, std::function<void()>>(op)
      .Case([&](ptx::MbarrierWaitOp op) { return parity(op.getParityMutable()); })
      .Case([&](NVVM::MBarrierTryWaitParityOp op) { return parity(op.getPhaseMutable()); })
      .Case<NVVM::MBarrierTryWaitOp, NVVM::MBarrierTestWaitOp>([&](auto op) { return parity(op.getStateOrPhaseMutable()); })
      .Default([](Operation *) { return nullptr; });
}

static std::function<void()> changeCount(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::function<void()>>(op)
      .Case<NVVM::MBarrierArriveExpectTxOp, NVVM::MBarrierArriveDropExpectTxOp, NVVM::MBarrierExpectTxOp>(
          [](auto op) { return [=]() mutable { change<arith::ShRUIOp>(op.getTxcountMutable(), 1); }; })
      .Case([](NVVM::MBarrierInitOp op) { return [=]() mutable { change<arith::AddIOp>(op.getCountMutable(), 1); }; })
      .Default([](Operation *) { return nullptr; });
}

/// Whether going down over its neighbour is what the neighbour's going up is.
static bool isOtherWayRound(const Shift &up, const Ordering &ordering) {
  if (roleOf(up.target) == Role::None)
    return false;
  std::optional<Shift> down = findShift(up.target, Direction::Down, ordering);
  return down && down->target == up.moved.back();
}

namespace {
class Search {
public:
  explicit Search(std::vector<Mutant> &mutants) : mutants(mutants) {}

  void visit(gpu::GPUFuncOp kernel) {
    Ordering ordering(kernel);
    llvm::StringMap<unsigned> counts;
    kernel.walk([&](Operation *op) {
      Role role = roleOf(op);
      if (role == Role::None)
        return;
      StringRef operation = op->getName().getStringRef();
      FileLineColLoc at = tilefold::innermostPosition(op->getLoc());
      current = {op, kernel.getName().str(), "", operation.str(), ++counts[operation], "", 0, nullptr};
      if (at) {
        current.file = at.getFilename().str();
        current.line = at.getLine();
      }
      if (role != Role::Init)
        add("remove", [op] { remove(op); });
      add("weaken", weaken(op));
      add("flip", flip(op));
      add("change", changeCount(op));
      if (std::optional<Shift> up = findShift(op, Direction::Up, ordering); up && !isOtherWayRound(*up, ordering))
        add("shift-up", [shift = *up] { shift.apply(); });
      if (std::optional<Shift> down = findShift(op, Direction::Down, ordering))
        add("shift-down", [shift = *down] { shift.apply(); });
    });
  }

private:
  void add(StringRef kind, std::function<void()> apply) {
    if (!apply)
      return;
    mutants.push_back(current);
    mutants.back().kind = kind.str();
    mutants.back().apply = std::move(apply);
  }

  std::vector<Mutant> &mutants;
  Mutant current{};
};
} // namespace

std::vector<Mutant> tilefold::sim::findMutants(gpu::GPUModuleOp module) {
  std::vector<Mutant> mutants;
  Search search(mutants);
  for (auto kernel : module.getOps<gpu::GPUFuncOp>())
    search.visit(kernel);
  return mutants;
}
