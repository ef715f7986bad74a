// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules that come, go and fail: what goes wrong is told where it goes wrong, and nothing of it stays.
#include "test/Gpu/suite.h"

#include <functional>
#include <thread>

namespace tilefold::gpu_suite {

namespace {

/// The good artifact still gives these bits, and no error of the bad one comes up later.
void expect_unharmed(Gpu &gpu, const SuiteArtifact &suite, const AttentionInputs &inputs, const AttentionResult &expected, Outcome &outcome) {
  const Result<AttentionResult> after = run_attention(gpu, suite.artifact, inputs, {});
  if (outcome.check("run afterwards", after.status()))
    outcome.require("bits afterwards", same(*after, expected));
}

/// `change` makes an artifact whose every call is refused, as `is_refusal` knows it; the good one goes on as before.
Outcome expect_refused(Session &session, const SuiteArtifact &suite, std::uint64_t seed, const char *what,
                       const std::function<void(nlohmann::json &)> &change, const std::function<bool(tilefold_status)> &is_refusal) {
  Outcome outcome;
  Gpu &gpu = *session.gpu;
  const AttentionInputs inputs = small_inputs(suite, seed);
  const Result<AttentionResult> expected = run_attention(gpu, suite.artifact, inputs, {});
  const Result<runtime::Artifact> wrong = changed(suite.artifact, change);
  if (!outcome.check("run", expected.status()) || !outcome.check("artifact", wrong.status()))
    return outcome;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Status status = run_attention(gpu, *wrong, inputs, {}).status();
    outcome.require(what, is_refusal(status.code()), std::string(tilefold_status_name(status.code())) + ": " + status.message());
    outcome.check("no error is left", gpu.synchronize());
  }
  expect_unharmed(gpu, suite, inputs, *expected, outcome);
  return outcome;
}

/// J5: code that the driver cannot load is an error at every attempt.
Outcome corrupt_code(Session &session, const SuiteArtifact &suite) {
  auto change = [](nlohmann::json &manifest) {
    for (nlohmann::json &module : manifest["modules"]) {
      module.erase("cubins");
      module["ptx"] = module["ptx"].get<std::string>() + "\nCORRUPT;\n";
    }
  };
  return expect_refused(session, suite, 8, "J5 corrupt code is refused", change, [](auto code) { return code == TILEFOLD_ERROR_CUDA; });
}

/// J27: a launch that CUDA refuses, of more threads than the kernel was compiled for, is this call's error and no later one's.
Outcome refused_launch(Session &session, const SuiteArtifact &suite) {
  auto change = [](nlohmann::json &manifest) {
    for (nlohmann::json &alternative : manifest["alternatives"])
      for (nlohmann::json &launch : alternative["launches"])
        launch["block"] = 1024;
  };
  // The runtime's own refusal, where it knows the limit of the code; else CUDA's.
  return expect_refused(session, suite, 9, "J27 a refused launch is an error", change,
                        [](auto code) { return code == TILEFOLD_ERROR_UNSUPPORTED || code == TILEFOLD_ERROR_CUDA; });
}

/// J7: two threads load, launch and let go, over and over, while their kernels may still run.
Outcome load_and_unload(Session &session, const SuiteArtifact &suite) {
  Outcome outcome;
  Gpu &gpu = *session.gpu;
  const Gpu::Frame frame(gpu);
  constexpr int count = 2, rounds = 10;
  struct Worker {
    std::unique_ptr<PreparedAttention> bound;
    AttentionResult expected;
    Status status;
  };
  std::vector<Worker> workers;
  for (int t = 0; t < count; ++t) {
    const AttentionInputs inputs = small_inputs(suite, 200 + t);
    const Result<AttentionResult> alone = run_attention(gpu, suite.artifact, inputs, {});
    auto bound = bind_attention(gpu, suite.artifact, inputs, {});
    if (!outcome.check("run alone", alone.status()) || !outcome.check("set-up", bound.status()))
      return outcome;
    workers.push_back({*std::move(bound), *alone, {}});
  }
  std::vector<std::thread> threads;
  for (Worker &worker : workers)
    threads.emplace_back([&] {
      for (int i = 0; i < rounds && worker.status; ++i) {
        const Result<runtime::Artifact> copy = changed(suite.artifact, [&](nlohmann::json &manifest) {
          for (nlohmann::json &module : manifest["modules"]) {
            module.erase("cubins");
            // Other code to whoever remembers what it has loaded.
            module["ptx"] = module["ptx"].get<std::string>() + "// " + std::to_string(i) + "\n";
          }
        });
        PreparedAttention &bound = *worker.bound;
        runtime::Call call;
        worker.status = copy ? call.prepare(*copy, bound.arguments.view(), bound.options) : copy.status();
        if (worker.status)
          worker.status = call.init_workspace(gpu.stream());
        if (worker.status)
          worker.status = call.launch(gpu.stream());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  if (!outcome.check("run", gpu.synchronize()))
    return outcome;
  for (Worker &worker : workers)
    if (outcome.check("load and launch", worker.status)) {
      const Result<AttentionResult> result = worker.bound->results();
      outcome.require("J7 bits of the last launch", result && same(*result, worker.expected));
    }
  return outcome;
}

} // namespace

std::vector<Item> loading_items(const std::vector<SuiteArtifact> &artifacts) {
  return items_of_one_configuration(
      artifacts, {{"J5 corrupt code", corrupt_code}, {"J27 refused launch", refused_launch}, {"J7 load and unload", load_and_unload}});
}

} // namespace tilefold::gpu_suite
