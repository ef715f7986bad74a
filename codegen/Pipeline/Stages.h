// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "codegen/Pipeline/Alternatives.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include <optional>
#include <string>
#include <vector>

namespace tilefold {

/// Where compilation can stop, in order. `Tile` is the program as it was traced.
enum class Stage { Tile, Layout, Schedule, Base, Ptx, Artifact };

/// "tile", "layout", ...: the values of --emit.
std::optional<Stage> parseStage(llvm::StringRef name);
llvm::StringRef stageName(Stage stage);

/// Notes on a module of kernels the stage that they have come to, so that its text can go on from there.
void setStage(mlir::ModuleOp module, Stage stage);
/// `Tile` if nothing is noted, `Base` if the module holds a gpu.module. Errors: a note that is no such stage; buffers or layouts
/// in a module without one.
llvm::FailureOr<Stage> getStage(mlir::ModuleOp module);

struct ScheduleOptions {
  int64_t warps = 0;  ///< 0: by the accumulators
  int64_t stages = 0; ///< 0: the default ring
};

struct PrintOptions {
  std::vector<std::string> after; ///< pass arguments ("tile-assign-layouts"), or "all"
};

/// The passes that lead from the stage before to `stage`, on a module with the kernels of one alternative.
void addStage(mlir::OpPassManager &manager, Stage stage, const AlternativePlan &plan, const ScheduleOptions &schedule);

/// Loads what the passes of all stages need, which several threads could not.
void loadDialects(mlir::MLIRContext &context);

/// The passes of the stages behind `from`, up to and with `to`, by the names that `PrintOptions` knows.
std::vector<std::string> passNames(Stage from, Stage to);

/// Makes the manager print IR after the chosen passes, to standard error. Its context must not have threads.
void printAfter(mlir::PassManager &manager, const PrintOptions &options);

} // namespace tilefold
