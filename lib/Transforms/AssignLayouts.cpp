// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Analysis/Layout.h"
#include "lib/Dialect/Tile/TileOps.h"
#include "lib/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include <deque>

namespace tilefold::tile {
#define GEN_PASS_DEF_ASSIGNLAYOUTSPASS
#include "lib/Transforms/Passes.h.inc"
} // namespace tilefold::tile

using namespace mlir;
using namespace tilefold::tile;

static RankedTensorType tileType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

static bool isElementwise(Operation *op) { return op->hasTrait<OpTrait::Elementwise>(); }

/// Whether the value is a formula of positions and constants: recomputing it in another layout beats moving it.
static bool isRematerializable(Value value, int depth = 0) {
  Operation *def = value.getDefiningOp();
  if (!def || depth > 8)
    return false;
  if (isa<IotaOp, SplatOp, arith::ConstantOp>(def))
    return true;
  if (!isElementwise(def) && !isa<ExpandOp, BroadcastOp>(def))
    return false;
  return llvm::all_of(def->getOperands(), [&](Value operand) {
    return !tileType(operand) || isRematerializable(operand, depth + 1);
  });
}

namespace {

class Assigner {
public:
  explicit Assigner(KernelOp kernel) : kernel(kernel), warps(kernel.getSchedule()->getWarps()) {}
  void run();

private:
  // Deciding: from the products outward, then from whatever is left.
  void assign(Value value, LayoutAttr layout);
  void propagate(Value value);
  void propagateToDefinition(Value value, LayoutAttr layout);
  void propagateToUse(OpOperand &use, LayoutAttr layout);
  void anchorDots();
  void assignDefaults();

  // Rewriting: types first, then conversions where an operand is not as its user needs it.
  void applyTypes();
  void fixOperands();
  void require(OpOperand &operand, LayoutAttr layout);
  Value materialize(Value value, LayoutAttr layout, Operation *before);

  KernelOp kernel;
  int64_t warps;
  DenseMap<Value, LayoutAttr> layouts;
  std::deque<Value> pending;
};

} // namespace

//===-- deciding ------------------------------------------------------------------------------------------------===//

void Assigner::assign(Value value, LayoutAttr layout) {
  if (!tileType(value) || !layouts.insert({value, layout}).second)
    return;
  pending.push_back(value);
}

/// The value that loop-carried and branch results share a layout with.
static void forEachTied(Value value, function_ref<void(Value)> visit) {
  auto visitLoop = [&](scf::ForOp loop, unsigned i) {
    visit(loop.getInitArgs()[i]);
    visit(loop.getRegionIterArgs()[i]);
    visit(loop.getResult(i));
    visit(loop.getBody()->getTerminator()->getOperand(i));
  };
  auto visitIf = [&](scf::IfOp branch, unsigned i) {
    visit(branch.getResult(i));
    visit(branch.thenYield().getOperand(i));
    visit(branch.elseYield().getOperand(i));
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()); loop && argument.getArgNumber())
      visitLoop(loop, argument.getArgNumber() - 1);
  } else if (auto loop = value.getDefiningOp<scf::ForOp>())
    visitLoop(loop, cast<OpResult>(value).getResultNumber());
  else if (auto branch = value.getDefiningOp<scf::IfOp>())
    visitIf(branch, cast<OpResult>(value).getResultNumber());
  for (OpOperand &use : value.getUses()) {
    if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()); loop && use.getOperandNumber() >= 3)
      visitLoop(loop, use.getOperandNumber() - 3);
    if (auto yield = dyn_cast<scf::YieldOp>(use.getOwner())) {
      if (auto loop = dyn_cast<scf::ForOp>(yield->getParentOp()))
        visitLoop(loop, use.getOperandNumber());
      else if (auto branch = dyn_cast<scf::IfOp>(yield->getParentOp()))
        visitIf(branch, use.getOperandNumber());
    }
  }
}

void Assigner::propagateToDefinition(Value value, LayoutAttr layout) {
  Operation *def = value.getDefiningOp();
  if (!def)
    return;
  auto toSource = [&](Value source, LayoutAttr sourceLayout) {
    // A formula takes the layout of each use by itself; the others are what the layout is about.
    if (!isRematerializable(source))
      assign(source, sourceLayout);
  };
  if (isElementwise(def)) {
    for (Value operand : def->getOperands())
      if (tileType(operand))
        toSource(operand, layout);
  } else if (auto expand = dyn_cast<ExpandOp>(def))
    toSource(expand.getSource(), sliceLayout(layout, expand.getDim()));
  else if (auto broadcast = dyn_cast<BroadcastOp>(def))
    toSource(broadcast.getSource(), restrictLayout(layout, broadcast.getSource().getType().getShape()));
  else if (auto transpose = dyn_cast<TransposeOp>(def))
    toSource(transpose.getSource(), transposeLayout(layout));
}

void Assigner::propagateToUse(OpOperand &use, LayoutAttr layout) {
  Operation *user = use.getOwner();
  if (isElementwise(user))
    assign(user->getResult(0), layout);
  else if (auto reduce = dyn_cast<ReduceOp>(user)) {
    if (tileType(reduce.getResult()))
      assign(reduce.getResult(), sliceLayout(layout, reduce.getDim()));
  } else if (auto expand = dyn_cast<ExpandOp>(user))
    assign(expand.getResult(), expandLayout(layout, expand.getDim()));
  else if (auto transpose = dyn_cast<TransposeOp>(user))
    assign(transpose.getResult(), transposeLayout(layout));
}

void Assigner::propagate(Value value) {
  LayoutAttr layout = layouts.lookup(value);
  forEachTied(value, [&](Value tied) { assign(tied, layout); });
  propagateToDefinition(value, layout);
  if (isRematerializable(value))
    return;
  for (OpOperand &use : value.getUses())
    propagateToUse(use, layout);
}

void Assigner::anchorDots() {
  kernel.walk([&](DotOp dot) {
    auto type = dot.getAcc().getType();
    int64_t m = type.getDimSize(0), n = type.getDimSize(1);
    LayoutAttr layout = accumulatorLayout(type.getContext(), m, n, WarpGrid::forProduct(m, warps));
    assign(dot.getResult(), layout);
    if (!isRematerializable(dot.getAcc()))
      assign(dot.getAcc(), layout);
  });
}

/// Tiles that no product reaches: neighbouring threads take neighbouring elements.
void Assigner::assignDefaults() {
  auto blocked = [&](Value value) {
    auto type = tileType(value);
    return blockedLayout(type.getContext(), type.getShape(), type.getElementTypeBitWidth(), warps);
  };
  auto drain = [&] {
    for (; !pending.empty(); pending.pop_front())
      propagate(pending.front());
  };
  drain();
  // Memory first: its access patterns are what a layout costs or gains.
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      assign(load.getResult(), blocked(load.getResult()));
    else if (auto read = dyn_cast<ReadOp>(op))
      assign(read.getResult(), blocked(read.getResult()));
    drain();
  });
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (tileType(result) && !isRematerializable(result)) {
        assign(result, blocked(result));
        drain();
      }
  });
  kernel.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (tileType(result)) {
        assign(result, blocked(result));
        drain();
      }
  });
}

//===-- rewriting -----------------------------------------------------------------------------------------------===//

static RankedTensorType withLayout(RankedTensorType type, LayoutAttr layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), layout);
}

static void setLayout(Value value, LayoutAttr layout) {
  auto type = withLayout(tileType(value), layout);
  value.setType(type);
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
}

void Assigner::applyTypes() {
  for (auto &[value, layout] : layouts)
    setLayout(value, layout);
  // Two products may have reached both ends of a loop before the tie between them was followed; then its argument decides.
  kernel.walk([&](scf::ForOp loop) {
    for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      if (tileType(argument))
        setLayout(result, cast<LayoutAttr>(tileType(argument).getEncoding()));
  });
}

/// `value` in another layout, in front of `before`.
Value Assigner::materialize(Value value, LayoutAttr layout, Operation *before) {
  OpBuilder builder(before);
  if (!isRematerializable(value))
    return ConvertLayoutOp::create(builder, value.getLoc(), withLayout(tileType(value), layout), value);
  Operation *copy = builder.clone(*value.getDefiningOp());
  setLayout(copy->getResult(0), layout);
  for (OpOperand &operand : copy->getOpOperands()) {
    auto type = tileType(operand.get());
    if (!type)
      continue;
    LayoutAttr needed = layout;
    if (auto expand = dyn_cast<ExpandOp>(copy))
      needed = sliceLayout(layout, expand.getDim());
    else if (isa<BroadcastOp>(copy))
      needed = restrictLayout(layout, type.getShape());
    if (type.getEncoding() != needed)
      operand.set(materialize(operand.get(), needed, copy));
  }
  return copy->getResult(0);
}

void Assigner::require(OpOperand &operand, LayoutAttr layout) {
  auto type = tileType(operand.get());
  if (!type || type.getEncoding() == layout)
    return;
  operand.set(materialize(operand.get(), layout, operand.getOwner()));
}

void Assigner::fixOperands() {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    auto layoutOf = [](Value value) { return cast<LayoutAttr>(tileType(value).getEncoding()); };
    if (isElementwise(op) && op->getNumResults() && tileType(op->getResult(0))) {
      for (OpOperand &operand : op->getOpOperands())
        require(operand, layoutOf(op->getResult(0)));
    } else if (auto dot = dyn_cast<DotOp>(op)) {
      auto type = dot.getResult().getType();
      WarpGrid grid = WarpGrid::forProduct(type.getDimSize(0), warps);
      require(dot.getAccMutable(), layoutOf(dot.getResult()));
      if (auto a = tileType(dot.getA()))
        require(dot.getAMutable(), leftOperandLayout(type.getContext(), a.getDimSize(0), a.getDimSize(1), grid));
      if (auto b = tileType(dot.getB()))
        require(dot.getBMutable(), rightOperandLayout(type.getContext(), b.getDimSize(0), b.getDimSize(1), grid));
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      if (tileType(reduce.getResult())) {
        LayoutAttr produced = sliceLayout(layoutOf(reduce.getSource()), reduce.getDim());
        if (produced != layoutOf(reduce.getResult())) {
          auto wanted = layoutOf(reduce.getResult());
          reduce.getResult().setType(withLayout(tileType(reduce.getResult()), produced));
          OpBuilder builder(op->getContext());
          builder.setInsertionPointAfter(op);
          auto converted = ConvertLayoutOp::create(builder, op->getLoc(),
                                                   withLayout(tileType(reduce.getResult()), wanted), reduce.getResult());
          reduce.getResult().replaceAllUsesExcept(converted, converted);
        }
      }
    } else if (auto expand = dyn_cast<ExpandOp>(op))
      require(expand.getSourceMutable(), sliceLayout(layoutOf(expand.getResult()), expand.getDim()));
    else if (auto broadcast = dyn_cast<BroadcastOp>(op))
      require(broadcast.getSourceMutable(),
              restrictLayout(layoutOf(broadcast.getResult()), broadcast.getSource().getType().getShape()));
    else if (auto transpose = dyn_cast<TransposeOp>(op); transpose && tileType(transpose.getResult()))
      require(transpose.getSourceMutable(), transposeLayout(layoutOf(transpose.getResult())));
    else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
        if (tileType(argument)) {
          require(loop.getInitArgsMutable()[i], layoutOf(argument));
          require(loop.getBody()->getTerminator()->getOpOperand(i), layoutOf(argument));
        }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (auto [i, result] : llvm::enumerate(branch.getResults()))
        if (tileType(result)) {
          require(branch.thenYield()->getOpOperand(i), layoutOf(result));
          require(branch.elseYield()->getOpOperand(i), layoutOf(result));
        }
    }
  }
}

void Assigner::run() {
  anchorDots();
  assignDefaults();
  applyTypes();
  fixOperands();
}

/// A thread has 255 registers. Twice as many elements of one tile spill for certain, and what is many times as many keeps LLVM and
/// ptxas busy for hours.
static LogicalResult checkRegisters(KernelOp kernel, llvm::function_ref<int64_t(RankedTensorType)> registersOf) {
  constexpr int64_t kMost = 512;
  auto found = kernel.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto tile = dyn_cast<RankedTensorType>(type);
      int64_t registers = tile ? registersOf(tile) : 0;
      if (registers <= kMost)
        continue;
      // Equal constants have become one, which is on no line of the kernel's any more.
      const bool isMerged = op->hasTrait<OpTrait::ConstantLike>() && !op->use_empty();
      InFlightDiagnostic error = emitError(isMerged ? op->user_begin()->getLoc() : op->getLoc()) << "'" << op->getName() << "' op makes a tile of ";
      llvm::interleave(tile.getShape(), error, "x");
      error << " elements, of which each thread of " << kernel.getSchedule()->getWarps() << " warps would hold " << registers
            << ": expected at most " << kMost << "; choose smaller extents or such with more factors of 2, or more warps";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(found.wasInterrupted());
}

namespace {
struct AssignLayoutsPass : tilefold::tile::impl::AssignLayoutsPassBase<AssignLayoutsPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel.getSchedule()) {
      kernel.emitOpError("expected a schedule; run --tile-choose-schedule first");
      return signalPassFailure();
    }
    // Before layouts, whose tables are as large as what a thread holds; and after, since extents may not divide among threads.
    int64_t threads = kernel.getSchedule()->getWarps() * kLanes;
    auto share = [&](RankedTensorType tile) { return llvm::divideCeil(tile.getNumElements(), threads); };
    if (failed(checkRegisters(kernel, share)))
      return signalPassFailure();
    Assigner(kernel).run();
    auto held = [](RankedTensorType tile) { return tile.getEncoding() ? Layout(tile).getRegisters() : 0; };
    if (failed(checkRegisters(kernel, held)))
      signalPassFailure();
  }
};
} // namespace
