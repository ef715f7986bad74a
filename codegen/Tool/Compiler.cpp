// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/Compiler.h"
#include "codegen/Pipeline/Compile.h"
#include "codegen/Simulator/Jit.h"
#include "codegen/Target/Parallel.h"
#include "codegen/Target/Ptxas.h"
#include "codegen/Tool/CountWork.h"
#include "dsl/trace_mlir.h"
#include "lib/Interpreter/Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "support/progress.h"
#include "llvm/Support/SourceMgr.h"
#include <cctype>

using namespace mlir;
using tilefold::support::DType;
using tilefold::support::Result;
using tilefold::support::Status;

namespace tilefold::cli {

namespace {
/// Diagnostics of one action, as text.
class Diagnostics {
public:
  Diagnostics(MLIRContext &context, llvm::SourceMgr &sources) : stream(text), handler(sources, &context, stream) {}
  /// The errors; warnings of an action that went well go to standard error.
  Status error(const std::string &fallback) {
    while (!text.empty() && text.back() == '\n')
      text.pop_back();
    return Status::error(text.empty() ? fallback : text);
  }
  void flush() { llvm::errs() << text; }

private:
  std::string text;
  llvm::raw_string_ostream stream;
  SourceMgrDiagnosticHandler handler;
};

DType dtypeOf(Type type) {
  return type.isF16()         ? DType::f16
         : type.isBF16()      ? DType::bf16
         : type.isF32()       ? DType::f32
         : type.isInteger(32) ? DType::i32
                              : DType::i1;
}
} // namespace

std::string identifier(std::string name) {
  for (char &c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)))
      c = '_';
  return name;
}

struct Module::Impl {
  InlineThreadPool threads; // outlives the context
  MLIRContext context;
  llvm::SourceMgr sources; // diagnostics show the line of the file that they speak of
  OwningOpRef<ModuleOp> module;
  std::vector<Argument> arguments;
  Stage stage = Stage::Tile;

  static std::unique_ptr<Impl> create() {
    DialectRegistry registry;
    registerCompilerDialects(registry);
    sim::registerHostTranslation(registry);
    return std::make_unique<Impl>(registry);
  }
  explicit Impl(const DialectRegistry &registry) : context(registry, MLIRContext::Threading::DISABLED) {
    context.setThreadPool(threads);
    context.printOpOnDiagnostic(false); // an operation of a whole kernel is megabytes; its location says enough
    context.loadAllAvailableDialects();
  }

  void readArguments();
};

void Module::Impl::readArguments() {
  for (auto program : module->getOps<tile::ProgramOp>())
    for (unsigned i = 0; i < program.getNumArguments(); ++i) {
      Argument argument;
      argument.name = program.getArgumentName(i).str();
      argument.role = program.getArgumentRole(i).str();
      Type type = program.getArgumentTypes()[i];
      if (auto view = dyn_cast<tile::ViewType>(type)) {
        argument.dtype = dtypeOf(view.getElementType());
        argument.rank = int(view.getRank());
      } else {
        argument.dtype = dtypeOf(type);
        Attribute value = program.getArgAttr(i, tile::kDefaultAttr);
        if (auto number = dyn_cast_or_null<FloatAttr>(value))
          argument.fallback = number.getValueAsDouble();
        else if (auto number = dyn_cast_or_null<IntegerAttr>(value))
          argument.fallback = double(number.getInt());
      }
      arguments.push_back(std::move(argument));
    }
}

Module::Module(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Module::Module(Module &&) noexcept = default;
Module &Module::operator=(Module &&) noexcept = default;
Module::~Module() = default;

Result<Module> Module::trace(const AnyKernel &kernel, const std::string &name) {
  if (!kernel)
    return Status::error("kernel '" + name + "' is an empty function, expected one that takes a Program &");
  auto impl = Impl::create();
  Diagnostics diagnostics(impl->context, impl->sources);
  impl->module = trace_into(impl->context, identifier(name), kernel);
  if (!impl->module)
    return diagnostics.error("tracing '" + name + "' failed");
  impl->readArguments();
  return Module(std::move(impl));
}

Result<Module> Module::parse(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return Status::error("'" + path + "' cannot be read: " + buffer.getError().message());
  auto impl = Impl::create();
  impl->sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  Diagnostics diagnostics(impl->context, impl->sources);
  impl->module = parseSourceFile<ModuleOp>(impl->sources, &impl->context);
  if (!impl->module)
    return diagnostics.error("'" + path + "' is no module of IR");
  FailureOr<Stage> stage = getStage(*impl->module);
  if (failed(stage))
    return diagnostics.error("'" + path + "' is of no known stage");
  impl->stage = *stage;
  impl->readArguments();
  return Module(std::move(impl));
}

const std::vector<Argument> &Module::arguments() const { return impl->arguments; }

const Argument *Module::find(const std::string &name) const {
  for (const Argument &argument : impl->arguments)
    if (argument.name == name)
      return &argument;
  return nullptr;
}

std::string Module::stage() const { return stageName(impl->stage).str(); }

bool Module::hasProgram() const { return !impl->module->getOps<tile::ProgramOp>().empty(); }

std::vector<std::string> Module::passes(const std::string &emit) const {
  return passNames(impl->stage, parseStage(emit).value_or(Stage::Ptx)); // a cubin is made from PTX
}

std::optional<int> Module::headDim() const {
  std::optional<int> found;
  auto isHeadDim = [](Value value) {
    auto size = value.getDefiningOp<tile::SizeOp>();
    return size && size.getDim() == 3;
  };
  for (auto program : impl->module->getOps<tile::ProgramOp>())
    for (auto require : program.getBody().front().getOps<tile::RequireOp>()) {
      if (require.getArgument() != "q")
        continue;
      // `size == constant`, or that or no work.
      Value condition = require.getCondition();
      while (auto either = condition.getDefiningOp<arith::OrIOp>())
        condition = either.getLhs();
      auto compare = condition.getDefiningOp<arith::CmpIOp>();
      llvm::APInt number;
      if (compare && compare.getPredicate() == arith::CmpIPredicate::eq && isHeadDim(compare.getLhs()) &&
          matchPattern(compare.getRhs(), m_ConstantInt(&number)) && number.isSignedIntN(31))
        found = int(number.getSExtValue());
    }
  return found;
}

Status Module::prepare(Tensors &tensors, const Scalars &scalars) const {
  ProgramArguments arguments{std::move(tensors), scalars};
  Status status = prepareArguments(*impl->module, arguments);
  tensors = std::move(arguments.tensors);
  return status;
}

Result<std::map<std::string, std::int64_t>> Module::interpret(Tensors &tensors, const Scalars &scalars, unsigned threads) const {
  ProgramArguments arguments{std::move(tensors), scalars};
  InterpreterOptions options;
  options.threads = threads;
  std::optional<support::Progress> progress;
  std::int64_t before = 0;
  options.progress = [&](std::int64_t done, std::int64_t total) {
    if (!progress)
      progress.emplace("interpreting", total);
    progress->advance(done - before);
    before = done;
  };
  Status status = tilefold::interpret(*impl->module, arguments, options);
  tensors = std::move(arguments.tensors);
  if (!status)
    return status;
  return std::move(arguments.unwritten);
}

static CompileOptions optionsOf(const Request &request, Stage stop) {
  CompileOptions options;
  options.stop = stop;
  options.target.chip = request.target;
  options.print.after = request.printAfter;
  options.cubinArchs = request.cubins;
  options.schedule = {request.warps, request.stages};
  if (request.taken.headDim)
    options.options["head_dim"] = int(request.config.head_dim);
  if (request.taken.dtype)
    options.options["dtype"] = llvm::StringRef(support::name(request.config.dtype));
  if (request.taken.causal)
    options.options["causal"] = bool(request.config.causal);
  return options;
}

Result<std::string> Module::compile(const Request &request) const {
  const bool cubin = request.emit == "cubin";
  const CompileOptions options = optionsOf(request, cubin ? Stage::Ptx : *parseStage(request.emit)); // the command line has checked it
  Diagnostics diagnostics(impl->context, impl->sources);
  FailureOr<CompileResult> result = tilefold::compile(*impl->module, options);
  if (failed(result))
    return diagnostics.error("compilation failed without a reason given");
  diagnostics.flush();
  if (cubin) {
    llvm::Expected<Ptxas> ptxas = findPtxas();
    if (!ptxas)
      return Status::error("--emit=cubin: " + llvm::toString(ptxas.takeError()));
    llvm::Expected<Assembly> assembly = assemble(*ptxas, result->text, request.target);
    if (!assembly)
      return Status::error(llvm::toString(assembly.takeError()));
    return std::string(assembly->cubin.begin(), assembly->cubin.end());
  }
  if (options.stop == Stage::Artifact)
    return std::string(result->artifact.begin(), result->artifact.end());
  return std::move(result->text);
}

struct HostKernels::Impl {
  Module::Impl &owner;
  OwningOpRef<ModuleOp> base;
  std::map<std::string, sim::Program> programs;
};
HostKernels::HostKernels(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
HostKernels::HostKernels(HostKernels &&) noexcept = default;
HostKernels::~HostKernels() = default;

static gpu::GPUModuleOp gpuModuleOf(ModuleOp base) { return *base.getOps<gpu::GPUModuleOp>().begin(); }

/// A copy of a base module with one of its kernels.
static OwningOpRef<ModuleOp> takeKernel(ModuleOp base, StringRef entry) {
  OwningOpRef<ModuleOp> copy = base.clone();
  for (auto function : llvm::make_early_inc_range(gpuModuleOf(*copy).getOps<gpu::GPUFuncOp>()))
    if (function.getName() != entry)
      function.erase();
  return copy;
}

Result<const sim::KernelCode *> HostKernels::find(const std::string &entry) {
  auto found = impl->programs.find(entry);
  if (found == impl->programs.end()) {
    OwningOpRef<ModuleOp> kernel = takeKernel(*impl->base, entry);
    Diagnostics diagnostics(impl->owner.context, impl->owner.sources);
    FailureOr<sim::Program> program = sim::compileForHost(gpuModuleOf(*kernel));
    if (failed(program))
      return diagnostics.error("kernel '" + entry + "' could not be made for the simulator, without a reason given");
    found = impl->programs.emplace(entry, std::move(*program)).first;
  }
  if (const sim::KernelCode *code = found->second.find(entry))
    return code;
  return Status::error("the base module has no kernel '" + entry + "'");
}

std::string HostKernels::base() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  impl->base->print(stream, OpPrintingFlags().enableDebugInfo());
  return text;
}

Result<Simulatable> Module::compileForSimulator(const Request &request) const {
  CompileOptions options = optionsOf(request, Stage::Artifact);
  options.forSimulator = true;
  Diagnostics diagnostics(impl->context, impl->sources);
  FailureOr<CompileResult> result = tilefold::compile(*impl->module, options);
  if (failed(result))
    return diagnostics.error("compilation failed without a reason given");
  diagnostics.flush();
  auto kernels = std::make_unique<HostKernels::Impl>(HostKernels::Impl{*impl, std::move(result->base), {}});
  return Simulatable{std::string(result->artifact.begin(), result->artifact.end()), HostKernels(std::move(kernels))};
}

Result<std::map<std::string, KernelShape>> Module::kernelShapes(const std::string &target) const {
  CompileOptions options;
  options.target.chip = target;
  options.stop = Stage::Base;
  Diagnostics diagnostics(impl->context, impl->sources);
  FailureOr<CompileResult> result = tilefold::compile(*impl->module, options);
  if (failed(result))
    return diagnostics.error("compilation failed without a reason given");
  std::map<std::string, KernelShape> shapes;
  for (auto &entry : result->alternatives.front().kernels) // the best one
    shapes[entry.first().str()] = {entry.second.block, entry.second.sharedBytes};
  return shapes;
}

Result<ProgramWork> Module::countWork(const std::map<std::string, support::Shape> &shapes, const Scalars &scalars) const {
  for (auto program : impl->module->getOps<tile::ProgramOp>())
    return cli::countWork(program, shapes, scalars);
  return Status::error("the module has no tile.program");
}

} // namespace tilefold::cli

namespace tilefold {

Result<std::vector<std::uint8_t>> compile(const AnyKernel &kernel, std::string_view target, std::string_view name) {
  Result<cli::Module> module = cli::Module::trace(kernel, std::string(name));
  if (!module)
    return module.status();
  cli::Request request;
  request.target = target;
  Result<std::string> bytes = module->compile(request);
  if (!bytes)
    return bytes.status();
  return std::vector<std::uint8_t>(bytes->begin(), bytes->end());
}

} // namespace tilefold
