// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Mutate/CaseSubjects.h"
#include "codegen/Conversion/BaseToLLVM/Passes.h"
#include "codegen/Simulator/Jit.h"
#include "codegen/Simulator/RunCase.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tilefold::sim;
using tilefold::support::Result;
using tilefold::support::Status;

static Outputs::Format formatOf(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return Outputs::Format::F16;
  case ElementType::BF16:
    return Outputs::Format::BF16;
  case ElementType::F32:
    return Outputs::Format::F32;
  case ElementType::F64:
    return Outputs::Format::F64;
  default:
    return Outputs::Format::Other;
  }
}

static Result<std::vector<KernelSignature>> signaturesOf(const std::string &text, const std::string &path) {
  DialectRegistry registry;
  registerHostTranslation(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (FileLineColLoc at = tilefold::innermostPosition(diagnostic.getLocation()))
      errors += at.getFilename().str() + ":" + std::to_string(at.getLine()) + ":" + std::to_string(at.getColumn()) + ": ";
    errors += diagnostic.str() + "\n";
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context, path);
  std::vector<KernelSignature> all;
  if (module)
    for (auto gpuModule : module->getOps<gpu::GPUModuleOp>())
      if (auto some = readSignatures(gpuModule); succeeded(some))
        all.insert(all.end(), some->begin(), some->end());
  if (!errors.empty())
    return Status::error(StringRef(errors).rtrim().str());
  return all;
}

Result<std::vector<Subject>> tilefold::sim::makeCaseSubjects(const std::string &text, const std::string &path,
                                                             const std::string &caseFile) {
  std::string lines = caseLines(text);
  if (!caseFile.empty()) {
    auto file = llvm::MemoryBuffer::getFile(caseFile);
    if (!file)
      return Status::error("'" + caseFile + "' cannot be read: " + file.getError().message());
    lines = (*file)->getBuffer().str();
  }
  auto cases = parseCases(lines, llvm::sys::path::parent_path(caseFile.empty() ? path : caseFile));
  if (!cases)
    return Status::error(llvm::toString(cases.takeError()));
  Result<std::vector<KernelSignature>> signatures = signaturesOf(text, path);
  if (!signatures)
    return signatures.status();

  std::vector<Subject> subjects;
  for (const Case &one : *cases) {
    auto isNamed = [&](const KernelSignature &signature) {
      return signature.name == one.kernel || (one.kernel.empty() && signatures->size() == 1);
    };
    auto signature = llvm::find_if(*signatures, isNamed);
    if (signature == signatures->end())
      return Status::error("case '" + one.name + "': 'kernel': expected one of the module's " +
                           std::to_string(signatures->size()) + " kernels, got '" + one.kernel + "'");
    subjects.push_back([one, signature = *signature](const auto &find, const Timing &timing,
                                                     Report &report) -> Result<Outputs> {
      Result<const KernelCode *> code = find(signature.name);
      if (!code)
        return code.status();
      Case copy = one;
      if (llvm::Error error = runCase(copy, signature, **code, {timing.seed, timing.completion, /*hostThreads=*/1}, report))
        return Status::error("case '" + one.name + "': " + llvm::toString(std::move(error)));
      Outputs outputs;
      for (const CaseArgument &argument : copy.arguments)
        if (argument.isOutput())
          outputs.append(formatOf(argument.type), argument.bytes.data(), argument.bytes.size());
      return outputs;
    });
  }
  return subjects;
}
