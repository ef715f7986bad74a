// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers: of a block, of a cluster, in shared memory (mbarrier). And setmaxnreg, which comes with them.
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "codegen/Simulator/Retarget/MachineCalls.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilefold::sim;

static Outcome blockBarrier(Operation *op, MachineCalls &calls) {
  calls.call(MACHINE(barrier), {calls.word(0), calls.word(0)});
  return replace(op);
}

static Outcome retargetBarrier(NVVM::BarrierOp op, MachineCalls &calls) {
  Value id = calls.wordOrConstant(op.getBarrierId(), 0), threads = calls.wordOrConstant(op.getNumberOfThreads(), 0);
  if (!op.getReductionOp()) {
    calls.call(MACHINE(barrier), {id, threads});
    return replace(op);
  }
  static constexpr Reduction kinds[] = {Reduction::Add, Reduction::And, Reduction::Or}; // popc, and, or
  Value predicate = LLVM::ZExtOp::create(calls, calls.getI32Type(), calls.isNonzero(op.getReductionPredicate()));
  Value kind = calls.word(kinds[uint32_t(*op.getReductionOp())]);
  return replace(op, calls.call(MACHINE(barrier_reduce), {kind, id, threads, predicate}));
}

static Outcome retargetBarrierOr(tilefold::ptx::BarrierOrOp op, MachineCalls &calls) {
  Value predicate = LLVM::ZExtOp::create(calls, calls.getI32Type(), op.getPredicate());
  Value any = calls.call(MACHINE(barrier_reduce), {calls.word(Reduction::Or), calls.word(0), calls.word(0), predicate});
  return replace(op, calls.isNonzero(any));
}

static Outcome clusterBarrier(Operation *op, Cluster kind, MachineCalls &calls) {
  calls.call(MACHINE(cluster_barrier), calls.word(kind));
  return replace(op);
}

static Outcome retargetMapa(NVVM::MapaOp op, MachineCalls &calls) {
  if (cast<LLVM::LLVMPointerType>(op.getA().getType()).getAddressSpace() != unsigned(Space::Shared))
    return notModelled(op, "of a generic pointer");
  Value address = LLVM::ZExtOp::create(calls, calls.getI64Type(), calls.shared(op.getA()));
  Value mapped = calls.call(MACHINE(mapa), {address, op.getB()});
  return replace(op, Value(LLVM::IntToPtrOp::create(calls, op.getType(), mapped)));
}

/// Arriving is a release of the block, or cluster, scope; where a program relaxes it the machine would order too much.
template <class Op> static Outcome refuseRelaxed(Op op) {
  return op.getRelaxed() ? notModelled(op, "relaxed") : Outcome::Done;
}

template <class Op> static Outcome arrive(Op op, Value count, bool drop, MachineCalls &calls) {
  Value state =
      calls.call(MACHINE(mbarrier_arrive), {calls.shared(op.getAddr()), calls.wordOrConstant(count, 1), calls.word(drop)});
  return replace(op, op->getNumResults() ? ValueRange(state) : ValueRange());
}

/// Without a state as its result where there is a predicate.
template <class Op> static Outcome arriveExpecting(Op op, Value predicate, bool drop, MachineCalls &calls) {
  Value barrier = calls.shared(op.getAddr()), state;
  calls.guarded(predicate, [&] {
    state = calls.call(MACHINE(mbarrier_arrive_expect_tx), {barrier, op.getTxcount(), calls.word(drop)});
  });
  return replace(op, op->getNumResults() ? ValueRange(state) : ValueRange());
}

/// With a state of 64 bits, or a phase's parity of 32.
template <class Op> static Outcome waitOnce(Op op, MachineFunction byState, MachineFunction byParity, MachineCalls &calls) {
  Value what = op.getStateOrPhase();
  MachineFunction function = what.getType().isInteger(64) ? byState : byParity;
  return replace(op, calls.isNonzero(calls.call(function, {calls.shared(op.getAddr()), what})));
}

static Outcome retargetInit(NVVM::MBarrierInitOp op, MachineCalls &calls) {
  Value barrier = calls.shared(op.getAddr());
  calls.guarded(op.getPredicate(), [&] { calls.call(MACHINE(mbarrier_init), {barrier, op.getCount()}); });
  return replace(op);
}

/// The first operand of mbarrier's operations, if it is one.
static bool isGenericBarrier(Operation *op) {
  if (!op->getName().getStringRef().starts_with("nvvm.mbarrier."))
    return false;
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(op->getOperand(0).getType());
  return pointer && pointer.getAddressSpace() == 0;
}

Outcome tilefold::sim::retargetBarriers(Operation *op, MachineCalls &calls) {
  if (isGenericBarrier(op))
    return notModelled(op, "at a generic pointer; use one to shared memory (3 or 7)");
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case<NVVM::Barrier0Op, gpu::BarrierOp>([&](Operation *op) { return blockBarrier(op, calls); })
      .Case([&](NVVM::BarrierOp op) { return retargetBarrier(op, calls); })
      .Case([&](NVVM::BarrierArriveOp op) {
        calls.call(MACHINE(barrier_arrive), {calls.wordOrConstant(op.getBarrierId(), 0), op.getNumberOfThreads()});
        return replace(op);
      })
      .Case([&](tilefold::ptx::BarrierOrOp op) { return retargetBarrierOr(op, calls); })
      .Case([&](NVVM::ClusterArriveOp op) { return clusterBarrier(op, Cluster::Arrive, calls); })
      .Case([&](NVVM::ClusterArriveRelaxedOp op) { return clusterBarrier(op, Cluster::ArriveRelaxed, calls); })
      .Case([&](NVVM::ClusterWaitOp op) { return clusterBarrier(op, Cluster::Wait, calls); })
      .Case([&](NVVM::MapaOp op) { return retargetMapa(op, calls); })
      .Case([&](NVVM::SetMaxRegisterOp op) {
        bool increase = op.getAction() == NVVM::SetMaxRegisterAction::increase;
        calls.call(MACHINE(set_max_registers), {calls.word(op.getRegCount()), calls.word(increase)});
        return replace(op);
      })
      .Case([&](NVVM::MBarrierInitOp op) { return retargetInit(op, calls); })
      .Case([&](NVVM::MBarrierInvalOp op) {
        calls.call(MACHINE(mbarrier_inval), calls.shared(op.getAddr()));
        return replace(op);
      })
      .Case([&](NVVM::MBarrierExpectTxOp op) {
        calls.call(MACHINE(mbarrier_expect_tx), {calls.shared(op.getAddr()), op.getTxcount()});
        return replace(op);
      })
      .Case([&](NVVM::MBarrierCompleteTxOp op) {
        calls.call(MACHINE(mbarrier_complete_tx), {calls.shared(op.getAddr()), op.getTxcount()});
        return replace(op);
      })
      .Case([&](NVVM::MBarrierArriveOp op) {
        return refuseRelaxed(op) == Outcome::Failed ? Outcome::Failed : arrive(op, op.getCount(), false, calls);
      })
      .Case([&](NVVM::MBarrierArriveDropOp op) {
        return refuseRelaxed(op) == Outcome::Failed ? Outcome::Failed : arrive(op, op.getCount(), true, calls);
      })
      .Case([&](NVVM::MBarrierArriveNocompleteOp op) { return arrive(op, op.getCount(), false, calls); })
      .Case([&](NVVM::MBarrierArriveDropNocompleteOp op) { return arrive(op, op.getCount(), true, calls); })
      .Case([&](NVVM::MBarrierArriveExpectTxOp op) {
        return refuseRelaxed(op) == Outcome::Failed ? Outcome::Failed : arriveExpecting(op, op.getPredicate(), false, calls);
      })
      .Case([&](NVVM::MBarrierArriveDropExpectTxOp op) {
        return refuseRelaxed(op) == Outcome::Failed ? Outcome::Failed : arriveExpecting(op, Value(), true, calls);
      })
      .Case([&](tilefold::ptx::MbarrierWaitOp
                    op) { // the machine's barriers release to the whole cluster: `cluster` adds nothing
        calls.call(MACHINE(mbarrier_wait_parity), {calls.shared(op.getBarrier()), op.getParity()});
        return replace(op);
      })
      .Case([&](NVVM::MBarrierTryWaitParityOp op) { // PTX of it is a loop until the phase has completed
        calls.call(MACHINE(mbarrier_wait_parity), {calls.shared(op.getAddr()), op.getPhase()});
        return replace(op);
      })
      .Case([&](NVVM::MBarrierTestWaitOp op) {
        return refuseRelaxed(op) == Outcome::Failed
                   ? Outcome::Failed
                   : waitOnce(op, MACHINE(mbarrier_test), MACHINE(mbarrier_test_parity), calls);
      })
      .Case([&](NVVM::MBarrierTryWaitOp op) {
        return refuseRelaxed(op) == Outcome::Failed
                   ? Outcome::Failed
                   : waitOnce(op, MACHINE(mbarrier_try), MACHINE(mbarrier_try_parity), calls);
      })
      .Default([](Operation *) { return Outcome::NotMine; });
}
