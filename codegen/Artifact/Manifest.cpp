// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Artifact/Manifest.h"
#include "codegen/Artifact/Formula.h"
#include "codegen/Artifact/Numerics.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace tilefold;
using llvm::json::Array;
using llvm::json::Object;

using Json = llvm::json::Value;

static constexpr StringLiteral kVersion = "0.1.0";

static FailureOr<Array> formulas(ValueRange values) {
  Array result;
  for (Value value : values) {
    FailureOr<Json> one = toFormula(value);
    if (failed(one))
      return failure();
    result.push_back(std::move(*one));
  }
  return result;
}

static FailureOr<Json> defaultValue(tile::ProgramOp program, unsigned index, Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value); number && number.getValue().isFinite())
    return Json(number.getValueAsDouble());
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return Json(integer.getInt());
  return program.emitOpError("has a default for '")
         << program.getArgumentName(index) << "' that is " << value << ", expected a finite number";
}

static FailureOr<Array> arguments(tile::ProgramOp program) {
  llvm::DenseMap<Value, tile::ShapeOp> shapes;
  program.walk([&](tile::ShapeOp op) { shapes[op.getView()] = op; });
  Array result;
  for (BlockArgument argument : program.getBody().getArguments()) {
    unsigned index = argument.getArgNumber();
    Object one{{"name", program.getArgumentName(index)}};
    if (auto view = dyn_cast<tile::ViewType>(argument.getType())) {
      one["kind"] = "tensor";
      one["role"] = program.getArgumentRole(index);
      one["dtype"] = getTypeName(view.getElementType());
      one["rank"] = view.getRank();
      if (tile::ShapeOp shape = shapes.lookup(argument)) {
        FailureOr<Array> extents = formulas(shape.getExtents());
        if (failed(extents))
          return failure();
        one["shape"] = std::move(*extents);
      }
    } else {
      one["kind"] = "scalar";
      one["dtype"] = getTypeName(argument.getType());
      if (Attribute value = program.getArgAttr(index, tile::kDefaultAttr)) {
        FailureOr<Json> number = defaultValue(program, index, value);
        if (failed(number))
          return failure();
        one["default"] = std::move(*number);
      }
    }
    result.push_back(std::move(one));
  }
  return result;
}

static FailureOr<Array> requirements(tile::ProgramOp program) {
  Array result;
  for (auto op : program.getBody().getOps<tile::RequireOp>()) {
    FailureOr<Json> condition = toFormula(op.getCondition());
    FailureOr<Array> values = formulas(op.getValues());
    if (failed(condition) || failed(values))
      return failure();
    result.push_back(Object{{"condition", std::move(*condition)},
                            {"argument", op.getArgument()},
                            {"expected", op.getExpected()},
                            {"values", std::move(*values)}});
  }
  return result;
}

static FailureOr<Array> workspaces(tile::ProgramOp program) {
  Array result;
  for (auto op : program.getBody().getOps<tile::WorkspaceOp>()) {
    FailureOr<Array> shape = formulas(op.getExtents());
    if (failed(shape))
      return failure();
    result.push_back(Object{{"name", op.getName()},
                            {"dtype", getTypeName(cast<tile::ViewType>(op.getView().getType()).getElementType())},
                            {"shape", std::move(*shape)},
                            {"init", tile::stringifyWorkspaceInit(op.getInit())}});
  }
  return result;
}

/// Appends the kernel parameters of one launch operand.
static LogicalResult appendParameters(Array &parameters, Value operand) {
  if (auto view = dyn_cast<tile::ViewType>(operand.getType())) {
    FailureOr<StringRef> name = getViewName(operand);
    if (failed(name))
      return failure();
    parameters.push_back(Object{{"pointer", *name}});
    for (int64_t dim = 0; dim < view.getRank(); ++dim)
      parameters.push_back(formula("size", {*name, dim}));
    for (int64_t dim = 0; dim < view.getRank(); ++dim)
      parameters.push_back(formula("stride", {*name, dim}));
    return success();
  }
  if (isa<BlockArgument>(operand)) {
    FailureOr<Json> scalar = toFormula(operand);
    parameters.push_back(std::move(*scalar));
    return success();
  }
  if (!operand.getType().isInteger(64) && !operand.getType().isInteger(32))
    return emitError(operand.getLoc()) << "a launch can pass " << operand.getType()
                                       << " only as the program's own scalar argument, got a computed value";
  FailureOr<Json> value = toFormula(operand);
  if (failed(value))
    return failure();
  parameters.push_back(Object{{"value", std::move(*value)}, {"type", "i32"}});
  return success();
}

static FailureOr<Json> launch(tile::LaunchOp op, const KernelCode &code) {
  FailureOr<Array> grid = formulas({op.getX(), op.getY(), op.getZ()});
  if (failed(grid))
    return failure();
  Array parameters;
  for (const Json &extent : *grid)
    parameters.push_back(Object{{"value", extent}, {"type", "i32"}});
  for (Value operand : op.getInputs())
    if (failed(appendParameters(parameters, operand)))
      return failure();
  return Json(Object{{"kernel", op.getKernel()},
                     {"entry", code.entry},
                     {"grid", std::move(*grid)},
                     {"block", code.block},
                     {"cluster", 1},
                     {"shared", code.sharedBytes},
                     {"parameters", std::move(parameters)}});
}

static FailureOr<Array> launches(tile::ProgramOp program, const AlternativeCode &alternative) {
  Array result;
  for (auto op : program.getBody().getOps<tile::LaunchOp>()) {
    auto code = alternative.kernels.find(op.getKernel());
    if (code == alternative.kernels.end())
      return op.emitOpError("launches '") << op.getKernel() << "', for which alternative '" << alternative.name << "' has no code";
    FailureOr<Json> one = launch(op, code->second);
    if (failed(one))
      return failure();
    result.push_back(std::move(*one));
  }
  return result;
}

FailureOr<Object> tilefold::buildManifest(tile::ProgramOp program, ArrayRef<AlternativeCode> alternatives,
                                          const ManifestInfo &info) {
  FailureOr<Array> args = arguments(program), checks = requirements(program), spaces = workspaces(program);
  if (failed(args) || failed(checks) || failed(spaces))
    return failure();
  Array ways;
  for (const AlternativeCode &alternative : alternatives) {
    FailureOr<Array> sent = launches(program, alternative);
    if (failed(sent))
      return failure();
    ways.push_back(Object{{"name", alternative.name}, {"guards", Array(alternative.guards)}, {"launches", std::move(*sent)}});
  }
  return Object{{"format", 1},
                {"producer", Object{{"tilefold", kVersion}, {"llvm", LLVM_VERSION_STRING}}},
                {"program", program.getSymName()},
                {"options", Object(info.options)},
                {"arguments", std::move(*args)},
                {"requirements", std::move(*checks)},
                {"workspaces", std::move(*spaces)},
                {"alternatives", std::move(ways)},
                {"modules", Array{Object{{"target", info.target}, {"ptx", info.ptx}, {"cubins", Array{}}}}},
                {"numerics", describeNumerics(info.ptx)}};
}
