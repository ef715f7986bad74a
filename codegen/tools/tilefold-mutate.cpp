// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilefold-mutate: does the simulator find what it should? Each mutant of a program's kernels, or of a file of base IR with
// cases, has one synchronisation removed, weakened or shifted (codegen/Simulator/Mutate/Mutants.h). It runs on small inputs
// until there is a finding or a wrong number. One line a mutant says by what it was found; those that survive must be on the
// list of --expect, with a reason. Exit code: 0; 1 if the list is not right; 2 if something cannot be run.
#include "codegen/Simulator/Mutate/CaseSubjects.h"
#include "codegen/Simulator/Mutate/Survivors.h"
#include "codegen/Simulator/RunArtifact.h"
#include "codegen/Tool/Options.h"
#include "codegen/Tool/Process.h"
#include "codegen/Tool/RunOnSimulator.h"
#include "examples/02_softmax/softmax.h"
#include "examples/03_matmul/matmul.h"
#include "examples/attention_programs.h"

#include <fstream>
#include <iterator>
#include <limits>

using namespace tilefold;
using namespace tilefold::cli;

namespace {

struct Options {
  RunOptions run; ///< the program, or a file of base IR
  std::vector<std::string> shapes, cases;
  std::string expect, target{support::portable_target};
  sim::MutationOptions mutation;
};

/// What is mutated.
struct Work {
  std::string base;
  std::vector<sim::Subject> subjects;
};

Programs allPrograms() {
  Programs programs = attention_programs();
  auto softmax = [](const Config &config) { return for_dtype(config.dtype, []<class T>(T) { return Softmax<T>(); }); };
  auto matmul = [](const Config &config) { return for_dtype(config.dtype, []<class T>(T) { return Matmul<T>(); }); };
  programs.push_back({"softmax", softmax, {.random = "x=3x304"}});
  programs.push_back({"matmul", matmul, {.random = "a=70x200,b=200x136"}});
  return programs;
}

std::string readFile(const std::string &option, const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    throw UsageError{fmt::format("{}: '{}' cannot be read", option, path)};
  return {std::istreambuf_iterator<char>(stream), {}};
}

sim::Outputs::Format formatOf(support::DType type) {
  switch (type) {
  case support::DType::f16:
    return sim::Outputs::Format::F16;
  case support::DType::bf16:
    return sim::Outputs::Format::BF16;
  case support::DType::f32:
    return sim::Outputs::Format::F32;
  default:
    return sim::Outputs::Format::Other;
  }
}

/// Row by row with a gap, and not from the begin: for code that cannot rely on alignment.
Tensors unaligned(const Tensors &tensors) {
  Tensors result;
  for (const auto &[name, tensor] : tensors) {
    support::Shape padded = tensor.shape();
    if (padded.empty()) {
      result.emplace(name, tensor);
      continue;
    }
    padded.back() += 1;
    result.emplace(name, *tensor.with_strides(support::dense_strides(padded), 1));
  }
  return result;
}

/// With an infinity in the middle of one tensor, for what a kernel does about that: of attention, the queries, so that some rows
/// of the results are no numbers, or the values, so that some columns are none.
Tensors withInfinity(Tensors tensors, const std::string &name) {
  support::HostTensor &tensor = tensors.at(name);
  if (support::is_float(tensor.dtype()) && tensor.count())
    tensor.set(tensor.at_linear(tensor.count() / 2), std::numeric_limits<double>::infinity());
  return tensors;
}

sim::Subject makeSubject(const runtime::Artifact &artifact, Tensors tensors, const Scalars &scalars,
                         const runtime::DeviceProperties &device) {
  return [&artifact, tensors = std::move(tensors), scalars, device](const auto &find, const sim::Timing &timing,
                                                                    sim::Report &report) -> support::Result<sim::Outputs> {
    std::map<std::string, const support::HostTensor *> inputs;
    for (const auto &[name, tensor] : tensors)
      inputs[name] = &tensor;
    sim::ArtifactRunOptions options{device, timing.seed, timing.completion, /*hostThreads=*/1};
    auto written = sim::run_on_simulator(artifact, find, inputs, scalars, options, report);
    if (!written)
      return support::Status::error(written.status().message());
    sim::Outputs outputs;
    for (const auto &[name, tensor] : *written)
      outputs.append(formatOf(tensor.dtype()), tensor.storage().data(), tensor.storage().size());
    return outputs;
  };
}

int report(const Options &options, const Work &work) {
  std::map<std::string, unsigned> counts;
  auto done = [&](const sim::MutantResult &mutant) {
    const std::string found = mutant.foundBy.empty() ? "survived" : mutant.foundBy;
    ++counts[found];
    const std::string line = mutant.place.line ? fmt::format(" ({}:{})", mutant.place.file, mutant.place.line) : "";
    fmt::print("{}: {}{}{}{}\n", found, mutant.name, line, mutant.detail.empty() ? "" : ": ", mutant.detail);
    std::fflush(stdout);
  };
  auto results = sim::runMutants(work.base, work.subjects, options.mutation, done);
  if (!results)
    throw UsageError{results.message()};
  fmt::print("kernels: {}, mutants: {}", results->kernels.size(), results->mutants.size());
  for (const auto &[found, count] : counts)
    fmt::print(", {}: {}", found, count);
  fmt::print("\n");
  if (options.expect.empty())
    return 0;
  auto listed = sim::parseSurvivors(readFile("--expect", options.expect));
  if (!listed)
    throw UsageError{"--expect: '" + options.expect + "', " + listed.message()};
  const auto differences = sim::compareSurvivors(*listed, *results);
  for (const std::string &difference : differences)
    fmt::print("{}\n", difference);
  return differences.empty() ? 0 : 1;
}

int mutateFile(const Options &options) {
  Work work;
  work.base = readFile("FILE", options.run.program);
  for (const std::string &file : options.cases.empty() ? std::vector<std::string>{""} : options.cases) {
    auto subjects = sim::makeCaseSubjects(work.base, options.run.program, file);
    if (!subjects)
      throw UsageError{subjects.message()};
    work.subjects.insert(work.subjects.end(), subjects->begin(), subjects->end());
  }
  return report(options, work);
}

int mutateProgram(const Options &options) {
  const runtime::DeviceProperties device = simulatedDevice(options.target); // which says what is wrong with a target
  const Programs programs = allPrograms();
  const Source source{findProgram(programs, options.run.program), {}};
  const NamedKernel &program = source.program;
  std::vector<Prepared> inputs;
  for (const std::string &shapes :
       options.shapes.empty() ? std::vector<std::string>{program.about.random} : options.shapes) {
    RunOptions run = options.run;
    run.random = shapes;
    inputs.push_back(prepareRun(source, run));
    makeFor(options.target, source, inputs.back());
    drawInputs(inputs.back(), run.seed.value_or(0));
    if (inputs.back().config.head_dim != inputs.front().config.head_dim)
      throw UsageError{"--random: expected one head dim, got several"};
  }
  const Prepared &first = inputs.front();
  Request request;
  request.config = first.config;
  request.taken = first.taken;
  request.target = first.target;
  auto compiled = first.module.compileForSimulator(request);
  if (!compiled)
    throw UsageError{compiled.message()};
  auto artifact = runtime::Artifact::from_memory(compiled->artifact.data(), compiled->artifact.size());
  if (!artifact)
    throw UsageError{artifact.status().message()};
  Work work{compiled->kernels.base(), {}};
  // Each alternative: that for contiguous rows, that for any strides, and that for a scale which cannot be folded.
  Scalars negative = first.scalars;
  const Argument *scale = first.module.find("scale");
  if (scale && scale->role == "scalar")
    negative["scale"] = -1;
  auto add = [&](const Tensors &tensors) {
    work.subjects.push_back(makeSubject(*artifact, tensors, first.scalars, device));
    work.subjects.push_back(makeSubject(*artifact, unaligned(tensors), first.scalars, device));
    if (negative != first.scalars)
      work.subjects.push_back(makeSubject(*artifact, tensors, negative, device));
  };
  for (const Prepared &input : inputs)
    add(input.tensors);
  add(withInfinity(first.tensors, first.module.arguments().front().name));
  if (isAttention(first.module))
    add(withInfinity(first.tensors, "v"));
  return report(options, work);
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Runs mutants of kernels on the simulator and tells which ones it finds");
  Options options;
  app.add_option("program", options.run.program, "fa1, fa1-rows, fa2, decode, softmax, matmul, or a file of base IR with cases");
  addList(app, "--random", "SHAPE", options.shapes,
          "shapes of a program's inputs: B,Hq/Hkv,Sq,Sk,D or NAME=EXTENTxEXTENT,...; several may be given");
  addText(app, "--dtype", "TYPE", options.run.config.dtype, "f16 or bf16", "f16 or bf16");
  app.add_flag("--causal", options.run.config.causal, "with a causal mask");
  addNumber<std::int64_t>(app, "--splits", options.run.scalars.splits, 0, INT32_MAX, "of decode");
  addList(app, "--scalar", "NAME=VALUE", options.run.scalars.scalars, "NAME=VALUE; several may be given");
  addText(app, "--target", "CHIP", options.target, "a chip such as sm_80", "sm_80 and later");
  addList(app, "--case", "FILE", options.cases, "take the cases of a file of base IR from this JSON file; several may be given");
  addNumber<unsigned>(app, "--seeds", options.mutation.seeds, 1, 1000000, "of each way in which asynchronous work completes");
  addNumber<unsigned>(app, "--threads", options.mutation.threads, 0, 1024, "mutants at a time; 0: all cores");
  addList(app, "--only", "TEXT", options.mutation.only, "run mutants whose name contains this; several may be given");
  addFile(app, "--expect", options.expect, "the list of mutants that may survive");
  return runProcess("tilefold-mutate", app, [&] {
    checkWords(app, "", {argv + 1, argv + argc});
    app.parse(argc, argv);
    options.mutation.file = options.run.program;
    return options.run.program.ends_with(".mlir") ? mutateFile(options) : mutateProgram(options);
  });
}
