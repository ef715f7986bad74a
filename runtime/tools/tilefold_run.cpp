// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilefold-run: runs an artifact on tensors from a file. It links the runtime alone, no compiler.
#include "runtime/artifact/manifest.h"
#include "runtime/plan/plan.h"
#include "runtime/tools/host_run.h"
#include "support/chip.h"
#include "support/safetensors.h"
#include "support/spelling.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <set>

#include <unistd.h>

using namespace tilefold::runtime;

namespace {

constexpr const char *usage = R"(usage: tilefold-run ARTIFACT --in FILE --out FILE [options]
       tilefold-run ARTIFACT --info

Runs a compiled Tilefold program on the tensors of a safetensors file and writes its outputs to another.

  --in FILE             tensors by name; those that the program does not take are ignored. May be repeated
  --out FILE            outputs by name, dense; - for standard output
  --scalar NAME=VALUE   a scalar argument; those with a default may be left out. May be repeated
  --device N            CUDA device (default 0)
  --repeat N            launch N more times and print the mean time of a call
  --info                print the artifact's manifest as JSON
  --plan                with --in: print the launches instead of running; with --capability, without a GPU
  --capability X.Y      with --plan: for a device of this compute capability (with 132 SMs)
  --help                this text

examples:
  tilefold-run fa2.tilefold --in qkv.safetensors --out o.safetensors --scalar scale=0.125
  tilefold-run fa2.tilefold --in qkv.safetensors --out o.safetensors --repeat 100

exit codes: 0 success, 1 the run failed, 2 bad usage or input
)";

struct Options {
  std::string artifact, out;
  std::vector<std::string> in;
  std::map<std::string, double> scalars;
  HostRunOptions run;
  std::set<std::string> given; ///< options, by name
  bool info = false, plan = false;
  std::optional<DeviceProperties> device;
};

[[noreturn]] void fail(int code, const std::string &message) {
  std::fprintf(stderr, "tilefold-run: %s\n", message.c_str());
  std::exit(code);
}

/// Ends a command that prints: what was printed may still be on its way to a full disk.
int finish() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    fail(1, std::string("standard output cannot be written: ") + std::strerror(errno));
  return 0;
}

/// Input at fault gives 2, everything else 1.
int exit_code(const Status &status) {
  switch (status.code()) {
  case TILEFOLD_ERROR_NO_DRIVER:
  case TILEFOLD_ERROR_CUDA:
  case TILEFOLD_ERROR_MEMORY:
  case TILEFOLD_ERROR_INTERNAL:
    return 1;
  default:
    return 2;
  }
}

double parse_number(const std::string &option, const std::string &text) {
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end)
    fail(2, option + ": expected a number, got '" + text + "'");
  return value;
}

int parse_count(const std::string &option, const std::string &text) {
  const double value = parse_number(option, text);
  if (!(value >= 0 && value <= 1e9) || value != double(int(value)))
    fail(2, option + ": expected a count from 0 to 1000000000, got '" + text + "'");
  return int(value);
}

const std::vector<std::string> known_options{"--in", "--out", "--scalar", "--device", "--repeat", "--info", "--plan", "--capability", "--help"};

bool is_option(const std::string &word) { return word.size() > 1 && word[0] == '-' && !std::isdigit(static_cast<unsigned char>(word[1])); }

/// Options that would have no effect, or that would overwrite an input, are refused.
void check_use(const Options &options) {
  if (options.device && !options.plan)
    fail(2, "--capability: is for --plan");
  const std::string mode = options.info ? "--info" : options.plan ? "--plan" : "";
  for (const std::string &option : options.given) {
    const bool plans = option == "--in" || option == "--scalar" || option == "--capability" || option == "--device";
    if (!mode.empty() && option != mode && !(options.plan && !options.info && plans))
      fail(2, option + ": has no effect with " + mode);
  }
  if (options.device && options.given.count("--device"))
    fail(2, "--device: has no effect with --capability");
  std::error_code ignored;
  for (const std::string &path : options.in)
    if (!options.out.empty() && std::filesystem::equivalent(path, options.out, ignored))
      fail(2, "--out: '" + options.out + "' is an input: expected another file");
  if (!options.out.empty() && std::filesystem::equivalent(options.artifact, options.out, ignored))
    fail(2, "--out: '" + options.out + "' is the artifact: expected another file");
}

Options parse_options(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    auto value = [&]() -> std::string {
      if (i + 1 == argc)
        fail(2, option + ": expected a value, got none; see --help");
      const std::string word = argv[++i];
      if (word.empty() || std::find(known_options.begin(), known_options.end(), word) != known_options.end())
        fail(2, option + ": expected a value, got " + (word.empty() ? "''" : "the option '" + word + "'"));
      return word;
    };
    if (is_option(option) && !options.given.insert(option).second && option != "--in" && option != "--scalar")
      fail(2, option + ": is given twice, expected once");
    if (option == "--help" || option == "-h") {
      std::fputs(usage, stdout);
      std::exit(finish());
    } else if (option == "--in") {
      options.in.push_back(value());
    } else if (option == "--out") {
      options.out = value();
    } else if (option == "--scalar") {
      const std::string text = value();
      const size_t equals = text.find('=');
      if (equals == std::string::npos)
        fail(2, "--scalar: expected NAME=VALUE, got '" + text + "'");
      const std::string name = text.substr(0, equals);
      if (!options.scalars.emplace(name, parse_number("--scalar " + name, text.substr(equals + 1))).second)
        fail(2, "--scalar: '" + name + "' is given twice");
    } else if (option == "--device") {
      options.run.device = parse_count(option, value());
    } else if (option == "--repeat") {
      options.run.repeat = parse_count(option, value());
    } else if (option == "--info") {
      options.info = true;
    } else if (option == "--plan") {
      options.plan = true;
    } else if (option == "--capability") {
      const std::string text = value();
      int major = 0, minor = 0;
      char rest = 0;
      if (std::sscanf(text.c_str(), "%d.%d%c", &major, &minor, &rest) != 2)
        fail(2, "--capability: expected a major and a minor number such as 9.0, got '" + text + "'");
      const std::optional<int> shared = tilefold::support::shared_bytes_of(major, minor);
      if (!shared)
        fail(2, "--capability: expected that of one of " + tilefold::support::targets_with() + " (8.0 for sm_80), got '" + text + "'");
      options.device = DeviceProperties{major, minor, 132, *shared};
    } else if (is_option(option)) {
      fail(2, option + ": expected an option of --help" + tilefold::support::did_you_mean(option, known_options));
    } else if (options.artifact.empty()) {
      options.artifact = option;
    } else {
      fail(2, "'" + option + "' is one argument too many: expected one ARTIFACT, which is '" + options.artifact + "'; see --help");
    }
  }
  if (options.artifact.empty())
    fail(2, "ARTIFACT: expected the file of one, got none; see --help");
  check_use(options);
  if (!options.info && options.in.empty())
    fail(2, "--in: expected a file with the inputs, got none; see --help");
  if (!options.info && !options.plan && options.out.empty())
    fail(2, "--out: expected a file for the outputs, got none; see --help");
  return options;
}

/// The program's tensors that the files hold.
std::map<std::string, tilefold::support::HostTensor> load_tensors(const Options &options, const Manifest &manifest) {
  std::map<std::string, tilefold::support::HostTensor> tensors;
  for (const std::string &path : options.in) {
    auto file = tilefold::support::SafetensorsFile::open(path);
    if (!file)
      fail(2, "--in: " + file.message());
    for (const TensorDeclaration &declared : manifest.tensors) {
      if (!file->find(declared.name) || declared.role == TILEFOLD_OUTPUT)
        continue;
      auto tensor = file->load(declared.name);
      if (!tensor)
        fail(2, "--in: " + tensor.message());
      tensors.insert_or_assign(declared.name, *std::move(tensor));
    }
  }
  return tensors;
}

void print_plan(const Artifact &artifact, const Options &options,
                const std::map<std::string, tilefold::support::HostTensor> &tensors) {
  const Manifest &manifest = artifact.manifest();
  DeviceProperties device{};
  if (options.device) {
    device = *options.device;
  } else {
    Result<DeviceProperties> found = device_properties(options.run.device);
    if (!found)
      fail(exit_code(found.status()), found.status().message() + " (--capability plans without one)");
    device = *found;
  }
  Arguments arguments;
  // Addresses that do not overlap; formulas see only their alignment.
  auto address = [next = uint64_t(1) << 32]() mutable { return reinterpret_cast<const void *>(next += uint64_t(1) << 44); };
  for (const auto &[name, tensor] : tensors)
    arguments.tensor(name, address(), dtype_of(tensor.dtype()), tensor.shape(), tensor.strides());
  if (Status status = add_scalars(manifest, options.scalars, arguments); !status)
    fail(exit_code(status), status.message());
  for (const TensorDeclaration &declared : manifest.tensors) {
    if (declared.role != TILEFOLD_OUTPUT)
      continue;
    Result<std::vector<int64_t>> shape = artifact.expected_shape(arguments.view(), device, declared.name);
    if (!shape)
      fail(exit_code(shape.status()), shape.status().message());
    arguments.tensor(declared.name, address(), declared.dtype, *shape);
  }
  Result<Plan> plan = artifact.plan(arguments.view(), device);
  if (!plan)
    fail(exit_code(plan.status()), plan.status().message());
  std::printf("%s\n", plan_to_json_text(manifest, *plan).c_str());
}

int run(int argc, char **argv) {
  const Options options = parse_options(argc, argv);
  Result<Artifact> artifact = Artifact::open(options.artifact);
  if (!artifact)
    fail(2, "ARTIFACT: " + artifact.status().message());
  if (options.info) {
    std::printf("%s\n", artifact->to_json_text().c_str());
    return finish();
  }
  const auto tensors = load_tensors(options, artifact->manifest());
  if (options.plan) {
    print_plan(*artifact, options, tensors);
    return finish();
  }
  std::map<std::string, const tilefold::support::HostTensor *> views;
  for (const auto &[name, tensor] : tensors)
    views[name] = &tensor;
  Result<HostRunResult> result = run_on_host_tensors(*artifact, views, options.scalars, options.run);
  if (!result)
    fail(exit_code(result.status()), result.status().message());
  std::vector<std::pair<std::string, const tilefold::support::HostTensor *>> outputs;
  for (const auto &[name, tensor] : result->outputs)
    outputs.emplace_back(name, &tensor);
  const bool alone = options.out == "-"; // on standard output
  const std::map<std::string, std::string> metadata{{"program", artifact->program()}};
  if (auto status = alone ? tilefold::support::write_safetensors(STDOUT_FILENO, outputs, metadata)
                          : tilefold::support::write_safetensors(options.out, outputs, metadata); !status)
    fail(1, "--out: " + status.message());
  if (options.run.repeat > 0)
    std::fprintf(alone ? stderr : stdout, "%s: %.3f us on the device, %.3f us on the host, mean of %d calls\n", artifact->program().c_str(),
                result->times.device_microseconds, result->times.host_microseconds, options.run.repeat);
  return finish();
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc &) { // tensors are asked for before (support/memory.h)
    fail(1, "out of memory");
  } catch (const std::exception &error) {
    fail(1, error.what());
  }
}
