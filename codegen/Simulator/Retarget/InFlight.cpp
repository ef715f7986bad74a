// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Retarget/InFlight.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilefold;
using namespace tilefold::sim;

/// Moves bits from operands to results.
static bool onlyMoves(Operation *op) {
  return isa<arith::BitcastOp, arith::SelectOp, LLVM::BitcastOp, LLVM::ExtractElementOp, LLVM::ExtractValueOp,
             LLVM::InsertElementOp, LLVM::InsertValueOp, LLVM::ShuffleVectorOp, vector::BitCastOp, vector::BroadcastOp,
             vector::ExtractOp, vector::ExtractStridedSliceOp, vector::FromElementsOp, vector::InsertOp,
             vector::InsertStridedSliceOp, vector::ShuffleOp, vector::ToElementsOp>(op);
}

namespace {
class Search {
public:
  explicit Search(Region &kernel) {
    kernel.walk([&](Operation *op) {
      if (isa<ptx::WgmmaOp, NVVM::WgmmaMmaAsyncOp>(op))
        add(op->getResult(0));
    });
  }

  InFlightUses run() {
    while (!open.empty())
      for (OpOperand &use : open.pop_back_val().getUses())
        follow(use);
    return std::move(uses);
  }

private:
  void add(Value value) {
    if (seen.insert(value).second)
      open.push_back(value);
  }

  void follow(OpOperand &use) {
    Operation *op = use.getOwner();
    unsigned index = use.getOperandNumber();
    if (onlyMoves(op)) {
      for (Value result : op->getResults())
        add(result);
      return;
    }
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](ptx::WgmmaOp op) {
          if (use.get() != op.getAccumulator())
            compute(use);
        })
        .Case([&](NVVM::WgmmaMmaAsyncOp) {})
        .Case([&](ptx::WgmmaFenceOp op) { add(op.getResult(index)); })
        .Case([&](ptx::WgmmaWaitOp op) {
          if (index < op.getAccumulators().size())
            add(op.getResult(index));
        })
        .Case([&](scf::ForOp loop) {
          if (index >= loop.getNumControlOperands())
            carry(loop, index - loop.getNumControlOperands());
        })
        .Case([&](scf::WhileOp loop) { add(loop.getBeforeArguments()[index]); })
        .Case([&](scf::ConditionOp condition) {
          auto loop = cast<scf::WhileOp>(condition->getParentOp());
          if (index == 0)
            return;
          add(loop.getAfterArguments()[index - 1]);
          add(loop.getResult(index - 1));
        })
        .Case([&](scf::YieldOp yield) {
          Operation *parent = yield->getParentOp();
          if (auto loop = dyn_cast<scf::ForOp>(parent))
            carry(loop, index);
          else if (auto loop = dyn_cast<scf::WhileOp>(parent))
            add(loop.getBeforeArguments()[index]);
          else
            add(parent->getResult(index));
        })
        .Case([&](BranchOpInterface branch) {
          if (std::optional<BlockArgument> argument = branch.getSuccessorBlockArgument(index))
            add(*argument);
        })
        .Default([&](Operation *) { compute(use); });
  }

  void carry(scf::ForOp loop, unsigned index) {
    add(loop.getRegionIterArg(index));
    add(loop.getResult(index));
  }

  void compute(OpOperand &use) { uses[use.getOwner()].push_back(use.getOperandNumber()); }

  llvm::DenseSet<Value> seen;
  SmallVector<Value> open;
  InFlightUses uses;
};
} // namespace

/// Keeps the first use of each value in each block.
static void keepFirst(Region &kernel, InFlightUses &uses) {
  llvm::DenseSet<std::pair<Value, Block *>> seen;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    auto found = uses.find(op);
    if (found != uses.end())
      llvm::erase_if(found->second, [&](unsigned index) {
        return !seen.insert({op->getOperand(index), op->getBlock()}).second;
      });
  });
}

InFlightUses tilefold::sim::findInFlightUses(Region &kernel) {
  InFlightUses uses = Search(kernel).run();
  keepFirst(kernel, uses);
  return uses;
}

/// Whether `value` is computed in the block of `product` with no fence between.
static bool isUnfenced(Value value, Operation *product) {
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != product->getBlock() || op->hasTrait<OpTrait::ConstantLike>())
      continue;
    if (onlyMoves(op)) {
      llvm::append_range(open, op->getOperands());
      continue;
    }
    // A wait ends what a fence began, and the machine knows it; results of products need no fence. Regions may fence inside.
    if (isa<ptx::WgmmaOp, ptx::WgmmaFenceOp, ptx::WgmmaWaitOp>(op) || op->getNumRegions())
      continue;
    bool isFenced = false;
    for (Operation *at = op; at != product && !isFenced; at = at->getNextNode())
      at->walk([&](Operation *inner) { isFenced |= isa<ptx::WgmmaFenceOp, NVVM::WgmmaFenceAlignedOp>(inner); });
    if (!isFenced)
      return true;
  }
  return false;
}

llvm::DenseSet<Operation *> tilefold::sim::findUnfencedProducts(Region &kernel) {
  llvm::DenseSet<Operation *> products;
  kernel.walk([&](ptx::WgmmaOp op) {
    if ((op.getAccumulator() && isUnfenced(op.getAccumulator(), op)) || (op.isFromRegisters() && isUnfenced(op.getA(), op)))
      products.insert(op);
  });
  return products;
}
