// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Special registers and approximate functions.
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "codegen/Simulator/Retarget/MachineCalls.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilefold::sim;

/// By the name behind "nvvm.read.ptx.sreg.".
static std::optional<Register> registerOf(StringRef name) {
  return llvm::StringSwitch<std::optional<Register>>(name)
      .Case("tid.x", Register::TidX)
      .Case("tid.y", Register::TidY)
      .Case("tid.z", Register::TidZ)
      .Case("ntid.x", Register::NtidX)
      .Case("ntid.y", Register::NtidY)
      .Case("ntid.z", Register::NtidZ)
      .Case("ctaid.x", Register::CtaidX)
      .Case("ctaid.y", Register::CtaidY)
      .Case("ctaid.z", Register::CtaidZ)
      .Case("nctaid.x", Register::NctaidX)
      .Case("nctaid.y", Register::NctaidY)
      .Case("nctaid.z", Register::NctaidZ)
      .Case("laneid", Register::LaneId)
      .Case("warpid", Register::WarpId)
      .Case("nwarpid", Register::NwarpId)
      .Case("smid", Register::SmId)
      .Case("nsmid", Register::NsmId)
      .Case("clusterid.x", Register::ClusterIdX)
      .Case("nclusterid.x", Register::NclusterIdX)
      .Case("cluster.ctaid.x", Register::ClusterCtaidX)
      .Case("cluster.nctaid.x", Register::ClusterNctaidX)
      .Case("cluster.ctarank", Register::ClusterCtaRank)
      .Case("cluster.nctarank", Register::ClusterNctaRank)
      .Case("lanemask.eq", Register::LanemaskEq)
      .Case("lanemask.lt", Register::LanemaskLt)
      .Case("lanemask.le", Register::LanemaskLe)
      .Case("lanemask.gt", Register::LanemaskGt)
      .Case("lanemask.ge", Register::LanemaskGe)
      .Case("clock", Register::Clock)
      .Default(std::nullopt);
}

/// Clusters lie along x.
static std::optional<uint32_t> constantOf(StringRef name) {
  return llvm::StringSwitch<std::optional<uint32_t>>(name)
      .Case("warpsize", 32)
      .Cases({"clusterid.y", "clusterid.z", "cluster.ctaid.y", "cluster.ctaid.z"}, 0)
      .Cases({"nclusterid.y", "nclusterid.z", "cluster.nctaid.y", "cluster.nctaid.z"}, 1)
      .Default(std::nullopt);
}

static Outcome readRegister(Operation *op, StringRef name, MachineCalls &calls) {
  if (std::optional<uint32_t> value = constantOf(name))
    return replace(op, calls.word(*value));
  if (name == "clock64" || name == "globaltimer")
    return replace(op, calls.call(MACHINE(clock), {}));
  std::optional<Register> which = registerOf(name);
  if (!which)
    return notModelled(op);
  return replace(op, calls.call(MACHINE(register), calls.word(*which)));
}

/// The registers under gpu's names, as an index.
static Outcome readIndex(Operation *op, Register first, gpu::Dimension dimension, MachineCalls &calls) {
  Value value = calls.call(MACHINE(register), calls.word(uint32_t(first) + uint32_t(dimension)));
  return replace(op, Value(arith::IndexCastUIOp::create(calls, calls.getIndexType(), value)));
}

static Outcome approximate(Operation *op, Approximate kind, MachineCalls &calls) {
  Value operand = op->getOperand(0);
  Value which = calls.word(kind);
  auto vector = dyn_cast<VectorType>(operand.getType());
  if (!vector)
    return replace(op, calls.call(MACHINE(approximate), {which, operand}));
  Value result = LLVM::PoisonOp::create(calls, vector);
  for (int64_t i = 0; i < vector.getNumElements(); ++i) {
    Value index = calls.word(i);
    Value element = LLVM::ExtractElementOp::create(calls, operand, index);
    element = calls.call(MACHINE(approximate), {which, element});
    result = LLVM::InsertElementOp::create(calls, result, element, index);
  }
  return replace(op, result);
}

Outcome tilefold::sim::retargetRegisters(Operation *op, MachineCalls &calls) {
  StringRef name = op->getName().getStringRef();
  if (name.consume_front("nvvm.read.ptx.sreg."))
    return readRegister(op, name, calls);
  return llvm::TypeSwitch<Operation *, Outcome>(op)
      .Case([&](gpu::ThreadIdOp op) { return readIndex(op, Register::TidX, op.getDimension(), calls); })
      .Case([&](gpu::BlockDimOp op) { return readIndex(op, Register::NtidX, op.getDimension(), calls); })
      .Case([&](gpu::BlockIdOp op) { return readIndex(op, Register::CtaidX, op.getDimension(), calls); })
      .Case([&](gpu::GridDimOp op) { return readIndex(op, Register::NctaidX, op.getDimension(), calls); })
      .Case([&](gpu::LaneIdOp op) { return readIndex(op, Register::LaneId, gpu::Dimension::x, calls); })
      .Case([&](tilefold::ptx::Ex2Op op) { return approximate(op, Approximate::Ex2Ftz, calls); })
      .Case([&](tilefold::ptx::Lg2Op op) { return approximate(op, Approximate::Lg2, calls); })
      .Case([&](tilefold::ptx::RcpOp op) { return approximate(op, Approximate::RcpFtz, calls); })
      .Case([&](NVVM::RcpApproxFtzF32Op op) { return approximate(op, Approximate::RcpFtz, calls); })
      .Case([&](tilefold::ptx::OpaqueOp op) { return replace(op, op.getOperand()); })
      .Case([&](LLVM::Trap op) {
        calls.call(MACHINE(trap), {calls.word(TrapCause::Instruction)});
        return replace(op);
      })
      // Hints and pauses: nothing that a program may rely on changes.
      .Case<NVVM::PrefetchOp, NVVM::CpAsyncBulkPrefetchOp, NVVM::CpAsyncBulkTensorPrefetchOp, NVVM::NanosleepOp>(
          [](Operation *op) { return replace(op); })
      .Default([](Operation *) { return Outcome::NotMine; });
}
