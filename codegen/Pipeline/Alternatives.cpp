// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Pipeline/Alternatives.h"
#include "codegen/Artifact/Formula.h"
#include "lib/Analysis/Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>

using namespace mlir;
using namespace tilefold;
using llvm::json::Object;

static constexpr int64_t kChunkBytes = 16;

static int64_t chunkElements(tile::ViewType view) {
  return kChunkBytes * 8 / std::max<int64_t>(8, view.getElementType().getIntOrFloatBitWidth());
}

static SmallVector<tile::LaunchOp> launchesOf(tile::ProgramOp program, tile::KernelOp kernel) {
  SmallVector<tile::LaunchOp> result;
  for (auto launch : program.getBody().getOps<tile::LaunchOp>())
    if (launch.getKernel() == kernel.getSymName())
      result.push_back(launch);
  return result;
}

static tile::KernelOp kernelOf(tile::LaunchOp launch) {
  return SymbolTable::lookupNearestSymbolFrom<tile::KernelOp>(launch, launch.getKernelAttr());
}

/// The largest rank of the tiles that move through each argument of a kernel.
static llvm::DenseMap<unsigned, int64_t> tileRanks(tile::KernelOp kernel) {
  llvm::DenseMap<unsigned, int64_t> ranks;
  auto note = [&](Value view, Type tile) {
    int64_t &rank = ranks[tile::getViewRoot(view).getArgNumber()];
    rank = std::max(rank, cast<RankedTensorType>(tile).getRank());
  };
  kernel.walk([&](tile::LoadOp op) { note(op.getView(), op.getResult().getType()); });
  kernel.walk([&](tile::StoreOp op) { note(op.getView(), op.getValue().getType()); });
  return ranks;
}

/// The program arguments whose alignment is worth a guard, in the program's order.
static SmallVector<BlockArgument> viewsWorthAligning(tile::ProgramOp program) {
  llvm::MapVector<BlockArgument, int64_t> ranks;
  for (BlockArgument argument : program.getBody().getArguments())
    if (isa<tile::ViewType>(argument.getType()))
      ranks[argument] = 0;
  for (auto launch : program.getBody().getOps<tile::LaunchOp>())
    for (auto [index, rank] : tileRanks(kernelOf(launch)))
      if (auto argument = dyn_cast<BlockArgument>(launch.getInputs()[index]))
        ranks[argument] = std::max(ranks[argument], rank);
  SmallVector<BlockArgument> matrices, vectors;
  for (auto [argument, rank] : ranks) {
    if (rank >= 2)
      matrices.push_back(argument);
    else if (rank == 1 && cast<tile::ViewType>(argument.getType()).getRank() == 1)
      vectors.push_back(argument);
  }
  return matrices.empty() ? vectors : matrices;
}

static void guardAlignment(llvm::json::Array &guards, StringRef name, tile::ViewType view) {
  int64_t last = view.getRank() - 1, elements = chunkElements(view);
  auto isMultiple = [](llvm::json::Value value, int64_t unit) { return formula("eq", {formula("mod", {std::move(value), unit}), 0}); };
  guards.push_back(isMultiple(Object{{"address", name}}, kChunkBytes));
  guards.push_back(formula("eq", {formula("stride", {name, last}), 1}));
  if (elements == 1)
    return;
  guards.push_back(isMultiple(formula("size", {name, last}), elements));
  for (int64_t dim = 0; dim < last; ++dim) // a stride that is never taken may be anything
    guards.push_back(formula("or", {isMultiple(formula("stride", {name, dim}), elements),
                                    formula("le", {formula("size", {name, dim}), 1})}));
}

/// Workspaces are contiguous and aligned by contract; what is left to know is that a row is made of whole chunks.
static bool isAlignedWorkspace(tile::WorkspaceOp op) {
  auto view = cast<tile::ViewType>(op.getView().getType());
  if (op.getExtents().empty())
    return false;
  auto last = op.getExtents().back().getDefiningOp<arith::ConstantOp>();
  return last && cast<IntegerAttr>(last.getValue()).getInt() % chunkElements(view) == 0;
}

SmallVector<AlternativePlan> tilefold::planAlternatives(tile::ProgramOp program) {
  AlternativePlan any{"any", {}, {}, {}};
  for (auto workspace : program.getBody().getOps<tile::WorkspaceOp>())
    if (isAlignedWorkspace(workspace))
      any.alignedViews.insert(workspace.getName());

  // What depends on the scale is an alternative of its own: whether the same values lie in contiguous rows must not show in their
  // bits, and folding the scale does.
  AlternativePlan strided = any;
  strided.name = "strided";
  for (BlockArgument argument : program.getBody().getArguments()) {
    StringRef name = program.getArgumentName(argument.getArgNumber());
    if (name != "scale" || !argument.getType().isF32())
      continue;
    // As `--tile-exp-to-exp2=fold-scale` requires: what it multiplies with the scale is neither flushed nor overflows.
    strided.positiveScalars.insert(name);
    strided.guards.push_back(formula("ge", {Object{{"scalar", name}}, Object{{"float", std::ldexp(1.0, -126)}}}));
    strided.guards.push_back(formula("le", {Object{{"scalar", name}}, Object{{"float", std::ldexp(1.0, 126)}}}));
  }
  AlternativePlan fast = strided;
  fast.name = "fast";
  for (BlockArgument argument : viewsWorthAligning(program)) {
    StringRef name = program.getArgumentName(argument.getArgNumber());
    fast.alignedViews.insert(name);
    guardAlignment(fast.guards, name, cast<tile::ViewType>(argument.getType()));
  }
  SmallVector<AlternativePlan> plans;
  if (fast.guards.size() > strided.guards.size())
    plans.push_back(std::move(fast));
  if (!strided.guards.empty())
    plans.push_back(std::move(strided));
  plans.push_back(std::move(any));
  return plans;
}

static StringRef operandName(tile::ProgramOp program, Value operand) {
  if (auto argument = dyn_cast<BlockArgument>(operand))
    return program.getArgumentName(argument.getArgNumber());
  auto workspace = operand.getDefiningOp<tile::WorkspaceOp>();
  return workspace ? workspace.getName() : StringRef();
}

void tilefold::markArguments(tile::KernelOp clone, tile::KernelOp kernel, tile::ProgramOp program,
                             const AlternativePlan &plan) {
  SmallVector<tile::LaunchOp> launches = launchesOf(program, kernel);
  for (unsigned index = 0; index < clone.getNumArguments(); ++index) {
    if (!isa<tile::ViewType>(clone.getArgumentTypes()[index]))
      continue;
    bool aligned = llvm::all_of(launches, [&](tile::LaunchOp launch) {
      return plan.alignedViews.contains(operandName(program, launch.getInputs()[index]));
    });
    if (aligned && !launches.empty())
      clone.setArgAttr(index, tile::kAlignedAttr, UnitAttr::get(clone.getContext()));
  }
}
