// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/CountWork.h"
#include "lib/Interpreter/HostSide.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace mlir;
using namespace tilefold::interpreter;
using tilefold::support::Result;
using tilefold::support::Status;

namespace tilefold::cli {
namespace {

/// Instances of a launch that are followed; more are sampled.
constexpr std::int64_t kSamples = 256;

struct KnownView {
  std::string name;
  Shape extents;
};

double bytesOf(Type element) { return element.isInteger(1) ? 1 : element.getIntOrFloatBitWidth() / 8.0; }

/// Of an operation on tiles; 0 for what only moves or makes elements.
double elementOperations(Operation &op) {
  auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    type = cast<RankedTensorType>(reduce.getSource().getType());
  if (!type || !isa<arith::ArithDialect, math::MathDialect, tile::TileDialect>(op.getDialect()) || isa<arith::ConstantOp>(op) ||
      (isa<tile::TileDialect>(op.getDialect()) && !isa<tile::ReduceOp>(op)))
    return 0;
  return double(type.getNumElements()) * (isa<arith::DivFOp>(op) ? 8 : 1);
}

/// Follows instances of one kernel.
class KernelCount {
public:
  KernelCount(tile::KernelOp kernel, LaunchWork &work) : kernel(kernel), work(work) {}

  llvm::DenseMap<Value, KnownView> views;
  std::vector<std::pair<Value, Number>> scalars;

  /// Adds `weight` times what the instance at `point` does.
  Status count(const std::int64_t (&point)[3], double weight);

private:
  Status countBlock(Block &block, const Formulas &known, double weight);
  Status countLoop(scf::ForOp loop, Formulas &known, double weight);
  Result<std::int64_t> integer(Formulas &known, Value value);
  /// The elements of a tile at `offsets` that lie inside the view; all where an offset comes from data.
  double inside(Formulas &known, Value view, OperandRange offsets, RankedTensorType tile);
  const KnownView *resolve(Value view);
  Result<std::int64_t> extent(Formulas &known, Value view, std::int64_t dim);

  tile::KernelOp kernel;
  LaunchWork &work;
  Formulas *current = nullptr;
};

Result<std::int64_t> KernelCount::integer(Formulas &known, Value value) {
  Formulas *outer = std::exchange(current, &known);
  Result<Number> number = known.evaluate(value, "kernel '" + work.kernel + "'");
  current = outer;
  if (!number)
    return number.status();
  return number->integer;
}

const KnownView *KernelCount::resolve(Value view) {
  while (Operation *op = view.getDefiningOp()) {
    if (!isa<tile::SliceOp, tile::NarrowOp>(op))
      return nullptr;
    view = op->getOperand(0);
  }
  auto it = views.find(view);
  return it == views.end() ? nullptr : &it->second;
}

Result<std::int64_t> KernelCount::extent(Formulas &known, Value view, std::int64_t dim) {
  if (auto narrow = view.getDefiningOp<tile::NarrowOp>())
    return std::int64_t(narrow.getDim()) == dim ? integer(known, narrow.getSize()) : extent(known, narrow.getView(), dim);
  if (auto slice = view.getDefiningOp<tile::SliceOp>()) {
    for (std::int64_t fixed : slice.getDims()) // ascending
      dim += fixed <= dim;
    return extent(known, slice.getView(), dim);
  }
  auto it = views.find(view);
  if (it == views.end())
    return Status::error("kernel '" + work.kernel + "' makes a view in a way that cannot be followed");
  return it->second.extents[std::size_t(dim)];
}

double KernelCount::inside(Formulas &known, Value view, OperandRange offsets, RankedTensorType tile) {
  double elements = 1;
  for (auto [dim, size] : llvm::enumerate(tile.getShape())) {
    Result<std::int64_t> offset = integer(known, offsets[dim]), bound = extent(known, view, std::int64_t(dim));
    if (!offset || !bound) {
      elements *= double(size);
      continue;
    }
    elements *= double(std::max<std::int64_t>(0, std::min(*bound, *offset + size) - std::max<std::int64_t>(0, *offset)));
  }
  return elements;
}

Status KernelCount::countLoop(scf::ForOp loop, Formulas &known, double weight) {
  Result<std::int64_t> low = integer(known, loop.getLowerBound()), high = integer(known, loop.getUpperBound()),
                       step = integer(known, loop.getStep());
  for (auto *bound : {&low, &high, &step})
    if (!*bound)
      return bound->status();
  if (*step <= 0 || *low >= *high)
    return {};
  const std::int64_t trips = (*high - *low + *step - 1) / *step;
  auto turn = [&](std::int64_t index, double times) -> Status {
    Formulas inner = known;
    inner.bind(loop.getInductionVar(), {false, *low + index * *step, 0});
    return countBlock(*loop.getBody(), inner, weight * times);
  };
  // The first and the last turn may be special; those between are alike or change evenly.
  if (Status status = turn(0, 1); !status || trips == 1)
    return status;
  if (trips > 2)
    if (Status status = turn(trips / 2, double(trips - 2)); !status)
      return status;
  return turn(trips - 1, 1);
}

Status KernelCount::countBlock(Block &block, const Formulas &outer, double weight) {
  Formulas known = outer;
  for (Operation &op : block) {
    Status status;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      status = countLoop(loop, known, weight);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      Result<std::int64_t> condition = integer(known, branch.getCondition());
      // A condition on data guards what is rare.
      Region &taken = condition && *condition ? branch.getThenRegion() : branch.getElseRegion();
      if (!taken.empty())
        status = countBlock(taken.front(), known, weight);
    } else if (auto load = dyn_cast<tile::LoadOp>(op)) {
      auto tile = cast<RankedTensorType>(load.getType());
      if (const KnownView *view = resolve(load.getView()))
        work.loaded[view->name] += weight * bytesOf(tile.getElementType()) * inside(known, load.getView(), load.getOffsets(), tile);
    } else if (auto store = dyn_cast<tile::StoreOp>(op)) {
      auto tile = cast<RankedTensorType>(store.getValue().getType());
      if (const KnownView *view = resolve(store.getView()))
        work.stored[view->name] += weight * bytesOf(tile.getElementType()) * inside(known, store.getView(), store.getOffsets(), tile);
    } else if (isa<tile::DotOp, tile::WeighOp>(op)) {
      const double depth = double(cast<ShapedType>(op.getOperand(0).getType()).getDimSize(1));
      work.productFlops += weight * 2 * depth * double(cast<ShapedType>(op.getResult(0).getType()).getNumElements());
    } else if (isa<math::ExpOp, math::Exp2Op>(op)) {
      auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
      work.exponentials += weight * (type ? double(type.getNumElements()) : 1);
    } else if (op.getNumResults() == 1) {
      work.elementOperations += weight * elementOperations(op);
    }
    if (!status)
      return status;
  }
  return {};
}

Status KernelCount::count(const std::int64_t (&point)[3], double weight) {
  Formulas known([this](Value view, std::int64_t dim, bool stride) -> Result<std::int64_t> {
    if (stride)
      return Status::error("kernel '" + work.kernel + "' computes with a stride");
    return extent(*current, view, dim);
  });
  for (auto &[value, number] : scalars)
    known.bind(value, number);
  kernel.walk([&](tile::ProgramIdOp op) { known.bind(op.getResult(), {false, point[op.getDim()], 0}); });
  return countBlock(kernel.getBody().front(), known, weight);
}

/// The host side: shapes, workspaces, grids.
class ProgramCount {
public:
  explicit ProgramCount(tile::ProgramOp program)
      : program(program), formulas([this](Value view, std::int64_t dim, bool stride) -> Result<std::int64_t> {
          auto it = views.find(view);
          if (it == views.end() || stride)
            return Status::error("program '" + this->program.getSymName().str() + "': an extent is not known");
          return it->second.extents[std::size_t(dim)];
        }) {}

  Status bind(const std::map<std::string, Shape> &shapes, const Scalars &given);
  Result<ProgramWork> count();

private:
  void addView(Value view, const std::string &name, Shape extents);
  Result<LaunchWork> count(tile::LaunchOp launch);

  tile::ProgramOp program;
  Formulas formulas;
  llvm::DenseMap<Value, KnownView> views;
  ProgramWork work;
};

void ProgramCount::addView(Value view, const std::string &name, Shape extents) {
  double bytes = bytesOf(cast<tile::ViewType>(view.getType()).getElementType());
  for (std::int64_t extent : extents)
    bytes *= double(extent);
  work.tensorBytes[name] = bytes;
  views[view] = {name, std::move(extents)};
}

Status ProgramCount::bind(const std::map<std::string, Shape> &shapes, const Scalars &given) {
  for (BlockArgument argument : program.getBody().getArguments()) {
    const std::string name = program.getArgumentName(argument.getArgNumber()).str();
    if (auto view = dyn_cast<tile::ViewType>(argument.getType())) {
      auto it = shapes.find(name);
      if (it == shapes.end())
        continue; // an output, whose shape the program states
      if (std::int64_t(it->second.size()) != view.getRank())
        return Status::error("argument '" + name + "' has shape " + support::to_string(it->second) + ", expected rank " +
                             std::to_string(view.getRank()));
      addView(argument, name, it->second);
      continue;
    }
    const bool isFloat = isa<FloatType>(argument.getType());
    Attribute fallback = program.getArgAttr(argument.getArgNumber(), tile::kDefaultAttr);
    double value = 0;
    if (auto it = given.find(name); it != given.end())
      value = it->second;
    else if (auto number = dyn_cast_or_null<FloatAttr>(fallback))
      value = number.getValueAsDouble();
    else if (auto number = dyn_cast_or_null<IntegerAttr>(fallback))
      value = double(number.getInt());
    else
      return Status::error("scalar '" + name + "' is missing and has no default");
    formulas.bind(argument, isFloat ? Number{true, 0, value} : Number{false, std::int64_t(value), 0});
  }
  for (auto shape : program.getBody().front().getOps<tile::ShapeOp>()) {
    if (views.count(shape.getView()))
      continue;
    const std::string name = program.getArgumentName(cast<BlockArgument>(shape.getView()).getArgNumber()).str();
    Result<Shape> extents = evaluateShape(formulas, shape.getExtents(), "shape of argument '" + name + "'");
    if (!extents)
      return extents.status();
    addView(shape.getView(), name, *std::move(extents));
  }
  for (auto require : program.getBody().front().getOps<tile::RequireOp>()) {
    Result<Number> holds = formulas.evaluate(require.getCondition(), "requirement on '" + require.getArgument().str() + "'");
    if (!holds)
      return holds.status();
    if (holds->integer)
      continue;
    return Status::error(llvm::formatv("argument '{0}': expected {1}", require.getArgument(), describeExpected(formulas, require)).str());
  }
  for (auto workspace : program.getBody().front().getOps<tile::WorkspaceOp>()) {
    Result<Shape> extents = evaluateShape(formulas, workspace);
    if (!extents)
      return extents.status();
    work.workspaces.push_back(workspace.getName().str());
    addView(workspace.getView(), workspace.getName().str(), *std::move(extents));
  }
  return {};
}

Result<LaunchWork> ProgramCount::count(tile::LaunchOp launch) {
  LaunchWork result;
  result.kernel = launch.getKernel().str();
  Result<Grid> grid = evaluateGrid(formulas, launch);
  if (!grid)
    return grid.status();
  std::copy_n(grid->extents, 3, result.grid);
  const std::int64_t total = grid->instances;
  result.instances = double(total);
  auto kernel = SymbolTable::lookupNearestSymbolFrom<tile::KernelOp>(launch, launch.getKernelAttr());
  KernelCount count(kernel, result);
  for (auto [operand, argument] : llvm::zip(launch.getInputs(), kernel.getBody().getArguments())) {
    if (isa<tile::ViewType>(operand.getType())) {
      count.views[argument] = views[operand];
      continue;
    }
    Result<Number> number = formulas.evaluate(operand, describe(launch));
    if (!number)
      return number.status();
    count.scalars.push_back({argument, *number});
  }
  const std::int64_t samples = std::min(total, kSamples);
  for (std::int64_t n = 0; n < samples; ++n) {
    // Spread by the golden ratio, so that no axis of the grid is seen at one place only.
    const double place = std::fmod((double(n) + 0.5) * 0.6180339887498949, 1.0);
    const std::int64_t index = total <= kSamples ? n : std::min(total - 1, std::int64_t(place * double(total)));
    if (Status status = count.count({index % result.grid[0], index / result.grid[0] % result.grid[1],
                                     index / result.grid[0] / result.grid[1]},
                                    double(total) / double(samples));
        !status)
      return status;
  }
  return result;
}

Result<ProgramWork> ProgramCount::count() {
  for (auto launch : program.getBody().front().getOps<tile::LaunchOp>()) {
    Result<LaunchWork> one = count(launch);
    if (!one)
      return one.status();
    work.launches.push_back(std::move(*one));
  }
  return std::move(work);
}

} // namespace

Result<ProgramWork> countWork(tile::ProgramOp program, const std::map<std::string, Shape> &shapes, const Scalars &scalars) {
  ProgramCount count(program);
  if (Status status = count.bind(shapes, scalars); !status)
    return status;
  return count.count();
}

} // namespace tilefold::cli
