// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Dialect/Ptx/PtxDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tilefold::ptx;

#include "codegen/Dialect/Ptx/PtxDialect.cpp.inc"
#define GET_OP_CLASSES
#include "codegen/Dialect/Ptx/PtxOps.cpp.inc"

void PtxDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "codegen/Dialect/Ptx/PtxOps.cpp.inc"
      >();
}

LogicalResult PtxDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument, NamedAttribute attribute) {
  if (attribute.getName() != getTensorMapAttrName())
    return op->emitError("unknown attribute ")
           << attribute.getName() << " of an argument, expected '" << getTensorMapAttrName() << "'";
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return op->emitError() << attribute.getName() << " belongs to an argument of a kernel, not of a region";
  Type type = function.getArgumentTypes()[argument];
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(type);
  if (!pointer || pointer.getAddressSpace() != 0)
    return op->emitError("expected !llvm.ptr as tensor map, but argument ") << argument << " is " << type;
  return success();
}

LogicalResult WgmmaOp::verify() {
  constexpr int64_t kMaxN = 256, kStepN = 8;
  if (!isa<Float16Type, BFloat16Type>(getElement()))
    return emitOpError("expected elements of f16 or bf16, but got ") << getElement();
  if (getN() > kMaxN || getN() % kStepN)
    return emitOpError("expected N, twice the accumulator's length, to be a multiple of ")
           << kStepN << " up to " << kMaxN << ", but got " << getN();
  if (isFromRegisters() && getTransposeA())
    return emitOpError("expected a descriptor as transposed A, but got a fragment in registers");
  if (getScaleD() && !getAccumulator())
    return emitOpError("expected an accumulator with scale_d");
  return success();
}

LogicalResult WgmmaFenceOp::verify() {
  if (getValues().empty())
    return emitOpError("expected a value; nvvm.wgmma.fence.aligned is the fence without any");
  return success();
}

LogicalResult WgmmaWaitOp::verify() {
  if (getAccumulators().empty())
    return emitOpError("expected an accumulator; nvvm.wgmma.wait.group.sync.aligned is the wait without any");
  return success();
}
