// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilefold {
#define GEN_PASS_DEF_CHECKBASE
#include "codegen/Conversion/BaseToLLVM/Passes.h.inc"
} // namespace tilefold

/// `math` operations that LLVM's NVPTX selects to an instruction, exactly.
static bool hasInstruction(Operation *op) {
  return isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::CopySignOp, math::CountLeadingZerosOp, math::CtPopOp,
             math::FloorOp, math::FmaOp, math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
}

/// Operations on vectors as register files of one thread; none on memory, none on more dimensions.
static bool isRegisterShuffle(Operation *op) {
  return isa<vector::BitCastOp, vector::BroadcastOp, vector::ExtractOp, vector::ExtractStridedSliceOp,
             vector::FromElementsOp, vector::InsertOp, vector::InsertStridedSliceOp, vector::ReductionOp, vector::ShuffleOp,
             vector::ToElementsOp>(op);
}

static bool isBaseType(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getRank() == 1 && !vector.isScalable();
  return isa<IntegerType, IndexType, FloatType>(type) || isa<LLVM::LLVMDialect>(type.getDialect());
}

static StringRef replacement(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<math::ExpOp, math::Exp2Op>([](auto) { return "; use ptx.ex2"; })
      .Case<math::LogOp, math::Log2Op>([](auto) { return "; use ptx.lg2"; })
      .Case<LLVM::InlineAsmOp, NVVM::InlinePtxOp>([](auto) { return "; add an operation to the ptx dialect"; })
      .Default([](Operation *) { return ""; });
}

static bool isBase(Operation *op) {
  if (isa<math::MathDialect>(op->getDialect()))
    return hasInstruction(op);
  if (isa<vector::VectorDialect>(op->getDialect()))
    return isRegisterShuffle(op);
  if (isa<LLVM::InlineAsmOp, NVVM::InlinePtxOp, LLVM::CallOp, LLVM::InvokeOp, arith::RemFOp, cf::AssertOp,
          gpu::PrintfOp>(op)) // calls of a library, all of them
    return false;
  return isa<arith::ArithDialect, cf::ControlFlowDialect, gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect,
             tilefold::ptx::PtxDialect, scf::SCFDialect>(op->getDialect());
}

/// LLVM's NVPTX back end writes every atomicrmw without an order, silently; loads, stores and compare-exchanges keep theirs.
static bool losesOrder(Operation *op) {
  auto atomic = dyn_cast<LLVM::AtomicRMWOp>(op);
  return atomic && atomic.getOrdering() != LLVM::AtomicOrdering::monotonic;
}

namespace {
struct CheckBase : tilefold::impl::CheckBaseBase<CheckBase> {
  void runOnOperation() override {
    bool good = true;
    getOperation()->walk([&](Operation *op) {
      if (!op->getDialect() || !isBase(op)) {
        op->emitError() << "'" << op->getName() << "' is not part of the base level" << replacement(op);
        good = false;
        return;
      }
      if (losesOrder(op)) {
        op->emitError() << "'" << op->getName() << "' with the order "
                        << LLVM::stringifyAtomicOrdering(cast<LLVM::AtomicRMWOp>(op).getOrdering())
                        << " is not part of the base level, expected monotonic; an llvm.fence before or after it orders";
        good = false;
        return;
      }
      auto checkType = [&](Type type) {
        if (isBaseType(type))
          return true;
        op->emitError() << "type " << type << " is not part of the base level, expected a number, a 1-D vector or an LLVM type";
        return good = false;
      };
      (void)llvm::all_of(op->getResultTypes(), checkType);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          (void)llvm::all_of(block.getArgumentTypes(), checkType);
    });
    if (!good)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
