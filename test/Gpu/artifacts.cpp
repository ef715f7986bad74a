// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/artifact/writer.h"
#include "runtime/plan/plan.h"
#include "support/parallel.h"
#include "test/Gpu/suite.h"
#include "test/Numerics/variant_references.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <regex>

namespace tilefold::gpu_suite {

namespace {

Status usage(std::string message) { return {TILEFOLD_ERROR_USAGE, std::move(message)}; }

std::string hex(const runtime::Hash128 &hash) {
  std::string text;
  char byte[3];
  for (std::uint8_t b : hash) {
    std::snprintf(byte, sizeof byte, "%02x", b);
    text += byte;
  }
  return text;
}

Result<runtime::Artifact> without_cubins(const runtime::Artifact &artifact) {
  return changed(artifact, [](nlohmann::json &manifest) {
    for (nlohmann::json &module : manifest["modules"])
      module.erase("cubins");
  });
}

bool has_cubins(const runtime::Artifact &artifact) {
  const auto &modules = artifact.manifest().modules;
  return std::any_of(modules.begin(), modules.end(), [](const runtime::Module &module) { return !module.cubins.empty(); });
}

} // namespace

Result<runtime::Artifact> changed(const runtime::Artifact &artifact, const std::function<void(nlohmann::json &)> &change) {
  nlohmann::json manifest = artifact.manifest().document.root();
  change(manifest);
  const std::vector<std::uint8_t> bytes = runtime::write_artifact(manifest);
  return runtime::Artifact::from_memory(bytes.data(), bytes.size());
}

Result<std::vector<SuiteArtifact>> load_artifacts(const std::string &folder, Code code) {
  static const std::regex form("([a-z0-9_-]+?)(?:-with-([a-z_]+))?(?:-d([0-9]+))?-(f16|bf16|f32)(-causal)?");
  std::vector<std::filesystem::path> paths;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".tfa")
      paths.push_back(entry.path());
  if (paths.empty())
    return usage("no artifact (*.tfa) in '" + folder + "'" + (error ? ": " + error.message() : ""));
  std::sort(paths.begin(), paths.end());
  std::vector<SuiteArtifact> artifacts;
  for (const std::filesystem::path &path : paths) {
    std::smatch match;
    const std::string stem = path.stem().string();
    if (!std::regex_match(stem, match, form))
      return usage("'" + path.string() + "' is not named PROGRAM[-with-VARIANT]-dHEADDIM-DTYPE[-causal].tfa or EXAMPLE-DTYPE.tfa");
    if (!numerics::variant_reference(match[2].str()))
      return usage("'" + path.string() + "': there is no variant '" + match[2].str() + "'");
    Result<runtime::Artifact> artifact = runtime::Artifact::open(path.string());
    if (!artifact)
      return artifact.status();
    SuiteArtifact found{stem, match[1], hex(artifact->manifest().hash), match[2], match[3].matched ? std::stoi(match[3]) : 0,
                        *support::dtype_from_name(match[4].str()), match[5].matched, *artifact};
    const bool cubins = has_cubins(*artifact);
    if (cubins && code != Code::preferred) {
      Result<runtime::Artifact> plain = without_cubins(*artifact);
      if (!plain)
        return plain.status();
      SuiteArtifact jit = found;
      jit.artifact = *plain;
      artifacts.push_back(std::move(jit));
    }
    if (!cubins || code != Code::jit) {
      if (cubins && code == Code::both)
        found.file += " (cubin)";
      artifacts.push_back(std::move(found));
    }
  }
  return artifacts;
}

bool Outcome::passed() const {
  return !criteria.empty() &&
         std::none_of(criteria.begin(), criteria.end(), [](const Criterion &c) { return c.verdict == Verdict::fail; });
}

void Outcome::require(std::string name, bool holds, std::string detail) {
  criteria.push_back({std::move(name), holds ? Verdict::pass : Verdict::fail, 0, 0, std::move(detail)});
}

void Outcome::at_most(std::string name, double measured, double limit, std::string detail) {
  criteria.push_back({std::move(name), measured <= limit ? Verdict::pass : Verdict::fail, measured, limit, std::move(detail)});
}

bool Outcome::check(std::string name, const Status &status) {
  if (!status)
    require(std::move(name), false, std::string(tilefold_status_name(status.code())) + ": " + status.message());
  return status.ok();
}

Item gpu_item(std::string name, const SuiteArtifact &artifact, Test test) {
  const SuiteArtifact *suite = &artifact;
  return {std::move(name), artifact.file, artifact.hash, suite, [=](Session &session) { return test(session, *suite); },
          [](const runtime::DeviceProperties &) {
            Outcome outcome;
            outcome.skipped = "not planned ahead";
            return outcome;
          }};
}

AttentionCase small_case() { return {.name = "small", .batch = 2, .query_heads = 4, .key_heads = 2, .queries = 70, .keys = 300}; }

AttentionInputs small_inputs(const SuiteArtifact &suite, std::uint64_t seed) {
  return make_inputs(small_case(), suite.head_dim, suite.dtype, Fill::normal, seed);
}

std::vector<Item> items_of_one_configuration(const std::vector<SuiteArtifact> &artifacts,
                                             const std::vector<std::pair<const char *, Test>> &tests) {
  std::vector<Item> items;
  for (const SuiteArtifact &artifact : artifacts)
    if (artifact.head_dim == 64 && artifact.dtype == support::DType::f16 && artifact.causal && artifact.variant.empty())
      for (const auto &[name, test] : tests)
        items.push_back(gpu_item(name, artifact, test));
  return items;
}

std::pair<std::string, std::string> describe(const runtime::Artifact &artifact, const tilefold_arguments &arguments,
                                             const runtime::DeviceProperties &device) {
  const Result<runtime::Plan> plan = artifact.plan(arguments, device);
  if (!plan)
    return {};
  const runtime::Module &module = artifact.manifest().modules[std::size_t(plan->module)];
  return {artifact.manifest().alternatives[std::size_t(plan->alternative)].name,
          plan->cubin < 0 ? "ptx" : "cubin " + module.cubins[std::size_t(plan->cubin)].arch.text()};
}

std::map<std::string, double> preload(Gpu &gpu, const std::vector<const SuiteArtifact *> &artifacts) {
  std::map<std::string, double> times;
  std::mutex mutex;
  Gpu::Frame frame(gpu);
  constexpr std::size_t slot = 1 << 20;
  const auto memory = gpu.allocate(slot * 6);
  if (!memory)
    return times;
  support::parallel_for(std::int64_t(artifacts.size()), [&](std::int64_t i) {
    // The smallest call that launches every kernel: all tensors 1 x ... x D.
    const SuiteArtifact &suite = *artifacts[std::size_t(i)];
    const runtime::Manifest &manifest = suite.artifact.manifest();
    runtime::Arguments arguments;
    std::size_t at = *memory;
    for (const runtime::TensorDeclaration &tensor : manifest.tensors) {
      std::vector<std::int64_t> sizes(std::size_t(tensor.rank), 1);
      if (suite.head_dim > 0 && tensor.rank == 4)
        sizes[3] = suite.head_dim;
      arguments.tensor(tensor.name, reinterpret_cast<void *>(at), tensor.dtype, sizes);
      at += slot / 8;
    }
    runtime::PrepareOptions options;
    options.device = gpu.ordinal();
    options.workspace = reinterpret_cast<void *>(*memory + slot * 5);
    options.workspace_bytes = slot;
    const auto begin = std::chrono::steady_clock::now();
    runtime::Call call;
    const Status status = call.prepare(suite.artifact, arguments.view(), options);
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    const std::lock_guard<std::mutex> lock(mutex);
    times[suite.file] = ms;
    (void)status;
  });
  return times;
}

} // namespace tilefold::gpu_suite
