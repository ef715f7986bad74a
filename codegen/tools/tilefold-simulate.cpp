// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernels of the base level on the simulator, for tests: `tilefold-simulate FILE.mlir` runs the cases of the file
// (codegen/Simulator/Case.h says how they are written), prints what the kernels wrote, then what was found. Exit status: 0;
// 1 if something differs from a recording or the compiler fails; 2 if the command line, a file or a case is at fault; 3 if something
// was found.
#include "codegen/Simulator/Jit.h"
#include "codegen/Simulator/RunCase.h"
#include "codegen/tools/OptionNames.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilefold::sim;
namespace cl = llvm::cl;

static cl::OptionCategory category("simulation");
static cl::opt<std::string> inputFile(cl::Positional, cl::desc("<file.mlir>"), cl::init("-"), cl::cat(category));
static cl::opt<std::string> caseFile("case", cl::desc("take the cases from this JSON file"), cl::cat(category));
static cl::opt<std::string> only("only", cl::desc("run the case of this name alone"), cl::cat(category));
static cl::opt<std::string> recorded("recorded", cl::desc("compare with this recording, instead of printing outputs"),
                                     cl::cat(category));
static cl::opt<std::string> outDirectory("out-dir", cl::desc("where outputs with a \"file\" are written"), cl::init("."),
                                         cl::cat(category));
static cl::opt<uint64_t> seed("seed", cl::desc("a number, for the order of events"), cl::init(0), cl::cat(category));
static cl::opt<unsigned> seeds("seeds", cl::desc("a count: run each case with so many seeds, from --seed on"), cl::init(1),
                               cl::cat(category));
static cl::opt<Completion> completion("completion", cl::desc("late or random: when asynchronous work completes"), cl::init(Completion::Late),
                                      cl::values(clEnumValN(Completion::Late, "late", "as late as may be"),
                                                 clEnumValN(Completion::Random, "random", "at a seeded point")),
                                      cl::cat(category));
[[maybe_unused]] static const bool isNameTaken = tilefold::takeOptionName("threads");
static cl::opt<unsigned> hostThreads("threads", cl::desc("a count of threads of this computer (0: all)"), cl::init(0),
                                     cl::cat(category));
namespace {
enum class ReportForm { Text, Json };
}
static cl::opt<ReportForm> reportForm("report", cl::desc("text or json: how what was found is printed"), cl::init(ReportForm::Text),
                                      cl::values(clEnumValN(ReportForm::Text, "text", "after the outputs, if there is anything"),
                                                 clEnumValN(ReportForm::Json, "json", "alone, with counts")),
                                      cl::cat(category));
static cl::opt<bool> statistics("statistics", cl::desc("print counts of instructions and bytes"), cl::cat(category));
static cl::opt<bool> phaseTimes("phase-times",
                                cl::desc("print milliseconds of compilation and the largest frame to standard error"),
                                cl::cat(category));

static int fail(const Twine &text) {
  llvm::errs() << "tilefold-simulate: " << text << "\n";
  return 2;
}

/// The outputs of one case, by array, from a recording. Empty with a reason.
static llvm::Expected<std::map<std::string, std::vector<uint8_t>>> readRecorded(const llvm::json::Object &recording,
                                                                                StringRef name) {
  const llvm::json::Object *cases = recording.getObject("cases"), *one = cases ? cases->getObject(name) : nullptr;
  const llvm::json::Object *outputs = one ? one->getObject("outputs") : nullptr;
  if (!outputs)
    return llvm::createStringError("the recording has no case of this name");
  std::map<std::string, std::vector<uint8_t>> result;
  for (const auto &[array, value] : *outputs) {
    std::vector<char> bytes;
    std::optional<StringRef> text = value.getAsString();
    if (!text || llvm::errorToBool(llvm::decodeBase64(*text, bytes)))
      return llvm::createStringError(("the recording's '" + StringRef(array) + "' is no base64").str());
    result[array.str()].assign(bytes.begin(), bytes.end());
  }
  return result;
}

/// One sentence for each output that differs.
static std::vector<std::string> compare(const Case &one, const llvm::json::Object &recording) {
  auto outputs = readRecorded(recording, one.name);
  if (!outputs)
    return {llvm::toString(outputs.takeError())};
  std::vector<std::string> wrong;
  for (const CaseArgument &argument : one.arguments) {
    if (!argument.isOutput())
      continue;
    auto found = outputs->find(argument.name);
    std::string text =
        found == outputs->end() ? "'" + argument.name + "' is not in the recording" : compareArray(argument, found->second);
    if (!text.empty())
      wrong.push_back(text);
  }
  return wrong;
}

static llvm::Error writeFiles(const Case &one) {
  for (const CaseArgument &argument : one.arguments) {
    if (argument.file.empty() || !argument.isOutput())
      continue;
    SmallString<128> path(outDirectory);
    llvm::sys::path::append(path, argument.file);
    std::error_code code;
    llvm::raw_fd_ostream stream(path, code);
    if (code)
      return llvm::createStringError((Twine("'") + path + "' cannot be written: " + code.message()).str());
    stream.write(reinterpret_cast<const char *>(argument.bytes.data()), argument.bytes.size());
  }
  return llvm::Error::success();
}

static const KernelSignature *findSignature(ArrayRef<KernelSignature> signatures, StringRef kernel) {
  if (kernel.empty() && signatures.size() == 1)
    return &signatures.front();
  for (const KernelSignature &signature : signatures)
    if (signature.name == kernel)
      return &signature;
  return nullptr;
}

static void printStatistics(const Statistics &counts) {
  for (const auto &[operation, count] : counts.instructions)
    llvm::outs() << "count " << operation << " " << count << "\n";
  llvm::outs() << "global read " << counts.globalBytesRead << " written " << counts.globalBytesWritten << "\n"
               << "shared read " << counts.sharedBytesRead << " written " << counts.sharedBytesWritten << " accesses "
               << counts.sharedAccesses << " conflicts " << counts.bankConflicts << "\n";
}

static llvm::Expected<std::string> readFile(StringRef option, StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError((option + ": '" + path + "' cannot be read: " + buffer.getError().message()).str());
  return (*buffer)->getBuffer().str();
}

static llvm::Expected<std::vector<Case>> readCases(StringRef module) {
  std::string text = caseLines(module);
  if (!caseFile.empty()) {
    llvm::Expected<std::string> file = readFile("--case", caseFile);
    if (!file)
      return file.takeError();
    text = std::move(*file);
  }
  llvm::Expected<std::vector<Case>> cases =
      parseCases(text, llvm::sys::path::parent_path(caseFile.empty() ? StringRef(inputFile) : StringRef(caseFile)));
  if (!cases)
    return cases;
  if (!only.empty())
    llvm::erase_if(*cases, [](const Case &one) { return one.name != only; });
  if (!cases->empty())
    return cases;
  if (!only.empty())
    return llvm::createStringError("--only: no case is named '" + only + "'");
  return llvm::createStringError("there is no case: expected lines of '// CASE: {...}', or --case");
}

/// Null without --recorded.
static llvm::Expected<llvm::json::Value> readRecording() {
  if (recorded.empty())
    return nullptr;
  llvm::Expected<std::string> text = readFile("--recorded", recorded);
  if (!text)
    return text.takeError();
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(*text);
  if (!value)
    return llvm::createStringError("--recorded: '" + recorded + "' is no recording: " + llvm::toString(value.takeError()));
  if (!value->getAsObject())
    return llvm::createStringError("--recorded: '" + recorded + "' is no recording: expected an object");
  return value;
}

namespace {
/// The kernels of the module, and what runs of them have led to.
struct Session {
  std::vector<KernelSignature> signatures;
  Program program;
  Report report;
  bool good = true;

  /// With every seed that was asked for; the outputs are then those of the last.
  llvm::Error run(Case &one, const llvm::json::Object *recording);
};
} // namespace

llvm::Error Session::run(Case &one, const llvm::json::Object *recording) {
  const KernelSignature *signature = findSignature(signatures, one.kernel);
  if (!signature)
    return llvm::createStringError(
        ("'kernel': expected one of the module's " + Twine(signatures.size()) + " kernels, got '" + one.kernel + "'").str());
  const Case given = one; // a run changes the arrays that it writes
  std::vector<std::string> wrong;
  for (uint64_t n = 0; n < seeds && wrong.empty(); ++n) {
    one = given;
    if (llvm::Error error =
            runCase(one, *signature, *program.find(signature->name), {seed + n, completion, hostThreads}, report))
      return error;
    if (recording)
      wrong = compare(one, *recording);
  }
  for (const std::string &sentence : wrong)
    llvm::outs() << "differs: case '" << one.name << "': " << sentence << "\n";
  if (recording && wrong.empty())
    llvm::outs() << "ok: case '" << one.name << "'\n";
  good &= wrong.empty();
  return writeFiles(one);
}

static void printOutputs(const Case &one, bool heading) {
  if (heading)
    llvm::outs() << "case " << one.name << "\n";
  for (const CaseArgument &argument : one.arguments)
    if (argument.isOutput() && argument.show && argument.file.empty())
      llvm::outs() << printArray(argument);
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  tilefold::parseOptions(argc, argv, "Runs cases of base kernels on the simulator\n");
  if (!seeds)
    return fail("--seeds: expected 1 or more, got 0");
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(inputFile);
  if (!buffer)
    return fail("'" + inputFile + "' cannot be read: " + buffer.getError().message());
  llvm::Expected<std::vector<Case>> cases = readCases((*buffer)->getBuffer());
  if (!cases)
    return fail(llvm::toString(cases.takeError()));
  llvm::Expected<llvm::json::Value> recording = readRecording();
  if (!recording)
    return fail(llvm::toString(recording.takeError()));

  DialectRegistry registry;
  registerHostTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return 2;
  auto gpuModules = llvm::to_vector(module->getOps<gpu::GPUModuleOp>());
  if (gpuModules.size() != 1)
    return fail("expected one gpu.module in '" + inputFile + "', found " + Twine(gpuModules.size()));
  FailureOr<std::vector<KernelSignature>> signatures = readSignatures(gpuModules.front());
  if (failed(signatures))
    return 1;
  FailureOr<Program> program = compileForHost(gpuModules.front());
  if (failed(program))
    return 1;
  if (phaseTimes)
    llvm::errs() << llvm::format("lowering %.1f translation %.1f compilation %.1f frame %llu\n",
                                 program->times().lowering * 1e3, program->times().translation * 1e3,
                                 program->times().compilation * 1e3, (unsigned long long)program->frameBytes());

  Session session{std::move(*signatures), std::move(*program)};
  for (Case &one : *cases) {
    if (llvm::Error error = session.run(one, recording->getAsObject()))
      return fail("case '" + one.name + "': " + llvm::toString(std::move(error)));
    if (!recording->getAsObject() && reportForm != ReportForm::Json) // JSON stands alone
      printOutputs(one, /*heading=*/cases->size() > 1);
  }
  if (statistics)
    printStatistics(session.report.statistics());
  if (reportForm == ReportForm::Json)
    llvm::outs() << session.report.json() << "\n";
  else if (!session.report.findings().empty())
    llvm::outs() << session.report.text();
  return !session.report.findings().empty() ? 3 : session.good ? 0 : 1;
}
