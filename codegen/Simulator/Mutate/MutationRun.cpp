// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Mutate/MutationRun.h"
#include "codegen/Simulator/Jit.h"
#include "codegen/Simulator/Mutate/Mutants.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Path.h"
#include <cstring>
#include <map>
#include <set>
#include <thread>

using namespace mlir;
using namespace tilefold::sim;
using tilefold::support::Result;
using tilefold::support::Status;

template <class Word> static void unifyNans(uint8_t *data, size_t bytes, Word exponent, Word mantissa) {
  for (size_t i = 0; i + sizeof(Word) <= bytes; i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, data + i, sizeof word);
    if ((word & exponent) == exponent && (word & mantissa))
      std::memset(data + i, 0xff, sizeof word);
  }
}

void Outputs::append(Format format, const void *data, size_t bytes) {
  all.insert(all.end(), static_cast<const uint8_t *>(data), static_cast<const uint8_t *>(data) + bytes);
  uint8_t *mine = all.data() + all.size() - bytes;
  switch (format) {
  case Format::Other:
    break;
  case Format::F16:
    return unifyNans<uint16_t>(mine, bytes, 0x7c00, 0x03ff);
  case Format::BF16:
    return unifyNans<uint16_t>(mine, bytes, 0x7f80, 0x007f);
  case Format::F32:
    return unifyNans<uint32_t>(mine, bytes, 0x7f800000, 0x007fffff);
  case Format::F64:
    return unifyNans<uint64_t>(mine, bytes, 0x7ff0000000000000, 0x000fffffffffffff);
  }
}

static Place withoutFolder(Place place) {
  place.file = llvm::sys::path::filename(place.file).str();
  return place;
}

namespace {

/// A copy of the module with a context of its own, for one thread.
class Workshop {
public:
  Workshop(const std::string &base, const std::string &file) : context(registry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error && errors.empty())
        errors = diagnostic.str();
    });
    module = parseSourceString<ModuleOp>(base, &context, file);
  }

  /// Empty if all went well until now; it is told once.
  std::string takeErrors() { return std::exchange(errors, {}); }

  gpu::GPUModuleOp gpuModule() {
    if (!module)
      return nullptr;
    auto modules = module->getOps<gpu::GPUModuleOp>();
    if (llvm::hasSingleElement(modules))
      return *modules.begin();
    errors = "expected one gpu.module";
    return nullptr;
  }

  /// One kernel, as it is or with the mutant that has this index in the whole module.
  FailureOr<Program> compile(StringRef kernel, std::optional<size_t> mutant = {}) {
    OwningOpRef<ModuleOp> copy = module->clone();
    gpu::GPUModuleOp all = *copy->getOps<gpu::GPUModuleOp>().begin();
    if (mutant)
      findMutants(all)[*mutant].apply();
    for (auto other : llvm::make_early_inc_range(all.getOps<gpu::GPUFuncOp>()))
      if (other.getName() != kernel)
        other.erase();
    return compileForHost(all);
  }

private:
  static DialectRegistry registry() {
    DialectRegistry result;
    registerHostTranslation(result);
    return result;
  }

  MLIRContext context;
  std::string errors;
  OwningOpRef<ModuleOp> module;
};

class Runner {
public:
  Runner(const std::string &base, const std::vector<Subject> &subjects, const MutationOptions &options,
         const std::function<void(const MutantResult &)> &done)
      : base(base), subjects(subjects), options(options), done(done) {}

  Result<MutationResults> run() {
    Workshop workshop(base, options.file);
    gpu::GPUModuleOp module = workshop.gpuModule();
    if (!module)
      return Status::error("the base module: " + workshop.takeErrors());
    for (auto kernel : module.getOps<gpu::GPUFuncOp>())
      results.kernels.push_back(kernel.getName().str());
    chooseMutants(findMutants(module));
    if (Status status = runUnmutated(workshop); !status)
      return status;
    runAll(workshop);
    if (!failure.ok())
      return failure;
    return std::move(results);
  }

private:
  std::vector<Timing> timings() const {
    std::vector<Timing> list;
    for (uint64_t seed = 0; seed < options.seeds; ++seed)
      for (Completion completion : {Completion::Late, Completion::Random})
        list.push_back({seed, completion});
    return list;
  }

  static std::string describe(const Timing &timing) {
    return "seed " + std::to_string(timing.seed) + ", completion " +
           (timing.completion == Completion::Late ? "late" : "random");
  }

  bool isWanted(const std::string &name) const {
    return options.only.empty() ||
           llvm::any_of(options.only, [&](const std::string &part) { return name.find(part) != std::string::npos; });
  }

  void chooseMutants(const std::vector<Mutant> &mutants) {
    for (size_t i = 0; i < mutants.size(); ++i) {
      const Mutant &mutant = mutants[i];
      results.names.push_back(mutant.name());
      if (!isWanted(results.names.back()))
        continue;
      indices.push_back(i);
      results.mutants.push_back(
          {mutant.name(), mutant.kernel, withoutFolder({mutant.operation, mutant.file, mutant.line, 0}), "", ""});
    }
    isDone.resize(indices.size());
  }

  /// Whether a mutant that is run is of a kernel among these.
  bool isMutated(const std::set<std::string> &kernels) const {
    return llvm::any_of(results.mutants, [&](const MutantResult &mutant) { return kernels.count(mutant.kernel) != 0; });
  }

  /// The outputs that are right, and which kernels each subject uses. A subject that no mutant needs is run once, to know that.
  Status runUnmutated(Workshop &workshop) {
    for (const std::string &kernel : results.kernels) {
      FailureOr<Program> program = workshop.compile(kernel);
      if (failed(program))
        return Status::error("kernel '" + kernel + "': " + workshop.takeErrors());
      unmutated.emplace(kernel, std::move(*program));
    }
    for (const Subject &subject : subjects) {
      std::set<std::string> uses;
      auto find = [&](const std::string &entry) -> Result<const KernelCode *> {
        uses.insert(entry);
        return findUnmutated(entry);
      };
      std::optional<Outputs> first;
      for (const Timing &timing : timings()) {
        Report report;
        Result<Outputs> outputs = subject(find, timing, report);
        if (!outputs)
          return outputs.status();
        if (!report.findings().empty())
          return Status::error("without a mutation, " + describe(timing) + ":\n" + report.text());
        if (first && !(*first == *outputs))
          return Status::error("without a mutation, the outputs depend on the timing: " + describe(timing));
        first = *std::move(outputs);
        if (!isMutated(uses))
          break;
      }
      right.push_back(*std::move(first));
      used.push_back(std::move(uses));
    }
    for (const std::string &kernel : results.kernels)
      if (llvm::none_of(used, [&](const std::set<std::string> &uses) { return uses.count(kernel); }))
        return Status::error("kernel '" + kernel + "' is used on none of the inputs");
    return {};
  }

  Result<const KernelCode *> findUnmutated(const std::string &entry) const {
    auto found = unmutated.find(entry);
    if (found == unmutated.end())
      return Status::error("the base module has no kernel '" + entry + "'");
    return found->second.find(entry);
  }

  void runAll(Workshop &first) {
    unsigned count = options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
    count = unsigned(std::min<size_t>(count, std::max<size_t>(indices.size(), 1)));
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < count; ++i)
      threads.emplace_back([this] {
        Workshop own(base, options.file);
        work(own);
      });
    work(first);
    for (std::thread &thread : threads)
      thread.join();
  }

  void work(Workshop &workshop) {
    for (size_t i; (i = next++) < indices.size();) {
      Status status = runOne(workshop, indices[i], results.mutants[i]);
      std::lock_guard lock(mutex);
      if (!status.ok() && failure.ok())
        failure = Status::error(results.mutants[i].name + ": " + status.message());
      if (!failure.ok())
        next = indices.size();
      isDone[i] = true;
      for (; told < isDone.size() && isDone[told] && failure.ok(); ++told)
        done(results.mutants[told]);
    }
  }

  Status runOne(Workshop &workshop, size_t index, MutantResult &result) const {
    FailureOr<Program> mutant = workshop.compile(result.kernel, index);
    if (failed(mutant))
      return Status::error(workshop.takeErrors());
    auto find = [&](const std::string &entry) -> Result<const KernelCode *> {
      return entry == result.kernel ? Result<const KernelCode *>(mutant->find(entry)) : findUnmutated(entry);
    };
    for (const Timing &timing : timings())
      for (size_t i = 0; i < subjects.size(); ++i) {
        if (!used[i].count(result.kernel))
          continue;
        Report report;
        Result<Outputs> outputs = subjects[i](find, timing, report);
        if (!outputs)
          return outputs.status();
        if (!report.findings().empty()) {
          const Finding &finding = report.findings().front();
          result.foundBy = tilefold::sim::name(finding.kind);
          result.detail = withoutFolder(finding.place).text() + ": " + finding.text;
          return {};
        }
        if (!(*outputs == right[i])) {
          result.foundBy = "numbers";
          return {};
        }
      }
    return {};
  }

  const std::string &base;
  const std::vector<Subject> &subjects;
  const MutationOptions &options;
  const std::function<void(const MutantResult &)> &done;
  std::map<std::string, Program> unmutated;
  std::vector<Outputs> right;              ///< by subject
  std::vector<std::set<std::string>> used; ///< by subject: kernels
  MutationResults results;
  std::vector<size_t> indices; ///< of results.mutants, in the module
  std::atomic<size_t> next{0};
  std::mutex mutex; ///< of what follows
  std::vector<bool> isDone;
  size_t told = 0;
  Status failure;
};

} // namespace

Result<MutationResults> tilefold::sim::runMutants(const std::string &base, const std::vector<Subject> &subjects,
                                                  const MutationOptions &options,
                                                  const std::function<void(const MutantResult &)> &done) {
  return Runner(base, subjects, options, done).run();
}
