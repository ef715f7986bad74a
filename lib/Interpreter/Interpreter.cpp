// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host side: binds arguments, checks them, makes workspaces and runs launches.
#include "lib/Interpreter/Interpreter.h"
#include "lib/Interpreter/HostSide.h"
#include "lib/Interpreter/Kernel.h"
#include "lib/Interpreter/Launch.h"
#include "support/limits.h"
#include "support/memory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <list>
#include <new>

using namespace mlir;
using tilefold::support::DType;
using tilefold::support::HostTensor;
using tilefold::support::Result;
using tilefold::support::Shape;
using tilefold::support::Status;

namespace tilefold {
namespace {

using namespace interpreter;

DType dtypeOf(Type type) {
  return type.isF16()         ? DType::f16
         : type.isBF16()      ? DType::bf16
         : type.isF32()       ? DType::f32
         : type.isInteger(32) ? DType::i32
                              : DType::i1;
}

Status wrong(StringRef name, const std::string &what) { return Status::error("argument '" + name.str() + "' " + what); }

/// A program being run. Members are filled in this order: arguments, checks, workspaces, launches.
class ProgramRun {
public:
  ProgramRun(tile::ProgramOp program, ProgramArguments &arguments)
      : program(program), arguments(arguments), formulas([this](Value view, std::int64_t dim, bool stride) {
          return dimensionOf(view, dim, stride);
        }) {}

  Status prepare();
  Status launchAll(const InterpreterOptions &options);

private:
  Status bindTensor(unsigned index, HostTensor &tensor);
  Status bindScalar(unsigned index);
  Status allocateOutput(unsigned index);
  Status checkNames();
  Status check(tile::ShapeOp op);
  Status check(tile::RequireOp op);
  Status makeWorkspace(tile::WorkspaceOp op);
  Status checkLaunches();
  Result<std::int64_t> dimensionOf(Value view, std::int64_t dim, bool stride);
  Result<LaunchPlan> plan(tile::LaunchOp op);
  Status makeWriters(Memory &memory);
  void poisonUnwritten();
  Status checkZeroed();

  StringRef nameOf(Value argument) { return program.getArgumentName(cast<BlockArgument>(argument).getArgNumber()); }

  tile::ProgramOp program;
  ProgramArguments &arguments;
  Formulas formulas;
  llvm::DenseMap<Value, View> views;
  std::list<Memory> memories; // views point into it
  std::list<HostTensor> workspaces;
  struct Output {
    std::string name;
    Memory *memory;
    HostTensor *tensor;
  };
  std::vector<Output> outputs;
  llvm::DenseSet<unsigned> allocating; // outputs whose shape is being evaluated
};

//===-- arguments -----------------------------------------------------------------------------------------------===//

std::string typeText(tile::ViewType type) {
  return "a tensor of type " + std::string(support::name(dtypeOf(type.getElementType()))) + " and rank " +
         std::to_string(type.getRank());
}

Status ProgramRun::checkNames() {
  std::string known;
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    known += (i ? ", " : "") + program.getArgumentName(i).str();
  auto find = [&](const std::string &name) -> std::optional<unsigned> {
    for (unsigned i = 0; i < program.getNumArguments(); ++i)
      if (program.getArgumentName(i) == name)
        return i;
    return std::nullopt;
  };
  auto unknown = [&](const std::string &name) {
    return wrong(name, "is unknown; program '" + program.getSymName().str() + "' takes " + known);
  };
  for (auto &[name, tensor] : arguments.tensors) {
    auto index = find(name);
    if (!index)
      return unknown(name);
    if (!isa<tile::ViewType>(program.getArgumentTypes()[*index]))
      return wrong(name, "is a tensor, expected a scalar");
  }
  for (auto &[name, value] : arguments.scalars) {
    auto index = find(name);
    if (!index)
      return unknown(name);
    if (auto type = dyn_cast<tile::ViewType>(program.getArgumentTypes()[*index]))
      return wrong(name, "is a scalar, expected " + typeText(type));
  }
  return {};
}

Status ProgramRun::makeWriters(Memory &memory) {
  const std::string wish = memory.name + ": keeping track of writes";
  if (Status status = support::check_memory(memory.span * sizeof(Stamp), wish); !status)
    return status;
  memory.writers.reset(new (std::nothrow) std::atomic<Stamp>[memory.span]());
  if (!memory.writers)
    return Status::error(wish + " needs " + std::to_string(memory.span * sizeof(Stamp)) + " bytes of memory");
  return {};
}

Status ProgramRun::bindTensor(unsigned index, HostTensor &tensor) {
  const auto type = cast<tile::ViewType>(program.getArgumentTypes()[index]);
  const StringRef name = program.getArgumentName(index), role = program.getArgumentRole(index);
  const DType dtype = dtypeOf(type.getElementType());
  if (tensor.dtype() != dtype)
    return wrong(name, "has element type " + std::string(support::name(tensor.dtype())) + ", expected " +
                           std::string(support::name(dtype)));
  if (tensor.rank() != type.getRank())
    return wrong(name, "has rank " + std::to_string(tensor.rank()) + ", expected " + std::to_string(type.getRank()));
  Memory &memory = memories.emplace_back();
  memory.name = (role.empty() ? "argument" : role.str()) + " '" + name.str() + "'";
  memory.dtype = dtype;
  memory.data = tensor.data();
  memory.writable = role != "input";
  memory.initialised = role != "output";
  View view = {};
  view.memory = &memory;
  view.rank = std::int32_t(type.getRank());
  std::int64_t last = 0;
  for (std::int32_t d = 0; d < view.rank; ++d) {
    const std::int64_t extent = tensor.size(d);
    if (!support::is_extent(extent))
      return wrong(name, "has extent " + std::to_string(extent) + " in dimension " + std::to_string(d) +
                             ", expected " + support::extent_range);
    if (memory.writable && tensor.stride(d) == 0 && extent > 1)
      return wrong(name, "has stride 0 and extent " + std::to_string(extent) + " in dimension " + std::to_string(d) +
                             ", expected an output whose elements do not share memory");
    view.extents[d] = std::int32_t(extent);
    view.strides[d] = tensor.stride(d);
    last += (extent - 1) * tensor.stride(d);
  }
  memory.span = tensor.count() ? last + 1 : 0;
  if (memory.writable)
    if (Status status = makeWriters(memory); !status)
      return status;
  if (role == "output")
    outputs.push_back({name.str(), &memory, &tensor});
  views[program.getArgument(index)] = view;
  return {};
}

Status ProgramRun::bindScalar(unsigned index) {
  const StringRef name = program.getArgumentName(index);
  const bool isFloat = program.getArgumentTypes()[index].isF32();
  double value;
  if (auto it = arguments.scalars.find(name.str()); it != arguments.scalars.end()) {
    value = it->second;
  } else if (Attribute fallback = program.getArgAttr(index, tile::kDefaultAttr)) {
    if (auto number = dyn_cast<FloatAttr>(fallback))
      value = number.getValueAsDouble();
    else if (auto number = dyn_cast<IntegerAttr>(fallback))
      value = double(number.getInt());
    else
      return wrong(name, "has a default that is no number");
  } else {
    return wrong(name, std::string("is missing, expected a scalar of type ") + (isFloat ? "f32" : "i32") + " (it has no default)");
  }
  if (isFloat) {
    if (!std::isfinite(float(value)))
      return wrong(name, "is " + std::to_string(value) + ", expected a finite f32");
    formulas.bind(program.getArgument(index), {true, 0, float(value)});
    return {};
  }
  if (!(value >= INT_MIN && value <= INT_MAX && value == std::floor(value)))
    return wrong(name, "is " + std::to_string(value) + ", expected a value that fits i32");
  formulas.bind(program.getArgument(index), {false, std::int64_t(value), 0});
  return {};
}

Status ProgramRun::allocateOutput(unsigned index) {
  const StringRef name = program.getArgumentName(index);
  const auto type = cast<tile::ViewType>(program.getArgumentTypes()[index]);
  if (!allocating.insert(index).second)
    return wrong(name, "is missing, and its stated shape depends on its own sizes");
  for (auto stated : program.getBody().front().getOps<tile::ShapeOp>()) {
    if (stated.getView() != program.getArgument(index))
      continue;
    Result<Shape> shape = evaluateShape(formulas, stated.getExtents(), "shape of argument '" + name.str() + "'");
    if (!shape)
      return shape.status();
    for (std::int64_t extent : *shape)
      if (!support::is_extent(extent))
        return wrong(name, "would have shape " + support::to_string(*shape) +
                               ", expected extents of " + support::extent_range);
    Result<HostTensor> tensor = HostTensor::create(dtypeOf(type.getElementType()), *shape);
    if (!tensor)
      return wrong(name, "cannot be allocated: " + tensor.message());
    HostTensor &kept = arguments.tensors[name.str()] = std::move(*tensor);
    return bindTensor(index, kept);
  }
  return wrong(name, "is missing, expected " + typeText(type) + " (program '" + program.getSymName().str() +
                         "' does not say which shape it has)");
}

//===-- formulas ------------------------------------------------------------------------------------------------===//

Result<std::int64_t> ProgramRun::dimensionOf(Value value, std::int64_t dim, bool stride) {
  auto it = views.find(value);
  if (it == views.end()) {
    // An output that nobody has allocated yet, or a workspace that is made later.
    Status status;
    if (auto argument = dyn_cast<BlockArgument>(value))
      status = allocateOutput(argument.getArgNumber());
    else if (auto workspace = value.getDefiningOp<tile::WorkspaceOp>())
      status = makeWorkspace(workspace);
    else
      status = Status::error("a program takes sizes of its arguments and workspaces only");
    if (!status)
      return status;
    it = views.find(value);
  }
  return stride ? it->second.strides[dim] : std::int64_t(it->second.extents[dim]);
}

Status ProgramRun::check(tile::ShapeOp op) {
  auto argument = dyn_cast<BlockArgument>(op.getView());
  if (!argument)
    return {}; // a workspace has the shape that it was made with
  const StringRef name = nameOf(argument);
  Result<Shape> expected = evaluateShape(formulas, op.getExtents(), "shape of argument '" + name.str() + "'");
  if (!expected)
    return expected.status();
  Shape actual;
  for (std::int64_t d = 0; d < std::int64_t(expected->size()); ++d) {
    Result<std::int64_t> extent = dimensionOf(op.getView(), d, false);
    if (!extent)
      return extent.status();
    actual.push_back(*extent);
  }
  if (actual != *expected)
    return wrong(name, "has shape " + support::to_string(actual) + ", expected " + support::to_string(*expected));
  return {};
}

Status ProgramRun::check(tile::RequireOp op) {
  const std::string name = op.getArgument().str();
  Result<Number> holds = formulas.evaluate(op.getCondition(), "requirement on argument '" + name + "'");
  if (!holds)
    return holds.status();
  if (holds->integer)
    return {};
  std::string was = "is not as required";
  if (auto tensor = arguments.tensors.find(name); tensor != arguments.tensors.end())
    was = "has shape " + support::to_string(tensor->second.shape()) + " and strides " + support::to_string(tensor->second.strides());
  else
    for (BlockArgument argument : program.getBody().front().getArguments())
      if (nameOf(argument) == name && !isa<tile::ViewType>(argument.getType()))
        if (Result<Number> value = formulas.evaluate(argument, name))
          was = "is " + (value->isFloat ? std::to_string(value->floating) : std::to_string(value->integer));
  return wrong(name, was + ", expected " + describeExpected(formulas, op));
}

Status ProgramRun::makeWorkspace(tile::WorkspaceOp op) {
  if (views.count(op.getView()))
    return {};
  const std::string owner = describe(op);
  const auto type = cast<tile::ViewType>(op.getView().getType());
  Result<Shape> shape = evaluateShape(formulas, op);
  if (!shape)
    return shape.status();
  View view = {};
  view.rank = std::int32_t(type.getRank());
  for (auto [d, extent] : llvm::enumerate(*shape))
    view.extents[d] = std::int32_t(extent);
  Result<HostTensor> tensor = HostTensor::create(dtypeOf(type.getElementType()), *shape);
  if (!tensor)
    return Status::error(owner + ": " + tensor.message());
  HostTensor &kept = workspaces.emplace_back(std::move(*tensor));
  const bool zero = op.getInit() == tile::WorkspaceInit::ZeroOnce;
  if (!zero)
    kept.poison();
  for (std::int32_t d = 0; d < view.rank; ++d)
    view.strides[d] = kept.stride(d);
  Memory &memory = memories.emplace_back();
  memory.name = owner;
  memory.dtype = kept.dtype();
  memory.data = kept.data();
  memory.span = kept.count();
  memory.writable = true;
  memory.initialised = zero;
  view.memory = &memory;
  views[op.getView()] = view;
  return makeWriters(memory);
}

Status ProgramRun::prepare() {
  if (Status status = checkNames(); !status)
    return status;
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    const StringRef name = program.getArgumentName(i);
    auto type = dyn_cast<tile::ViewType>(program.getArgumentTypes()[i]);
    Status status;
    if (!type)
      status = bindScalar(i);
    else if (auto given = arguments.tensors.find(name.str()); given != arguments.tensors.end())
      status = bindTensor(i, given->second);
    else if (program.getArgumentRole(i) != "output")
      status = wrong(name, "is missing, expected " + typeText(type));
    if (!status)
      return status;
  }
  for (Operation &op : program.getBody().front()) {
    if (!isa<arith::ArithDialect>(op.getDialect()) &&
        !isa<tile::SizeOp, tile::StrideOp, tile::DevicePropertyOp, tile::ShapeOp, tile::RequireOp, tile::WorkspaceOp, tile::LaunchOp,
             tile::ReturnOp>(op))
      return Status::error(locationText(op.getLoc()) + op.getName().getStringRef().str() + " has no meaning in a program");
    Status status;
    if (auto require = dyn_cast<tile::RequireOp>(op))
      status = check(require);
    else if (auto shape = dyn_cast<tile::ShapeOp>(op))
      status = check(shape);
    if (!status)
      return status;
  }
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    if (isa<tile::ViewType>(program.getArgumentTypes()[i]) && !views.count(program.getArgument(i)))
      if (Status status = allocateOutput(i); !status)
        return status;
  return checkLaunches();
}

/// Workspaces and grids that cannot be are errors of the arguments, and told before any memory is taken for them.
Status ProgramRun::checkLaunches() {
  for (auto workspace : program.getBody().front().getOps<tile::WorkspaceOp>())
    if (Result<Shape> shape = evaluateShape(formulas, workspace); !shape)
      return shape.status();
  for (auto launch : program.getBody().front().getOps<tile::LaunchOp>())
    if (Result<Grid> grid = evaluateGrid(formulas, launch); !grid)
      return grid.status();
  return {};
}

//===-- launches ------------------------------------------------------------------------------------------------===//

Result<LaunchPlan> ProgramRun::plan(tile::LaunchOp op) {
  Result<Grid> grid = evaluateGrid(formulas, op);
  if (!grid)
    return grid.status();
  const std::string owner = describe(op);
  LaunchPlan plan;
  plan.instances = grid->instances; // all three extents are multiplied into one dimension
  std::copy_n(grid->extents, 3, plan.grid);
  for (auto [index, value] : llvm::enumerate(op.getInputs())) {
    LaunchArgument &argument = plan.arguments.emplace_back();
    if (isa<tile::ViewType>(value.getType())) {
      auto view = views.find(value);
      if (view == views.end())
        return Status::error(owner + ": argument " + std::to_string(index) +
                             " is a view that is neither an argument of the program nor a workspace");
      argument.view = view->second;
      continue;
    }
    Result<Number> number = formulas.evaluate(value, owner + ", argument " + std::to_string(index));
    if (!number)
      return number.status();
    argument.number = *number;
    if (!number->isFloat && number->integer != std::int32_t(number->integer))
      return Status::error(owner + ": argument " + std::to_string(index) + " is " + std::to_string(number->integer) +
                           ", expected a value that fits i32");
  }
  return plan;
}

void ProgramRun::poisonUnwritten() {
  for (auto &[name, memory, tensor] : outputs) {
    const std::size_t bytes = support::byte_size(memory->dtype);
    for (std::int64_t n = 0; n < tensor->count(); ++n) {
      const std::int64_t element = tensor->at_linear(n);
      if (memory->writers[element].load(std::memory_order_relaxed) == 0) {
        std::memset(memory->data + element * bytes, 0xff, bytes);
        ++arguments.unwritten[name];
      }
    }
  }
}

/// A workspace that is zeroed once has zeros for the next run as well.
Status ProgramRun::checkZeroed() {
  for (auto op : program.getBody().front().getOps<tile::WorkspaceOp>()) {
    if (op.getInit() != tile::WorkspaceInit::ZeroOnce)
      continue;
    const Memory &memory = *views.find(op.getView())->second.memory;
    const std::byte *begin = memory.data, *end = begin + memory.span * std::int64_t(support::byte_size(memory.dtype));
    const std::byte *found = std::find_if(begin, end, [](std::byte b) { return b != std::byte(0); });
    if (found != end)
      return Status::error(memory.name + " is not zero after the run, at element " +
                           std::to_string((found - begin) / std::int64_t(support::byte_size(memory.dtype))) +
                           "; it is zero_once, expected zeros for the next run");
  }
  return {};
}

Status ProgramRun::launchAll(const InterpreterOptions &options) {
  for (auto workspace : program.getBody().front().getOps<tile::WorkspaceOp>())
    if (Status status = makeWorkspace(workspace); !status)
      return status;
  std::vector<LaunchPlan> plans;
  std::int64_t total = 0;
  for (auto launch : program.getBody().front().getOps<tile::LaunchOp>()) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<tile::KernelOp>(launch, launch.getKernelAttr());
    Result<LaunchPlan> next = plan(launch);
    if (!next)
      return next.status();
    Result<KernelCode> code = translateKernel(kernel);
    if (!code)
      return Status::error("kernel '" + launch.getKernel().str() + "': " + code.message());
    next->code = std::move(*code);
    total += next->instances;
    plans.push_back(std::move(*next));
  }
  if (total >= std::int64_t(UINT_MAX))
    return Status::error("program '" + program.getSymName().str() + "' has " + std::to_string(total) +
                         " instances, expected fewer than 2^32 in the interpreter");
  LaunchProgress progress{options, total};
  for (const LaunchPlan &next : plans)
    if (Status status = runLaunch(next, progress); !status)
      return status;
  poisonUnwritten();
  return checkZeroed();
}

Result<tile::ProgramOp> findProgram(ModuleOp module) {
  tile::ProgramOp found;
  for (auto program : module.getOps<tile::ProgramOp>()) {
    if (found)
      return Status::error("the module has programs '" + found.getSymName().str() + "' and '" + program.getSymName().str() +
                           "', expected one");
    found = program;
  }
  if (!found)
    return Status::error("the module has no tile.program, expected one");
  return found;
}

} // namespace

Status prepareArguments(ModuleOp module, ProgramArguments &arguments) {
  Result<tile::ProgramOp> program = findProgram(module);
  if (!program)
    return program.status();
  return ProgramRun(*program, arguments).prepare();
}

Status interpret(ModuleOp module, ProgramArguments &arguments, const InterpreterOptions &options) {
  Result<tile::ProgramOp> program = findProgram(module);
  if (!program)
    return program.status();
  return interpret(*program, arguments, options);
}

Status interpret(tile::ProgramOp program, ProgramArguments &arguments, const InterpreterOptions &options) {
  ProgramRun run(program, arguments);
  if (Status status = run.prepare(); !status)
    return status;
  return run.launchAll(options);
}

} // namespace tilefold
