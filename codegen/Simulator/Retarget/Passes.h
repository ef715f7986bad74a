// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace tilefold::sim {

#define GEN_PASS_DECL
#include "codegen/Simulator/Retarget/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "codegen/Simulator/Retarget/Passes.h.inc"

/// What the pass leaves on a kernel's function.
inline constexpr llvm::StringLiteral kPlacesAttr = "tilefold.places";
inline constexpr llvm::StringLiteral kStaticSharedAttr = "tilefold.static_shared";

} // namespace tilefold::sim
