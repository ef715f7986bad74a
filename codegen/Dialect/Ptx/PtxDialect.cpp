// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Dialect/Ptx/PtxDialect.h"

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
