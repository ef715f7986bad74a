// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilefold {
#define GEN_PASS_DEF_PARKCARRIED
#include "codegen/Conversion/BaseToLLVM/Passes.h.inc"
} // namespace tilefold

using namespace mlir;

/// What one access of local memory moves. 16 bytes would want four neighbouring registers at a place that has few to spare.
static constexpr int64_t kAccessBytes = 8;

/// Elements that are read before what they are added to is computed: ptxas would start all reads at once, and spill.
static constexpr int64_t kElementsAtATime = 32;

/// Whether `branch` takes its second arm in every step of `loop` but the first.
static bool isAfterFirst(scf::IfOp branch, scf::ForOp loop) {
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq)
    return false;
  Value first = loop.getLowerBound(), other = compare.getRhs();
  if (compare.getLhs() != loop.getInductionVar())
    return false;
  APInt a, b;
  return other == first || (matchPattern(other, m_ConstantInt(&a)) && matchPattern(first, m_ConstantInt(&b)) && a == b);
}

/// The branch in whose second arm alone the loop's body reads what it carries; null if it is read elsewhere as well.
static scf::IfOp findOnlyReader(scf::ForOp loop, Value carried) {
  scf::IfOp reader;
  for (Operation *user : carried.getUsers()) {
    auto branch = dyn_cast<scf::IfOp>(loop.getBody()->findAncestorOpInBlock(*user));
    bool isIn = branch && branch.elseBlock() && branch.elseBlock()->findAncestorOpInBlock(*user);
    if (!isIn || (reader && reader != branch))
      return {};
    reader = branch;
  }
  return reader && isAfterFirst(reader, loop) ? reader : scf::IfOp();
}

namespace {

/// Where a vector lies in the thread's own memory, accessed in parts. Volatile, or the optimisers would make registers of it.
class Slot {
public:
  Slot(VectorType type, gpu::GPUFuncOp function)
      : part(VectorType::get({kAccessBytes * 8 / type.getElementTypeBitWidth()}, type.getElementType())) {
    OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
    Location loc = function.getLoc();
    Value one = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(1));
    Type storage = LLVM::LLVMArrayType::get(type.getElementType(), type.getNumElements());
    auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
    address = LLVM::AllocaOp::create(builder, loc, pointer, storage, one, kAccessBytes);
  }
  VectorType getPart() const { return part; }
  Value read(OpBuilder &builder, Location loc, int64_t first) const {
    return LLVM::LoadOp::create(builder, loc, part, at(builder, loc, first), kAccessBytes, /*isVolatile=*/true);
  }
  void write(OpBuilder &builder, Location loc, Value value) const {
    for (int64_t i = 0; i < cast<VectorType>(value.getType()).getNumElements(); i += part.getNumElements()) {
      Value elements = vector::ExtractStridedSliceOp::create(builder, loc, value, i, part.getNumElements(), 1);
      LLVM::StoreOp::create(builder, loc, elements, at(builder, loc, i), kAccessBytes, /*isVolatile=*/true);
    }
  }

private:
  Value at(OpBuilder &builder, Location loc, int64_t element) const {
    SmallVector<LLVM::GEPArg> index{int32_t(element)};
    return LLVM::GEPOp::create(builder, loc, address.getType(), part.getElementType(), address, index);
  }

  VectorType part;
  Value address;
};

/// Computes what an arm makes of a parked vector part by part, so that no more than a part of it is in registers.
class PartByPart {
public:
  PartByPart(Value parked, const Slot &slot, Block &arm) : parked(parked), slot(slot), arm(arm) {}

  void run() {
    auto yield = cast<scf::YieldOp>(arm.getTerminator());
    OpBuilder builder(yield);
    for (OpOperand &result : yield->getOpOperands())
      if (result.get().getType() == parked.getType() && dependsOnParked(result.get()))
        result.set(concatenate(builder, result.get()));
    eraseDead();
    builder.setInsertionPointToStart(&arm);
    if (!parked.use_empty())
      parked.replaceAllUsesWith(concatenate(builder, parked));
  }

private:
  bool isInArm(Operation *op) const { return op && op->getBlock() == &arm; }
  static bool isPerElement(Operation *op) { return OpTrait::hasElementwiseMappableTraits(op) && op->getNumResults() == 1; }

  bool dependsOnParked(Value value) const {
    Operation *op = value.getDefiningOp();
    auto depends = [&](Value operand) { return dependsOnParked(operand); };
    return value == parked || (isInArm(op) && isPerElement(op) && llvm::any_of(op->getOperands(), depends));
  }

  /// The elements [first, first + those of a part) of `value`.
  Value partOf(OpBuilder &builder, Value value, int64_t first) const {
    int64_t width = slot.getPart().getNumElements();
    Operation *op = value.getDefiningOp();
    if (value == parked)
      return slot.read(builder, value.getLoc(), first);
    if (auto shuffle = dyn_cast_or_null<vector::ShuffleOp>(op); shuffle && isInArm(op))
      return vector::ShuffleOp::create(builder, op->getLoc(), shuffle.getV1(), shuffle.getV2(), shuffle.getMask().slice(first, width));
    if (!isInArm(op) || !isPerElement(op))
      return vector::ExtractStridedSliceOp::create(builder, value.getLoc(), value, first, width, 1);
    IRMapping map;
    for (Value operand : op->getOperands())
      map.map(operand, partOf(builder, operand, first));
    Operation *copy = builder.clone(*op, map);
    copy->getResult(0).setType(VectorType::get({width}, cast<VectorType>(value.getType()).getElementType()));
    return copy->getResult(0);
  }

  Value concatenate(OpBuilder &builder, Value value) const {
    auto type = cast<VectorType>(value.getType());
    SmallVector<Value> elements;
    Location loc = value.getLoc();
    for (int64_t i = 0; i < type.getNumElements(); i += slot.getPart().getNumElements()) {
      if (i && i % kElementsAtATime == 0)
        NVVM::SyncWarpOp::create(builder, loc, arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-1)));
      llvm::append_range(elements, vector::ToElementsOp::create(builder, loc, partOf(builder, value, i)).getElements());
    }
    return vector::FromElementsOp::create(builder, value.getLoc(), type, elements);
  }

  void eraseDead() {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(arm)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  Value parked;
  const Slot &slot;
  Block &arm;
};

struct ParkCarriedPass : tilefold::impl::ParkCarriedBase<ParkCarriedPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      bool isOuter = loop.getBody()->walk([](scf::ForOp) { return WalkResult::interrupt(); }).wasInterrupted();
      if (isOuter)
        loops.push_back(loop);
    });
    bool changed = false;
    for (scf::ForOp loop : loops)
      for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
        changed |= park(loop, i);
    if (!changed)
      markAllAnalysesPreserved(); // nor is the function verified once more
  }

  bool park(scf::ForOp loop, unsigned index) {
    Value carried = loop.getRegionIterArg(index);
    auto type = dyn_cast<VectorType>(carried.getType());
    scf::IfOp reader = findOnlyReader(loop, carried);
    if (!type || !reader || type.getNumElements() * type.getElementTypeBitWidth() % (kAccessBytes * 8))
      return false;
    Slot slot(type, getOperation());
    PartByPart(carried, slot, *reader.elseBlock()).run();

    Operation *yield = loop.getBody()->getTerminator();
    OpBuilder builder(yield);
    Location loc = loop.getLoc();
    Value next = arith::AddIOp::create(builder, loc, loop.getInductionVar(), loop.getStep());
    Value more = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, next, loop.getUpperBound());
    OpBuilder inside = scf::IfOp::create(builder, loc, more, /*withElseRegion=*/false).getThenBodyBuilder();
    slot.write(inside, loc, yield->getOperand(index));
    return true;
  }
};
} // namespace
