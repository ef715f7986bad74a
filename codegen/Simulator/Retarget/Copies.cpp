// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that run beside the threads: cp.async, bulk copies, TMA.
#include "codegen/Simulator/Retarget/MachineCalls.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilefold::sim;

static Value multicastMask(Value mask, MachineCalls &calls) {
  return mask ? Value(LLVM::ZExtOp::create(calls, calls.getI32Type(), mask)) : calls.word(0);
}

static Outcome retargetCpAsync(NVVM::CpAsyncOp op, MachineCalls &calls) {
  Value bytes = calls.word(op.getSize());
  calls.call(MACHINE(cp_async),
             {calls.shared(op.getDst()), calls.address(op.getSrc()), bytes, op.getCpSize() ? op.getCpSize() : bytes});
  return replace(op);
}

static Outcome retargetTensorLoad(NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op, MachineCalls &calls) {
  if (op.getMode() != NVVM::TMALoadMode::TILE || !op.getIm2colOffsets().empty())
    return notModelled(op, "in mode '" + NVVM::stringifyTMALoadMode(op.getMode()) + "'");
  if (op.getGroup())
    return notModelled(op, "with a group of blocks");
  uint32_t rank = op.getCoordinates().size();
  Value coordinates = calls.slot(0, rank);
  Value target = calls.shared(op.getDstMem()), map = calls.address(op.getTmaDescriptor()),
        barrier = calls.shared(op.getMbar());
  Value mask = multicastMask(op.getMulticastMask(), calls);
  calls.guarded(op.getPredicate(), [&] {
    calls.store(op.getCoordinates(), coordinates);
    calls.call(MACHINE(tma_load), {target, map, calls.word(rank), coordinates, barrier, mask});
  });
  return replace(op);
}

static Outcome retargetTensorStore(NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp op, MachineCalls &calls) {
  if (op.getMode() != NVVM::TMAStoreMode::TILE)
    return notModelled(op, "in mode '" + NVVM::stringifyTMAStoreMode(op.getMode()) + "'");
  uint32_t rank = op.getCoordinates().size();
  Value coordinates = calls.slot(0, rank);
  Value map = calls.address(op.getTmaDescriptor()), source = calls.shared(op.getSrcMem());
  calls.guarded(op.getPredicate(), [&] {
    calls.store(op.getCoordinates(), coordinates);
    calls.call(MACHINE(tma_store), {map, source, calls.word(rank), coordinates});
  });
  return replace(op);
}

Outcome tilefold::sim::retargetCopies(Operation *op, MachineCalls &calls) {
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case([&](NVVM::CpAsyncOp op) { return retargetCpAsync(op, calls); })
      .Case([&](NVVM::CpAsyncCommitGroupOp op) {
        calls.call(MACHINE(cp_async_commit), {});
        return replace(op);
      })
      .Case([&](NVVM::CpAsyncWaitGroupOp op) {
        calls.call(MACHINE(cp_async_wait), calls.word(op.getN()));
        return replace(op);
      })
      .Case([&](NVVM::CpAsyncMBarrierArriveOp op) {
        calls.call(MACHINE(cp_async_mbarrier_arrive), {calls.shared(op.getAddr()), calls.word(op.getNoinc())});
        return replace(op);
      })
      .Case([&](NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op) { return retargetTensorLoad(op, calls); })
      .Case([&](NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp op) { return retargetTensorStore(op, calls); })
      .Case([&](NVVM::CpAsyncBulkGlobalToSharedClusterOp op) {
        calls.call(MACHINE(bulk_load), {calls.shared(op.getDstMem()), calls.address(op.getSrcMem()), op.getSize(),
                                        calls.shared(op.getMbar()), multicastMask(op.getMulticastMask(), calls)});
        return replace(op);
      })
      .Case([&](NVVM::CpAsyncBulkSharedCTAToGlobalOp op) {
        if (op.getByteMask())
          return notModelled(op, "with a byte mask");
        calls.call(MACHINE(bulk_store), {calls.address(op.getDstMem()), calls.shared(op.getSrcMem()), op.getSize()});
        return replace(op);
      })
      .Case([&](NVVM::CpAsyncBulkCommitGroupOp op) {
        calls.call(MACHINE(bulk_commit), {});
        return replace(op);
      })
      .Case([&](NVVM::CpAsyncBulkWaitGroupOp op) {
        calls.call(MACHINE(bulk_wait), {calls.word(op.getGroup()), calls.word(bool(op.getRead()))});
        return replace(op);
      })
      .Default([](Operation *) { return Outcome::NotMine; });
}
