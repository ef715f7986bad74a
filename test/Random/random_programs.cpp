// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs: the code for a GPU, on the simulator, must give the interpreter's bits.
//
//   tilefold-random check FIRST LAST     compares the programs of these seeds; prints those that differ and "N passed, N failed"
//   tilefold-random write FOLDER FIRST LAST
//       of each seed an artifact, its inputs and what the interpreter makes of them, for a machine with a GPU
//   tilefold-random tile SEED            the program as IR
#include "codegen/Simulator/RunArtifact.h"
#include "codegen/Tool/Compiler.h"
#include "codegen/Tool/RunOnSimulator.h"
#include "support/safetensors.h"
#include "test/Random/choices.h"
#include "test/Random/random_program.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

using namespace tilefold;
using random::RandomProgram;

namespace {

struct Case {
  cli::Module module;
  Tensors inputs, expected;
};

/// How a seed's program is compiled: by the schedule's own choice, or with so many warps and stages.
cli::Request request_of(const Case &c, unsigned seed) {
  random::Choices choose(seed ^ 0x5eed);
  cli::Request request;
  request.emit = "schedule";
  if (choose.one_in(2)) request.stages = choose.between(1, 4);
  if (choose.one_in(2)) request.warps = choose.of({1, 2, 4, 8});
  if (!c.module.compile(request)) request.warps = 0; // not every tile can be shared by so many
  request.emit = "artifact";
  return request;
}

support::Result<Case> make_case(unsigned seed) {
  const RandomProgram program{seed};
  auto module = cli::Module::trace(program, "random");
  if (!module) return module.status();
  Tensors tensors = program.inputs();
  if (auto status = module->prepare(tensors, {}); !status) return status;
  if (auto unwritten = module->interpret(tensors, {}, 1); !unwritten) return unwritten.status();
  Case result{*std::move(module), program.inputs(), {}};
  for (auto &[name, tensor] : tensors)
    if (!result.inputs.count(name)) result.expected.emplace(name, std::move(tensor));
  return result;
}

/// What is wrong; empty if nothing is.
std::string differences(const Case &c, unsigned seed) {
  auto compiled = c.module.compileForSimulator(request_of(c, seed));
  if (!compiled) return "does not compile: " + compiled.message();
  const auto artifact = runtime::Artifact::from_memory(compiled->artifact.data(), compiled->artifact.size());
  if (!artifact) return artifact.status().message();
  std::map<std::string, const support::HostTensor *> inputs;
  for (const auto &[name, tensor] : c.inputs)
    inputs[name] = &tensor;
  sim::ArtifactRunOptions options;
  options.device = cli::simulatedDevice(std::string(support::portable_target));
  options.hostThreads = 1;
  for (const auto completion : {sim::Completion::Late, sim::Completion::Random}) {
    options.completion = completion;
    options.seed = seed + unsigned(completion);
    sim::Report report;
    auto find = [&](const std::string &entry) { return compiled->kernels.find(entry); };
    auto outputs = sim::run_on_simulator(*artifact, find, inputs, {}, options, report);
    if (!outputs) return outputs.status().message();
    if (!report.findings().empty()) return report.text();
    for (const auto &[name, tensor] : c.expected)
      if (!support::same_bits(tensor, outputs->at(name))) {
        const auto wanted = tensor.to_f64(), got = outputs->at(name).to_f64();
        std::size_t n = 0;
        while (n < wanted.size() && wanted[n] == got[n]) ++n;
        return "'" + name + "' differs, first at element " + std::to_string(n) + ": expected " + std::to_string(wanted[n]) + ", got " + std::to_string(got[n]);
      }
  }
  return {};
}

int check(unsigned first, unsigned last) {
  unsigned passed = 0, failed = 0;
  for (unsigned seed = first; seed <= last; ++seed) {
    std::fprintf(stderr, "\r%u", seed); // what ends the process has a seed
    auto c = make_case(seed);
    const std::string wrong = c ? differences(*c, seed) : c.message();
    wrong.empty() ? ++passed : ++failed;
    if (!wrong.empty()) std::printf("seed %u: %s\n", seed, wrong.c_str());
    std::fflush(stdout);
  }
  std::fprintf(stderr, "\r");
  std::printf("%u passed, %u failed\n", passed, failed);
  return failed ? 1 : 0;
}

support::Status write(const std::string &folder, unsigned seed) {
  auto c = make_case(seed);
  if (!c) return c.status();
  const auto bytes = c->module.compile(request_of(*c, seed));
  if (!bytes) return bytes.status();
  const std::string stem = folder + "/" + std::to_string(seed);
  std::ofstream(stem + ".tfa", std::ios::binary) << *bytes;
  for (const auto &[suffix, tensors] : {std::pair{".in.safetensors", &c->inputs}, {".expected.safetensors", &c->expected}}) {
    support::NamedTensors named;
    for (const auto &[name, tensor] : *tensors)
      named.emplace_back(name, &tensor);
    if (auto status = support::write_safetensors(stem + suffix, named); !status) return status;
  }
  return {};
}

unsigned number(const char *text) { return unsigned(std::strtoul(text, nullptr, 10)); }

} // namespace

int main(int argc, char **argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "check" && argc == 4) return check(number(argv[2]), number(argv[3]));
  if (command == "write" && argc == 5) {
    std::filesystem::create_directories(argv[2]);
    for (unsigned seed = number(argv[3]); seed <= number(argv[4]); ++seed)
      if (auto status = write(argv[2], seed); !status) {
        std::fprintf(stderr, "seed %u: %s\n", seed, status.message().c_str());
        return 1;
      }
    return 0;
  }
  if (command == "tile" && argc == 3) {
    auto module = cli::Module::trace(RandomProgram{number(argv[2])}, "random");
    cli::Request request;
    request.emit = "tile";
    auto text = module ? module->compile(request) : support::Result<std::string>(module.status());
    std::fputs(text ? text->c_str() : text.message().c_str(), text ? stdout : stderr);
    return text ? 0 : 1;
  }
  std::fprintf(stderr, "usage: tilefold-random check FIRST LAST | write FOLDER FIRST LAST | tile SEED\n");
  return 2;
}
