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
