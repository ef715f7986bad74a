// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/trace.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilefold {

/// The module of a successful trace, which still owns it.
mlir::ModuleOp module(Traced &traced);

/// Traces into a context of the caller, which gets the diagnostics; null after an error.
mlir::OwningOpRef<mlir::ModuleOp> trace_into(mlir::MLIRContext &context, std::string_view name,
                                             const std::function<void(Program &)> &body,
                                             Location l = Location::current());

} // namespace tilefold
