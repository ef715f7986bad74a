// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Mutate/Ordering.h"
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "codegen/Simulator/Machine/Abi.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilefold;
using namespace tilefold::sim;

Role tilefold::sim::roleOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Role>(op)
      .Case<NVVM::CpAsyncWaitGroupOp, NVVM::CpAsyncBulkWaitGroupOp, NVVM::WgmmaWaitGroupSyncOp, ptx::WgmmaWaitOp,
            ptx::MbarrierWaitOp, NVVM::MBarrierTryWaitParityOp, NVVM::MBarrierTryWaitOp, NVVM::MBarrierTestWaitOp,
            NVVM::ClusterWaitOp>([](Operation *) { return Role::Wait; })
      .Case<NVVM::Barrier0Op, NVVM::BarrierOp, gpu::BarrierOp, ptx::BarrierOrOp, NVVM::SyncWarpOp>(
          [](Operation *) { return Role::Barrier; })
      .Case<LLVM::FenceOp, NVVM::MembarOp, NVVM::FenceScClusterOp, NVVM::FenceMbarrierInitOp, NVVM::FenceProxyOp,
            NVVM::FenceProxyAcquireOp, NVVM::FenceProxyReleaseOp>([](Operation *) { return Role::Fence; })
      .Case<NVVM::BarrierArriveOp, NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp, NVVM::MBarrierArriveOp,
            NVVM::MBarrierArriveDropOp, NVVM::MBarrierArriveNocompleteOp, NVVM::MBarrierArriveDropNocompleteOp,
            NVVM::MBarrierArriveExpectTxOp, NVVM::MBarrierArriveDropExpectTxOp, NVVM::MBarrierExpectTxOp,
            NVVM::CpAsyncMBarrierArriveOp>([](Operation *) { return Role::Arrive; })
      .Case([](NVVM::CpAsyncCommitGroupOp) { return Role::CopyCommit; })
      .Case([](NVVM::CpAsyncBulkCommitGroupOp) { return Role::BulkCommit; })
      .Case([](NVVM::WgmmaGroupSyncAlignedOp) { return Role::ProductCommit; })
      .Case<NVVM::WgmmaFenceAlignedOp, ptx::WgmmaFenceOp>([](Operation *) { return Role::ProductFence; })
      .Case([](NVVM::MBarrierInitOp) { return Role::Init; })
      .Case([](NVVM::SetMaxRegisterOp) { return Role::Registers; })
      .Default([](Operation *) { return Role::None; });
}

bool tilefold::sim::touchesMemory(Operation *op) {
  if (isMemoryEffectFree(op) || op->hasTrait<OpTrait::IsTerminator>() || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
    return false;
  // NVVM states no effects of what is neither pure nor a plain load or store.
  return !isa<NVVM::ShflOp, NVVM::VoteSyncOp, NVVM::ReduxOp, NVVM::ElectSyncOp, NVVM::MatchSyncOp, NVVM::MmaOp, NVVM::MapaOp,
              NVVM::ClockOp, NVVM::Clock64Op, NVVM::GlobalTimerOp, NVVM::SetMaxRegisterOp, ptx::OpaqueOp>(op);
}

/// Of a pointer: the value that it was computed from.
static Value baseOf(Value pointer) {
  for (;;) {
    if (auto step = pointer.getDefiningOp<LLVM::GEPOp>())
      pointer = step.getBase();
    else if (auto cast = pointer.getDefiningOp<LLVM::AddrSpaceCastOp>())
      pointer = cast.getArg();
    else
      return pointer;
  }
}

static bool isInSpace(Value pointer, Space space) {
  return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == unsigned(space);
}

Ordering::Ordering(gpu::GPUFuncOp kernel) {
  auto write = [&](Value pointer) {
    Value base = baseOf(pointer);
    auto argument = dyn_cast<BlockArgument>(base);
    if (argument && argument.getOwner() == &kernel.getBody().front())
      written.insert(base);
    else
      writesUnknown = true;
  };
  kernel.walk([&](Operation *op) {
    // A tensor map names memory that its pointer does not.
    writesUnknown |= isa<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp, NVVM::CpAsyncBulkTensorReduceOp>(op);
    if (isa<LLVM::LoadOp, NVVM::CpAsyncOp>(op) || !touchesMemory(op) || roleOf(op) != Role::None)
      return;
    for (Value operand : op->getOperands()) // of a bulk copy the source as well: written is the safe side
      if (isa<LLVM::LLVMPointerType>(operand.getType()) && isInSpace(operand, Space::Global))
        write(operand);
  });
}

bool Ordering::isLoadOfInput(Operation *op) const {
  auto load = dyn_cast<LLVM::LoadOp>(op);
  if (!load || load.getOrdering() != LLVM::AtomicOrdering::not_atomic || !isInSpace(load.getAddr(), Space::Global) ||
      writesUnknown)
    return false;
  Value base = baseOf(load.getAddr());
  return isa<BlockArgument>(base) && !written.contains(base);
}

static bool isBulkStore(Operation *op) {
  return isa<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp, NVVM::CpAsyncBulkTensorReduceOp,
             NVVM::CpAsyncBulkSharedCTAToGlobalOp>(op);
}

static bool isProductOrWait(Operation *op) {
  return isa<ptx::WgmmaOp, NVVM::WgmmaMmaAsyncOp, ptx::WgmmaWaitOp, NVVM::WgmmaWaitGroupSyncOp>(op);
}

/// The wait that counts groups which this commit makes.
static bool isWaitOf(Operation *wait, Role commit) {
  switch (commit) {
  case Role::CopyCommit:
    return isa<NVVM::CpAsyncWaitGroupOp>(wait);
  case Role::BulkCommit:
    return isa<NVVM::CpAsyncBulkWaitGroupOp>(wait);
  case Role::ProductCommit:
    return isa<ptx::WgmmaWaitOp, NVVM::WgmmaWaitGroupSyncOp>(wait);
  default:
    return false;
  }
}

bool Ordering::mayOrder(Operation *sync, Operation *other) const {
  if (other->getNumRegions()) {
    WalkResult found = other->walk([&](Operation *inner) {
      return inner != other && !inner->getNumRegions() && mayOrder(sync, inner) ? WalkResult::interrupt()
                                                                                : WalkResult::advance();
    });
    return found.wasInterrupted();
  }
  switch (roleOf(sync)) {
  case Role::CopyCommit:
    return isa<NVVM::CpAsyncOp, NVVM::CpAsyncWaitGroupOp>(other);
  case Role::BulkCommit:
    return isBulkStore(other) || isa<NVVM::CpAsyncBulkWaitGroupOp>(other);
  case Role::ProductCommit:
  case Role::ProductFence:
    return isProductOrWait(other);
  case Role::None:
  case Role::Init:
  case Role::Registers:
    return false;
  default:
    break;
  }
  switch (Role role = roleOf(other)) {
  case Role::None:
    return touchesMemory(other) && !isLoadOfInput(other);
  case Role::CopyCommit:
  case Role::BulkCommit:
  case Role::ProductCommit:
    return isWaitOf(sync, role);
  case Role::ProductFence:
  case Role::Registers:
    return false;
  default:
    return true;
  }
}
