// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/tool.h"
#include "codegen/Tool/Devices.h"
#include "codegen/Tool/Options.h"
#include "codegen/Tool/Process.h"
#include "support/limits.h"
#include "support/spelling.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace tilefold {
namespace cli {
namespace {

std::string programList(const Programs &programs) {
  std::string text;
  for (const NamedKernel &program : programs)
    text += (text.empty() ? "" : ", ") + program.name;
  return text;
}

std::string deviceList() {
  std::string text;
  for (const Device &device : devices())
    text += (text.empty() ? "" : ", ") + device.name;
  return text;
}

/// The command lines that --help shows: of this tool's own programs.
struct Examples {
  std::string tool, program;
  bool attention = false, random = false, reference = false;

  std::string run() const {
    if (!attention)
      return fmt::format("  {0} run {1}{2}{3}\n"
                         "  {0} run {1} --in inputs.safetensors --out outputs.safetensors\n", tool, program,
                         random ? "" : " --random SHAPE", reference ? " --check" : "");
    return fmt::format("  {0} run {1} --in examples/data/minilm_qkv.safetensors --out o.safetensors --check\n"
                       "  {0} run {1} --random 2,8/2,300,500,64 --dtype bf16 --causal --check\n"
                       "  {0} run {1} --random 1,32/8,4096,4096,128 --on cuda --check\n"
                       "  {0} run {1} --random 1,2,256,256,64 --on simulator --seed 7 --check\n", tool, program);
  }
  std::string compile() const {
    return fmt::format("  {0} compile {1} {2}-o {1}.tilefold\n"
                       "  {0} compile {1} --emit=tile\n"
                       "  {0} compile {1} --emit=ptx --target sm_90 -o {1}.ptx\n"
                       "  {0} compile program.mlir --emit=base --print-ir-after=tile-assign-layouts\n",
                       tool, program, attention ? "--head-dim 128 --dtype f16 --causal " : "");
  }
  std::string info() const { return fmt::format("  {0} compile {1} -o {1}.tilefold && {0} info {1}.tilefold\n", tool, program); }
  std::string explain() const {
    if (!attention)
      return fmt::format("  {0} explain {1} --shape NAME=EXTENTxEXTENT,... --device a100\n", tool, program);
    return fmt::format("  {0} explain {1} --batch 1 --heads 32/8 --sq 1 --sk 65536 --head-dim 128 --device h200\n"
                       "  {0} explain {1} --batch 4 --heads 16 --sq 4096 --head-dim 64 --causal --device a100\n", tool, program);
  }
};

constexpr std::int64_t kMostExtent = support::extent_limit - 1;

class Parser {
public:
  Parser(const std::string &name, const Programs &programs) : programs(programs) {
    examples.tool = name;
    examples.program = programs.empty() ? "PROGRAM" : programs.front().name;
    examples.random = !programs.empty() && !programs.front().about.random.empty();
    examples.reference = !programs.empty() && programs.front().about.outputs;
    for (const NamedKernel &program : programs)
      if (program.about.attention) {
        examples.program = program.name == "fa1" ? "fa2" : program.name;
        examples.attention = true;
        break;
      }
    app.name(name);
    app.description("Runs, compiles and explains tile programs: " + programList(programs) + ".");
    app.set_version_flag("--version", std::string("tilefold ") + TILEFOLD_VERSION);
    app.footer("Examples:\n" + examples.run() + examples.compile() + examples.explain() +
               "\nExit codes: 0 right, 1 wrong numbers or a failed run, 2 bad usage or input, 3 the simulator found something.");
    addRun();
    addCompile();
    addInfo();
    addExplain();
  }

  /// Parses and does what was asked.
  int dispatch(int argc, char **argv) {
    checkNames();
    checkCommandLine({argv + std::min(argc, 1), argv + argc});
    app.parse(argc, argv);
    if (*runCommand)
      return run(runOptions, programs);
    if (*compileCommand)
      return compileProgram(compileOptions, programs);
    if (*infoCommand)
      return info(infoOptions);
    return explain(explainOptions, programs);
  }

  CLI::App app;

private:
  /// What could not be asked for by its name is a mistake of who wrote the program.
  void checkNames() const {
    std::set<std::string> taken;
    for (const NamedKernel &program : programs) {
      const std::string &name = program.name;
      const bool isWord = !name.empty() && name.front() != '-' &&
                          std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; });
      if (!isWord)
        throw UsageError{fmt::format("tool(): expected kernels with names of letters, digits, '-' and '_', got '{}'", name)};
      if (!taken.insert(name).second)
        throw UsageError{fmt::format("tool(): expected kernels with names of their own, got '{}' twice", name)};
    }
  }
  /// What is wrong with the words themselves, before any of them means something.
  void checkCommandLine(const std::vector<std::string> &words) const {
    if (!words.empty() && words.front().substr(0, 1) == "-")
      return checkWords(app, "", words); // --help, --version
    std::vector<std::string> commands;
    for (const CLI::App *command : app.get_subcommands({})) {
      commands.push_back(command->get_name());
      if (!words.empty() && words.front() == commands.back())
        return checkWords(*command, commands.back(), {words.begin() + 1, words.end()});
    }
    throw UsageError{fmt::format("command: expected one of {}, got {}; see --help", fmt::join(commands, ", "),
                                 words.empty() ? "none" : "'" + words.front() + "'" + support::did_you_mean(words.front(), commands))};
  }
  CLI::App *add(const char *name, const char *what, const std::string &lines) {
    CLI::App *command = app.add_subcommand(name, what);
    command->footer("Examples:\n" + lines);
    return command;
  }
  void addProgram(CLI::App *command, std::string &program, const char *what) {
    std::string text = std::string(what) + ":";
    for (const NamedKernel &one : programs)
      text += "\n" + std::string(30, ' ') + one.name + (one.about.summary.empty() ? "" : ": " + one.about.summary);
    command->add_option("program", program, text); // findProgram says so if it is needed
  }
  void addConfig(CLI::App *command, ConfigOptions &config, bool headDim) {
    addText(*command, "--dtype", "TYPE", config.dtype, "f16, bf16 or f32", "element type: f16 (default), bf16 or f32 (interpreter only)");
    if (headDim)
      addNumber<int>(*command, "--head-dim", config.headDim, 1, kMostHeadDim, "head dim (default 128)");
    command->add_flag("--causal", config.causal, "a query sees the keys up to its own position");
  }
  void addScalars(CLI::App *command, ScalarOptions &scalars) {
    addReal(*command, "--scale", scalars.scale, "factor of the logits (default 1/sqrt(head dim))");
    addNumber<std::int64_t>(*command, "--splits", scalars.splits, 0, INT32_MAX, "into how many parts the keys are cut (decode; default: by their number)");
    addList(*command, "--scalar", "NAME=VALUE", scalars.scalars, "NAME=VALUE, a scalar argument; may be repeated");
  }

  void addRun() {
    RunOptions &o = runOptions;
    runCommand = add("run", "Run a program on tensors", examples.run());
    addProgram(runCommand, o.program, "what to run, or FILE.mlir of stage tile");
    addFile(*runCommand, "--in", o.in, "safetensors file with the inputs by name (attention: q [B, Hq, Sq, D], k and v [B, Hkv, Sk, D])");
    addFile(*runCommand, "--out", o.out, "safetensors file for the outputs (attention: o and lse), or - for standard output");
    addText(*runCommand, "--random", "SHAPE", o.random, "B,Hq/Hkv,Sq,Sk,D or NAME=EXTENTxEXTENT,...",
            "B,Hq/Hkv,Sq,Sk,D (or NAME=EXTENTxEXTENT,...): random inputs of this shape");
    addNumber<std::uint64_t>(*runCommand, "--seed", o.seed, 0, UINT64_MAX, "of the random inputs, and of the simulator's order of events (default 0)");
    addConfig(runCommand, o.config, false);
    addScalars(runCommand, o.scalars);
    addChoice(*runCommand, "--on", o.on, {"auto", "interpreter", "cuda", "simulator"},
              "auto (CUDA if it is there), interpreter, cuda or simulator (the GPU's code, watched; exit code 3 if something is found)");
    runCommand->add_flag("--check", o.check, "compare with fp64 and print the errors; exit code 1 if they are too large");
    addNumber<int>(*runCommand, "--device", o.device, 0, INT32_MAX, "CUDA device (default 0)");
    addNumber<unsigned>(*runCommand, "--threads", o.threads, 0, 1024, "threads of the interpreter or the simulator (default 0: all)");
    addText(*runCommand, "--target", "CHIP", o.target, "a chip such as sm_80", "whose code and device the simulator takes: sm_80 (default), sm_90a, ...");
    addChoice(*runCommand, "--report", o.report, {"text", "json"}, "of the simulator: text (default, to standard error) or json (alone on standard output)");
    addNumber<unsigned>(*runCommand, "--seeds", o.seeds, 1, 1000000, "how many orders of events the simulator runs, from --seed on (default 1)");
    addChoice(*runCommand, "--completion", o.completion, {"late", "random"},
              "when the simulator lets asynchronous work complete: late (default: as late as may be) or random");
  }
  void addCompile() {
    CompileOptions &o = compileOptions;
    compileCommand = add("compile", "Compile a program, or a file of IR", examples.compile());
    addProgram(compileCommand, o.program, "what to compile, or FILE.mlir");
    addConfig(compileCommand, o.config, true);
    addText(*compileCommand, "--target", "CHIP", o.target, "a chip such as sm_80", "sm_80 (default, which runs on all later chips too) or a later one");
    addChoice(*compileCommand, "--emit", o.emit, {"tile", "layout", "schedule", "base", "ptx", "cubin", "artifact"},
              "tile, layout, schedule, base, ptx, cubin (needs ptxas) or artifact (default)");
    addList(*compileCommand, "--print-ir-after", "PASS", o.printAfter, "a pass, or all: print the IR after it to standard error; may be repeated");
    addList(*compileCommand, "--cubin", "CHIP", o.cubins, "put machine code for this chip into the artifact (needs ptxas); may be repeated");
    addNumber<int>(*compileCommand, "--warps", o.warps, 0, 32, "warps of an instance (default: the schedule's choice)");
    addNumber<int>(*compileCommand, "--stages", o.stages, 0, 64, "depth of the copy ring (default: the schedule's choice)");
    addFile(*compileCommand, "-o,--out", o.out, "output file, or - for standard output (default: that for text, PROGRAM.tilefold or .cubin else)");
  }
  void addInfo() {
    infoCommand = add("info", "Print what an artifact holds, as JSON", examples.info());
    infoCommand->add_option("artifact", infoOptions.artifact, "the file");
    infoCommand->add_flag("--code", infoOptions.code, "with the PTX and cubins");
  }
  void addExplain() {
    ExplainOptions &o = explainOptions;
    explainCommand = add("explain", "Say how well a program fits a problem and a device, and what to choose instead", examples.explain());
    addProgram(explainCommand, o.program, "what to explain");
    addNumber<std::int64_t>(*explainCommand, "--batch", o.batch, 0, kMostExtent, "batch (default 1)");
    addText(*explainCommand, "--heads", "HEADS", o.heads, "query heads or query heads/key heads (such as 32/8)",
            "query heads, or query heads/key heads (default 32/8)");
    addNumber<std::int64_t>(*explainCommand, "--sq", o.sq, 0, kMostExtent, "queries (default 4096)");
    addNumber<std::int64_t>(*explainCommand, "--sk", o.sk, 0, kMostExtent, "keys (default: as many as queries)");
    addConfig(explainCommand, o.config, true);
    addScalars(explainCommand, o.scalars);
    addText(*explainCommand, "--shape", "SHAPE", o.shape, "NAME=EXTENTxEXTENT,...",
            "NAME=EXTENTxEXTENT,...: shapes of the inputs of programs that are no attention");
    addText(*explainCommand, "--device", "DEVICE", o.device, "one of " + deviceList(), deviceList() + " (default h200)");
  }

  const Programs &programs;
  Examples examples;
  CLI::App *runCommand = nullptr, *compileCommand = nullptr, *infoCommand = nullptr, *explainCommand = nullptr;
  RunOptions runOptions;
  CompileOptions compileOptions;
  InfoOptions infoOptions;
  ExplainOptions explainOptions;
};

} // namespace

const NamedKernel &findProgram(const Programs &programs, const std::string &name) {
  if (name.empty() && programs.size() == 1)
    return programs.front();
  for (const NamedKernel &program : programs)
    if (program.name == name)
      return program;
  throw UsageError{fmt::format("program: expected one of {}, got {}", programList(programs), name.empty() ? "none; see --help" : "'" + name + "'")};
}

bool isSameFile(const std::string &a, const std::string &b) {
  std::error_code ignored;
  return !a.empty() && !b.empty() && std::filesystem::equivalent(a, b, ignored);
}

Config makeConfig(const ConfigOptions &options, std::string_view target) {
  Config config;
  config.shared_bytes = *support::promised_shared_bytes(target);
  config.causal = options.causal;
  if (options.dtype) {
    const auto dtype = support::dtype_from_name(*options.dtype);
    if (!dtype || !support::is_float(*dtype))
      throw UsageError{fmt::format("--dtype: expected f16, bf16 or f32, got '{}'", *options.dtype)};
    config.dtype = *dtype;
  }
  if (options.headDim)
    config.head_dim = *options.headDim;
  return config;
}

} // namespace cli

int tool(int argc, char **argv, std::vector<NamedKernel> kernels) {
  std::string name = argc > 0 ? argv[0] : "tilefold";
  name = name.substr(name.find_last_of('/') + 1);
  cli::Parser parser(name, kernels);
  return cli::runProcess(name, parser.app, [&] { return parser.dispatch(argc, argv); });
}

} // namespace tilefold
