// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "codegen/Dialect/Ptx/PtxDialect.h.inc"
#define GET_OP_CLASSES
#include "codegen/Dialect/Ptx/PtxOps.h.inc"

namespace tilefold::ptx {

/// On a kernel: the bytes of dynamic shared memory that a launch must give (see `ptx.dynamic_shared`).
inline constexpr llvm::StringLiteral kSharedBytesAttr = "tilefold.shared_bytes";

/// Of a CUtensorMap.
inline constexpr unsigned kTensorMapBytes = 128, kTensorMapAlignment = 64;

} // namespace tilefold::ptx
