// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace tilefold::sim {

#define GEN_PASS_DECL
#include "codegen/Simulator/Mutate/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "codegen/Simulator/Mutate/Passes.h.inc"

} // namespace tilefold::sim
