// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"

#include "lib/Interpreter/Check/CheckDialect.h.inc"
#define GET_OP_CLASSES
#include "lib/Interpreter/Check/CheckOps.h.inc"
