// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Interpreter/Check/CheckOps.h"
#include "mlir/IR/Builders.h"

#include "lib/Interpreter/Check/CheckDialect.cpp.inc"
#define GET_OP_CLASSES
#include "lib/Interpreter/Check/CheckOps.cpp.inc"

void tilefold::check::CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "lib/Interpreter/Check/CheckOps.cpp.inc"
      >();
}
