// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "mlir/Pass/Pass.h"

namespace tilefold {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "codegen/Conversion/TileToBase/Passes.h.inc"
} // namespace tilefold
