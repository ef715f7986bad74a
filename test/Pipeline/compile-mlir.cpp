// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Pipeline/Compile.h"
#include "codegen/tools/OptionNames.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
namespace cl = llvm::cl;

static cl::OptionCategory category("compile-mlir");
static cl::opt<std::string> input(cl::Positional, cl::desc("FILE.mlir"), cl::init("-"), cl::cat(category));
static cl::opt<std::string> output("o", cl::desc("output file"), cl::init("-"), cl::cat(category));
static cl::opt<std::string> emit("emit", cl::desc("tile, layout, schedule, base, ptx, manifest or artifact"), cl::init("ptx"),
                                 cl::cat(category));
static cl::opt<std::string> target("target", cl::desc("chip"), cl::init("sm_80"), cl::cat(category));
static cl::list<std::string> cubins("cubin", cl::desc("add a cubin for this chip"), cl::cat(category));
static cl::list<std::string> printAfter("print-ir-after", cl::desc("pass, or all"), cl::cat(category));
static cl::opt<int64_t> warps("warps", cl::init(0), cl::cat(category));
static cl::opt<int64_t> stages("stages", cl::init(0), cl::cat(category));
static cl::opt<bool> times("times", cl::desc("print milliseconds of each phase to standard error"), cl::cat(category));

static int fail(const llvm::Twine &message) {
  llvm::errs() << "compile-mlir: " << message << "\n";
  return 2;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  tilefold::parseOptions(argc, argv, "runs the pipeline on a textual program\n");
  tilefold::CompileOptions options;
  bool manifest = emit == "manifest";
  auto stage = tilefold::parseStage(manifest ? "artifact" : StringRef(emit));
  if (!stage)
    return fail("--emit: expected tile, layout, schedule, base, ptx, manifest or artifact, got '" + emit + "'");
  options.stop = *stage;
  options.target.chip = target;
  options.schedule = {warps, stages};
  options.print.after.assign(printAfter.begin(), printAfter.end());
  options.cubinArchs.assign(cubins.begin(), cubins.end());

  std::string error;
  auto file = openInputFile(input, &error);
  if (!file)
    return fail(error);
  DialectRegistry registry;
  tilefold::registerCompilerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  auto sources = std::make_shared<llvm::SourceMgr>();
  sources->AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(*sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 1;
  auto result = tilefold::compile(*module, options);
  if (failed(result))
    return 1;
  if (times)
    llvm::errs() << llvm::format("passes %.1f lowering %.1f translation %.1f optimization %.1f selection %.1f\n",
                                 result->passes * 1e3, result->times.lowering * 1e3, result->times.translation * 1e3,
                                 result->times.optimization * 1e3, result->times.selection * 1e3);
  auto out = openOutputFile(output, &error);
  if (!out)
    return fail(error);
  if (options.stop == tilefold::Stage::Artifact && !manifest)
    out->os().write(reinterpret_cast<const char *>(result->artifact.data()), result->artifact.size());
  else if (manifest) // the PTX inside would hide everything else
    out->os() << llvm::formatv("{0:2}", [&] {
      llvm::json::Value value = cantFail(llvm::json::parse(result->text));
      for (llvm::json::Value &one : *value.getAsObject()->getArray("modules"))
        one.getAsObject()->erase("ptx");
      return value;
    }()) << "\n";
  else
    out->os() << result->text;
  out->keep();
  return 0;
}
