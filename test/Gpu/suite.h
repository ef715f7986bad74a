// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the suite is made of: artifacts found in a folder, items to run on them, and what came out.
#pragma once

#include "runtime/artifact/manifest.h"
#include "support/accuracy.h"
#include "test/Gpu/gpu.h"
#include "test/Gpu/inputs.h"

#include <functional>
#include <map>

namespace tilefold::gpu_suite {

using support::Criterion;
using Verdict = Criterion::Verdict;

/// An artifact of the folder; its file name says what it is: PROGRAM[-with-VARIANT]-dHEADDIM-DTYPE[-causal].tfa or
/// EXAMPLE-DTYPE.tfa.
struct SuiteArtifact {
  std::string file, program, hash;
  std::string variant; ///< of test/Numerics/variant_references.h; empty: none
  int head_dim = 0; ///< 0: no attention
  support::DType dtype = support::DType::f16;
  bool causal = false;
  runtime::Artifact artifact;
};

enum class Code {
  preferred, ///< what the runtime takes by itself: a cubin for the device, else PTX
  jit,       ///< cubins are removed
  both,      ///< each in turn: ptxas against the driver's compiler
};

/// Sorted by file name; with `Code::both`, an artifact with cubins is there twice. Errors: a file that is no artifact or
/// whose name says nothing, no artifact at all.
Result<std::vector<SuiteArtifact>> load_artifacts(const std::string &folder, Code code);

/// The same artifact with another manifest, which `change` edits.
Result<runtime::Artifact> changed(const runtime::Artifact &artifact, const std::function<void(nlohmann::json &)> &change);

struct Outcome {
  std::vector<Criterion> criteria;
  std::string alternative, code; ///< what ran, where one thing ran
  std::string skipped;           ///< why it was not run

  bool passed() const;
  void require(std::string name, bool holds, std::string detail = {});
  void at_most(std::string name, double measured, double limit, std::string detail = {});
  /// A criterion of that name that failed, if the status is an error. Returns whether it is none.
  bool check(std::string name, const Status &status);
};

/// What items share while they run.
struct Session {
  Gpu *gpu = nullptr; ///< null while planning
  std::string expected_key;
  std::shared_ptr<const Expected> expected; ///< of the last case, which several programs in turn are tested with
};

struct Item {
  std::string name, file, hash;
  const SuiteArtifact *artifact = nullptr;
  std::function<Outcome(Session &)> run;
  /// Everything up to the launch, for a device that need not be there.
  std::function<Outcome(const runtime::DeviceProperties &)> plan;
};

/// The arguments and results of one run of an attention program.
struct AttentionRun {
  Layout q = Layout::dense, k = Layout::dense, v = Layout::dense, o = Layout::dense, lse = Layout::dense;
  std::optional<double> scale;
  std::optional<std::int64_t> splits;
  unsigned char workspace_byte = 0xff; ///< what the workspace is filled with beforehand
};
struct AttentionResult {
  support::HostTensor o, lse;
  std::int64_t damage = 0; ///< bytes written outside of o and lse
  std::string alternative, code;
};
Result<AttentionResult> run_attention(Gpu &gpu, const runtime::Artifact &artifact, const AttentionInputs &inputs,
                                      const AttentionRun &run);

/// A call with everything that it needs, for tests that launch by themselves. Its memory lives in the arena.
struct PreparedAttention {
  runtime::Arguments arguments;
  runtime::PrepareOptions options;
  runtime::Call call;
  DeviceTensor q, k, v, o, lse;
  std::string alternative, code;

  Result<AttentionResult> results();
};
/// All but the call itself, which any thread may then prepare from `arguments` and `options`.
Result<std::unique_ptr<PreparedAttention>> bind_attention(Gpu &gpu, const runtime::Artifact &artifact, const AttentionInputs &inputs,
                                                          const AttentionRun &run);
Result<std::unique_ptr<PreparedAttention>> prepare_attention(Gpu &gpu, const runtime::Artifact &artifact,
                                                             const AttentionInputs &inputs, const AttentionRun &run);

std::vector<Item> attention_items(const std::vector<SuiteArtifact> &artifacts);
std::vector<Item> example_items(const std::vector<SuiteArtifact> &artifacts);
std::vector<Item> launch_items(const std::vector<SuiteArtifact> &artifacts); ///< threads, streams, capture, errors, devices
std::vector<Item> loading_items(const std::vector<SuiteArtifact> &artifacts); ///< modules that come, go and fail
std::vector<Item> bits_items(const std::vector<SuiteArtifact> &artifacts);    ///< what must not change a bit

/// The same bits in o and lse.
bool same(const AttentionResult &a, const AttentionResult &b);

using Test = Outcome (*)(Session &, const SuiteArtifact &);
/// A test that only a GPU can run.
Item gpu_item(std::string name, const SuiteArtifact &artifact, Test test);

/// A few ragged blocks with grouped heads, for tests that are not about numbers.
AttentionCase small_case();
AttentionInputs small_inputs(const SuiteArtifact &suite, std::uint64_t seed);
/// Tests of the runtime, on each program in one configuration.
std::vector<Item> items_of_one_configuration(const std::vector<SuiteArtifact> &artifacts,
                                             const std::vector<std::pair<const char *, Test>> &tests);

/// JIT compilation takes longer than everything else, so threads do it ahead. Milliseconds by file; errors come up again
/// when the artifact is used.
std::map<std::string, double> preload(Gpu &gpu, const std::vector<const SuiteArtifact *> &artifacts);

/// The name and code of the plan's alternative: "fast", "ptx" or "cubin sm_90".
std::pair<std::string, std::string> describe(const runtime::Artifact &artifact, const tilefold_arguments &arguments,
                                             const runtime::DeviceProperties &device);

} // namespace tilefold::gpu_suite
