// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "codegen/Simulator/Retarget/InFlight.h"
#include "codegen/Simulator/Retarget/MachineCalls.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilefold::sim;

namespace tilefold::sim {
#define GEN_PASS_DEF_RETARGETBASETOHOST
#include "codegen/Simulator/Retarget/Passes.h.inc"
} // namespace tilefold::sim

/// Operations that are host code as they are: what they compute does not depend on a machine.
static bool isHostCode(Operation *op) {
  if (isa<gpu::GPUDialect, NVVM::NVVMDialect, tilefold::ptx::PtxDialect>(op->getDialect()))
    return false;
  if (isa<LLVM::CallIntrinsicOp, LLVM::AddrSpaceCastOp, LLVM::AddressOfOp>(op))
    return false;
  return op->hasTrait<OpTrait::IsTerminator>() || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
         isMemoryEffectFree(op);
}

/// A kernel as a function of one pointer, which leads to pointers to the parameters.
static FailureOr<LLVM::LLVMFuncOp> takeKernel(gpu::GPUFuncOp source) {
  if (source.getNumWorkgroupAttributions() || source.getNumPrivateAttributions())
    return source.emitError("memory attributions are not modelled by the simulator");
  MLIRContext *context = source.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  ImplicitLocOpBuilder builder(source.getLoc(), OpBuilder(source));
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), pointer);
  auto function = LLVM::LLVMFuncOp::create(builder, source.getName(), type);
  SmallVector<bool> byValue;
  for (unsigned i = 0; i < source.getNumArguments(); ++i)
    byValue.push_back(source.getArgAttr(i, LLVM::LLVMDialect::getByValAttrName()) ||
                      source.getArgAttr(i, tilefold::ptx::PtxDialect::getTensorMapAttrName()));
  function.getBody().takeBody(source.getBody());
  source.erase();

  Block &entry = function.getBody().front();
  unsigned count = entry.getNumArguments();
  Value parameters = entry.addArgument(pointer, function.getLoc());
  builder.setInsertionPointToStart(&entry);
  for (unsigned i = 0; i < count; ++i) {
    Value slot = LLVM::GEPOp::create(builder, pointer, pointer, parameters, ArrayRef<LLVM::GEPArg>{int32_t(i)});
    Value value = LLVM::LoadOp::create(builder, pointer, slot);
    Type wanted = entry.getArgument(i).getType();
    if (!byValue[i]) {
      bool isIndex = wanted.isIndex();
      value = LLVM::LoadOp::create(builder, isIndex ? builder.getI64Type() : wanted, value);
      if (isIndex)
        value = arith::IndexCastOp::create(builder, wanted, value);
    }
    entry.getArgument(i).replaceAllUsesWith(value);
  }
  entry.eraseArguments(0, count);
  return function;
}

/// Tells the machine of each round of a loop whose end nobody has counted.
static void tellRounds(Operation *op, MachineCalls &calls) {
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    calls.setInsertionPointToStart(loop.getBeforeBody());
    calls.call(MACHINE(round), {});
    calls.setInsertionPoint(op);
    return;
  }
  if (!isa<BranchOpInterface>(op))
    return;
  for (Block &earlier : *op->getParentRegion()) {
    if (llvm::is_contained(op->getSuccessors(), &earlier)) { // backwards
      calls.call(MACHINE(round), {});
      return;
    }
    if (&earlier == op->getBlock())
      return;
  }
}

static Outcome retarget(Operation *op, ArrayRef<unsigned> inFlight, MachineCalls &calls) {
  if (isa<gpu::ReturnOp>(op)) {
    OpBuilder builder(op);
    LLVM::ReturnOp::create(builder, op->getLoc(), ValueRange());
    return replace(op);
  }
  if (auto pointer = dyn_cast<LLVM::GEPOp>(op))
    pointer.setNoWrapFlags(
        LLVM::GEPNoWrapFlags::none); // a wrong address is the machine's to find, not LLVM's to assume away
  calls.begin(op);
  for (unsigned index : inFlight)
    checkUse(op->getOperand(index), calls);
  tellRounds(op, calls);
  if (Outcome outcome = retargetArithmetic(op, calls); outcome != Outcome::NotMine)
    return outcome;
  if (isHostCode(op))
    return Outcome::Done;
  for (auto part : {retargetMemory, retargetRegisters, retargetWarp, retargetBarriers, retargetCopies, retargetWgmma})
    if (Outcome outcome = part(op, calls); outcome != Outcome::NotMine)
      return outcome;
  return notModelled(op);
}

namespace {
struct RetargetBaseToHost : tilefold::sim::impl::RetargetBaseToHostBase<RetargetBaseToHost> {
  void runOnOperation() override {
    bool good = true;
    for (auto source : llvm::make_early_inc_range(getOperation().getOps<gpu::GPUFuncOp>())) {
      // Before the kernel's own code changes, so that what is inserted is not looked at again.
      SmallVector<Operation *> operations;
      source.getBody().walk([&](Operation *op) { operations.push_back(op); });
      InFlightUses inFlight = findInFlightUses(source.getBody());
      llvm::DenseSet<Operation *> unfenced = findUnfencedProducts(source.getBody());
      FailureOr<LLVM::LLVMFuncOp> kernel = takeKernel(source);
      if (failed(kernel)) {
        good = false;
        continue;
      }
      MachineCalls calls(*kernel);
      for (Operation *op : operations) {
        if (unfenced.contains(op)) {
          calls.begin(op);
          calls.call(MACHINE(wgmma_unfence), {});
        }
        good &= retarget(op, inFlight.lookup(op), calls) != Outcome::Failed;
      }
      calls.finish();
    }
    if (!good)
      return signalPassFailure();
    for (auto global : llvm::make_early_inc_range(getOperation().getOps<LLVM::GlobalOp>()))
      global.erase(); // all of them were shared memory, else there was an error
  }
};
} // namespace
