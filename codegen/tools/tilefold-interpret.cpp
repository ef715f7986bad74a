// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the programs and kernels of an .mlir file on the interpreter, for tests. Each kernel that no program launches and that
// takes no arguments runs on its own (`check.grid = [x, y, z]` says over how many instances); its check operations decide.
// Arguments of programs say what they hold and what they must hold afterwards:
//
//   check.value = dense<...>        an input's or inout's elements, or a scalar
//   check.strides = [8, 2]          its strides in elements; absent: dense
//   check.expected = dense<...>     what an output or inout must hold; compared as check.expect_almost_eq does
//
// One line for each: "ok @name" or "error @name: sentence". Exit status 1 if there is an error, 2 if the file or the command line is
// at fault.
#include "codegen/tools/OptionNames.h"
#include "lib/Interpreter/Check/CheckOps.h"
#include "lib/Interpreter/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace mlir;
using namespace tilefold;
using support::DType;
using support::HostTensor;
using support::Shape;
using support::Status;

static llvm::cl::opt<std::string> inputFile(llvm::cl::Positional, llvm::cl::desc("<file.mlir>"), llvm::cl::init("-"));
[[maybe_unused]] static const bool isNameTaken = tilefold::takeOptionName("threads");
static llvm::cl::opt<unsigned> threads("threads", llvm::cl::desc("a count of threads of this computer (0: all)"), llvm::cl::init(0));
static llvm::cl::opt<unsigned> seed("seed", llvm::cl::desc("a number, for the order of instances (default: as they are numbered)"));

static double numberOf(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValueAsDouble();
  auto number = cast<IntegerAttr>(value);
  return number.getType().isInteger(1) ? double(!number.getValue().isZero()) : double(number.getInt());
}

static DType dtypeOf(Type type) {
  return type.isF16() ? DType::f16 : type.isBF16() ? DType::bf16 : type.isF32() ? DType::f32 : type.isInteger(32) ? DType::i32 : DType::i1;
}

static Status setTensor(DenseElementsAttr value, ArrayAttr strides, HostTensor &result) {
  Shape shape(value.getType().getShape()), steps;
  if (strides)
    for (Attribute stride : strides)
      steps.push_back(cast<IntegerAttr>(stride).getInt());
  support::Result<HostTensor> tensor = HostTensor::create(dtypeOf(value.getElementType()), shape, steps);
  if (!tensor)
    return tensor.status();
  result = std::move(*tensor);
  result.poison();
  std::int64_t n = 0;
  for (Attribute element : value.getValues<Attribute>())
    result.set(result.at_linear(n++), numberOf(element));
  return {};
}

/// A NaN's sign says nothing.
static std::string textOf(double number) { return std::isnan(number) ? "nan" : std::to_string(number); }

static Status compare(const std::string &name, const HostTensor &actual, DenseElementsAttr expected) {
  Shape shape(expected.getType().getShape());
  if (actual.shape() != shape)
    return Status::error("'" + name + "' has shape " + support::to_string(actual.shape()) + ", expected " + support::to_string(shape));
  std::int64_t n = 0;
  for (Attribute element : expected.getValues<Attribute>()) {
    const double e = numberOf(element), a = actual.get(actual.at_linear(n++));
    const bool same = a == e || (a != a && e != e) || std::fabs(a - e) <= 1e-6 * std::max(1.0, std::fabs(e));
    if (!same)
      return Status::error("'" + name + "' holds " + textOf(a) + " at element " + std::to_string(n - 1) + ", expected " +
                           textOf(e));
  }
  return {};
}

static Status runProgram(tile::ProgramOp program, const InterpreterOptions &options) {
  ProgramArguments arguments;
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    Attribute value = program.getArgAttr(i, "check.value");
    if (!value)
      continue;
    const std::string name = program.getArgumentName(i).str();
    if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
      if (Status status = setTensor(dense, program.getArgAttrOfType<ArrayAttr>(i, "check.strides"), arguments.tensors[name]); !status)
        return status;
    } else {
      arguments.scalars[name] = numberOf(value);
    }
  }
  if (Status status = interpret(program, arguments, options); !status)
    return status;
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    if (auto expected = program.getArgAttrOfType<DenseElementsAttr>(i, "check.expected")) {
      const std::string name = program.getArgumentName(i).str();
      if (Status status = compare(name, arguments.tensors[name], expected); !status)
        return status;
    }
  return {};
}

/// A program that launches `kernel` once over its grid.
static tile::ProgramOp programFor(tile::KernelOp kernel) {
  OpBuilder builder(kernel);
  auto program = tile::ProgramOp::create(builder, kernel.getLoc(), "check_" + kernel.getSymName().str(), TypeRange{});
  builder.setInsertionPointToEnd(&program.getBody().front());
  SmallVector<Value> grid;
  auto extents = kernel->getAttrOfType<ArrayAttr>("check.grid");
  for (unsigned d = 0; d < 3; ++d) {
    const std::int64_t extent = extents && d < extents.size() ? cast<IntegerAttr>(extents[d]).getInt() : 1;
    grid.push_back(arith::ConstantIntOp::create(builder, kernel.getLoc(), extent, 64));
  }
  tile::LaunchOp::create(builder, kernel.getLoc(), kernel.getSymName(), grid[0], grid[1], grid[2], ValueRange{});
  tile::ReturnOp::create(builder, kernel.getLoc());
  return program;
}

int main(int argc, char **argv) {
  parseOptions(argc, argv, "Runs tile programs and kernels with their checks\n");
  DialectRegistry registry;
  registry.insert<tile::TileDialect, check::CheckDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(inputFile, &context);
  if (!module)
    return 2;

  InterpreterOptions options;
  options.threads = threads;
  if (seed.getNumOccurrences())
    options.shuffle = seed;
  bool ok = true;
  auto report = [&](StringRef name, const Status &status) {
    ok &= status.ok();
    if (status)
      llvm::outs() << "ok @" << name << "\n";
    else
      llvm::outs() << "error @" << name << ": " << status.message() << "\n";
  };
  llvm::StringSet<> launched;
  for (auto program : llvm::to_vector(module->getOps<tile::ProgramOp>())) {
    for (auto launch : program.getBody().front().getOps<tile::LaunchOp>())
      launched.insert(launch.getKernel());
    report(program.getSymName(), runProgram(program, options));
  }
  for (auto kernel : llvm::to_vector(module->getOps<tile::KernelOp>()))
    if (!launched.contains(kernel.getSymName()) && kernel.getNumArguments() == 0) {
      ProgramArguments none;
      report(kernel.getSymName(), interpret(programFor(kernel), none, options));
    }
  return ok ? 0 : 1;
}
