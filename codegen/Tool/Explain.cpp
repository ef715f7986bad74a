// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `explain`: how a program fits a problem and a device, and which program fits better.
#include "codegen/Tool/Estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tilefold::cli {
namespace {

std::string scaled(double value, double base, std::initializer_list<const char *> units) {
  const char *unit = *units.begin();
  if (value == 0)
    return fmt::format("0 {}", unit);
  for (auto next = units.begin() + 1; next != units.end() && value >= base; ++next) {
    value /= base;
    unit = *next;
  }
  const double digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, int(digits), unit);
}
std::string bytesText(double bytes) { return scaled(bytes, 1000, {"B", "kB", "MB", "GB", "TB"}); }
std::string flopsText(double flops) { return scaled(flops, 1000, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"}); }
std::string secondsText(double seconds) { return scaled(seconds * 1e9, 1000, {"ns", "us", "ms", "s"}); }
std::string plural(std::int64_t count, const char *one, const char *many) { return fmt::format("{} {}", count, count == 1 ? one : many); }
std::string countText(double count) { return fmt::format("{:.0f}", count); }

/// "273 M "
std::string countOf(double count) {
  const std::string text = scaled(count, 1000, {"", "k", "M", "G", "T"});
  return text + (text.back() == ' ' ? "" : " ");
}

/// Which keys the queries see, as far as it is known.
enum class Visibility { Known, AtMost, Unknown };

struct Problem {
  Shapes shapes;
  bool attention = false, causal = false;
  std::int64_t batch = 0, queryHeads = 0, keyHeads = 0, queries = 0, keys = 0, headDim = 0;
  support::DType dtype = support::DType::f16;
  Visibility visibility = Visibility::Unknown;
  std::optional<std::int64_t> left, right; ///< of a window; causal: right is 0

  /// Pairs of a query and a key that it sees (or may see, where a function decides).
  double pairs() const {
    double total = 0;
    if (!left && !right)
      total = double(queries) * double(keys);
    else
      for (std::int64_t i = 0; i < queries; ++i) {
        const std::int64_t position = i + keys - queries;
        const std::int64_t first = left ? std::max<std::int64_t>(position - *left, 0) : 0;
        const std::int64_t last = right ? std::min(position + *right, keys - 1) : keys - 1;
        total += double(std::max<std::int64_t>(last - first + 1, 0));
      }
    return total * double(batch) * double(queryHeads);
  }
  double usefulFlops() const { return 4 * double(headDim) * pairs(); }
};

/// What the program's reference says of its mask.
void readVisibility(Problem &problem, const NamedKernel &program, const Config &config) {
  if (!program.about.attention)
    return;
  const support::AttentionOptions options = program.about.attention(config);
  problem.visibility = options.visible ? Visibility::AtMost : Visibility::Known;
  problem.left = options.window_left;
  problem.right = options.causal ? std::optional<std::int64_t>(0) : options.window_right;
}

Problem makeProblem(const ExplainOptions &options, const Traced &traced, const NamedKernel &program, const Config &config) {
  const Module &module = traced.module;
  Problem problem;
  problem.dtype = config.dtype;
  problem.attention = isAttention(module);
  if (!problem.attention) {
    for (const auto &[option, given] : {std::pair("--batch", options.batch.has_value()),
                                        {"--heads", options.heads.has_value()},
                                        {"--sq", options.sq.has_value()},
                                        {"--sk", options.sk.has_value()}})
      if (given)
        throw UsageError{fmt::format("{}: '{}' is no attention, it takes --shape", option, program.name)};
    const std::string &text = options.shape.empty() ? program.about.random : options.shape;
    if (text.empty())
      throw UsageError{"--shape: needed for a program that is no attention, such as a=300x200,b=200x150"};
    problem.shapes = parseShapes("--shape", text);
    for (const auto &[name, shape] : problem.shapes)
      if (const Argument *argument = module.find(name); !argument || argument->rank == 0)
        throw UsageError{fmt::format("--shape: '{}' is no tensor of {}", name, program.name)};
    return problem;
  }
  if (!options.shape.empty())
    throw UsageError{"--shape: '" + program.name + "' is attention, which takes --batch, --heads, --sq, --sk and --head-dim"};
  std::tie(problem.queryHeads, problem.keyHeads) = parseHeads("--heads", options.heads.value_or("32/8"));
  problem.causal = config.causal;
  problem.batch = options.batch.value_or(1);
  problem.queries = options.sq.value_or(4096);
  problem.keys = options.sk.value_or(problem.queries);
  checkTensorCores(program, traced);
  // The program says itself what it is made for.
  problem.headDim = module.headDim().value_or(config.head_dim);
  problem.dtype = module.find("q")->dtype;
  readVisibility(problem, program, config);
  problem.shapes = {{"q", {problem.batch, problem.queryHeads, problem.queries, problem.headDim}},
                    {"k", {problem.batch, problem.keyHeads, problem.keys, problem.headDim}},
                    {"v", {problem.batch, problem.keyHeads, problem.keys, problem.headDim}}};
  return problem;
}

/// "32 of 132 (24 %)"
std::string busyText(const LaunchEstimate &launch, const Device &device) {
  return fmt::format("{} of {}, {:.0f} % of the time", std::min<std::int64_t>(std::int64_t(launch.work.instances), device.multiprocessors),
                     device.multiprocessors, 100 * launch.busy / std::min(1.0, launch.work.instances / device.multiprocessors));
}

void printProblem(const NamedKernel &program, const Problem &problem, const Device &device) {
  fmt::print("{} on {} (sm_{}{}: {} SMs, {} a second from memory, {:.0f} TFLOP/s in {} products)\n", program.name, device.name,
             device.capabilityMajor, device.capabilityMinor, device.multiprocessors, bytesText(device.memoryGBs * 1e9),
             device.productTflops, support::name(problem.dtype));
  if (problem.attention)
    fmt::print("batch {}, heads {}/{}, {}, {}, head dim {}{}\n\n", problem.batch, problem.queryHeads, problem.keyHeads,
               plural(problem.queries, "query", "queries"), plural(problem.keys, "key", "keys"), problem.headDim, problem.causal ? ", causal" : "");
  else {
    for (const auto &[name, shape] : problem.shapes)
      fmt::print("{} {}  ", name, support::to_string(shape));
    fmt::print("\n\n");
  }
}

void printLaunches(const ProgramEstimate &estimate, const Device &device) {
  for (const LaunchEstimate &launch : estimate.launches) {
    const LaunchWork &work = launch.work;
    fmt::print("launch '{}'\n", work.kernel);
    if (work.instances == 0) {
      fmt::print("  instances     0 = {} x {} x {}: no work, nothing is launched\n", work.grid[0], work.grid[1],
                 work.grid[2]);
      continue;
    }
    fmt::print("  instances     {} = {} x {} x {}, of {} threads and {} shared memory\n", countText(work.instances), work.grid[0],
               work.grid[1], work.grid[2], launch.threads, bytesText(double(launch.sharedBytes)));
    fmt::print("  waves         {:.2f}, with {} on an SM at once\n", launch.waves,
               plural(launch.blocksPerMultiprocessor, "instance", "instances"));
    fmt::print("  SMs busy      {}\n", busyText(launch, device));
    fmt::print("  bytes         {} through memory; the instances ask for {}\n", bytesText(launch.memoryBytes), bytesText(launch.askedBytes));
    fmt::print("  products      {}; and {}exponentials, {}operations on elements\n", flopsText(work.productFlops), countOf(work.exponentials),
               countOf(work.elementOperations));
    fmt::print("  at least      memory {}, loads and stores {}, products {}, exponentials {}, elements {}\n",
               secondsText(launch.memorySeconds), secondsText(launch.accessSeconds), secondsText(launch.productSeconds),
               secondsText(launch.exponentialSeconds), secondsText(launch.elementSeconds));
    fmt::print("  bound         {}, {}\n", launch.bound(), secondsText(launch.seconds()));
  }
}

void printSummary(const ProgramEstimate &estimate, const Problem &problem, const Device &device) {
  fmt::print("\ntensors         {} in all, workspace {}\n", bytesText(estimate.tensorBytes), bytesText(estimate.workspaceBytes));
  if (estimate.tensorBytes + estimate.workspaceBytes > device.memoryGB * 1e9)
    fmt::print("                more than the {} of memory of {}: this does not fit\n", bytesText(device.memoryGB * 1e9), device.name);
  const double computed = estimate.productFlops();
  // A bound that the mask was left out of says nothing where the kernel visits fewer blocks than that.
  const bool isBound = problem.visibility == Visibility::Known || problem.usefulFlops() <= computed;
  const bool isKnown = problem.attention && problem.visibility != Visibility::Unknown && isBound;
  const double useful = isKnown ? problem.usefulFlops() : computed;
  const double needed = std::max(estimate.tensorBytes / (device.memoryGBs * 1e9), useful / (device.productTflops * 1e12));
  if (isKnown && computed > 0) {
    const std::string share = useful > 0.1 * computed || useful == 0 ? fmt::format("{:.0f} %", 100 * useful / computed)
                                                                     : fmt::format("1 in {:.0f}", computed / useful);
    fmt::print("products        {}{} are what attention needs, {} of what is computed; the rest are rows and keys that only fill "
               "tiles or that the mask hides in them\n",
               problem.visibility == Visibility::AtMost ? "at most " : "", flopsText(useful), share);
  } else if (problem.attention && computed > 0) {
    // Without a reference nobody knows what the mask hides; the loops show which blocks of keys are visited.
    fmt::print("products        {} are computed, in the blocks of keys that the kernel visits; without any mask {} would be needed\n",
               flopsText(computed), flopsText(problem.usefulFlops()));
  }
  fmt::print("estimate        {} at best; the device itself needs {}\n", secondsText(estimate.seconds()), secondsText(needed));
}

struct Candidate {
  const NamedKernel *program;
  ProgramEstimate estimate;
};

/// Why the best candidate beats the program, in a sentence.
std::string reason(const NamedKernel &program, const ProgramEstimate &own, const Candidate &best, const Problem &problem, const Device &device) {
  const LaunchEstimate &slow = own.longest(), &fast = best.estimate.longest();
  if (slow.busy < 0.75 && fast.work.instances > slow.work.instances) {
    const bool decode = problem.queries == 1;
    return fmt::format("{} has {} for {} SMs, so most of the machine idles.\n{}{} has {}, which keep {:.0f} % of the SMs' time busy.",
                       program.name, slow.work.instances == 1 ? "one instance" : countText(slow.work.instances) + " instances",
                       device.multiprocessors, decode ? "With one query token there is one block of rows for each head, and only the keys are left to split:\n" : "",
                       best.program->name, countText(fast.work.instances), 100 * fast.busy);
  }
  if (own.productFlops() > 1.5 * best.estimate.productFlops())
    return fmt::format("{} multiplies {} times as much, most of it rows that do not exist.", program.name,
                       countText(own.productFlops() / best.estimate.productFlops()));
  if (own.askedBytes() > 1.5 * best.estimate.askedBytes())
    return fmt::format("{} moves {} times the bytes: it reads and writes again what {} keeps.", program.name,
                       countText(own.askedBytes() / best.estimate.askedBytes()), best.program->name);
  if (own.launches.size() != best.estimate.launches.size())
    return fmt::format("{} has {}, {} has {}.", best.program->name, plural(std::int64_t(best.estimate.launches.size()), "launch", "launches"),
                       program.name, own.launches.size());
  if (fast.bound() == slow.bound())
    return fmt::format("Both are bound by {}, which {} has less of.", fast.bound(), best.program->name);
  return fmt::format("Its bound is {}, where {}'s is {}.", fast.bound(), program.name, slow.bound());
}

/// Whether it can be made for any problem.
bool isGeneral(const Taken &taken) { return taken.dtype && taken.headDim; }

/// Whether the program is the one to choose.
bool printChoice(const NamedKernel &program, const ProgramEstimate &own, const Programs &programs, const Problem &problem,
                 const Config &config, const Scalars &scalars, const Device &device) {
  std::vector<Candidate> candidates{{&program, own}};
  std::vector<std::string> skipped; // "decode        cannot run like this: ..."
  for (const NamedKernel &other : programs) {
    // Only what computes the same: attention that differs in nothing but how.
    if (&other == &program || !other.configurable || !other.about.attention)
      continue;
    const auto [module, taken] = Source{other, {}}.make(config);
    if (!isGeneral(taken) || !isAttention(module))
      continue;
    // With another mask it is not the same attention.
    Problem same = problem;
    readVisibility(same, other, config);
    if (std::tie(same.visibility, same.left, same.right) != std::tie(problem.visibility, problem.left, problem.right))
      continue;
    Scalars known; // those that the other program has as well
    for (const auto &[name, value] : scalars)
      if (module.find(name))
        known[name] = value;
    auto result = estimate(module, problem.shapes, known, device);
    if (result)
      candidates.push_back({&other, *std::move(result)});
    else
      skipped.push_back(fmt::format("{:<14}cannot run like this: {}", other.name, result.message().substr(0, result.message().find('\n'))));
  }
  if (candidates.size() == 1) {
    for (const std::string &line : skipped)
      fmt::print("\n{}\n", line);
    return true;
  }
  // What differs by a hundredth is a tie, which the one with less to do wins, then the one that was asked about.
  auto rank = [&](const Candidate &one) {
    return std::tuple(std::lround(100 * std::log(one.estimate.seconds())), one.estimate.workSeconds(), one.program != &program, one.program);
  };
  std::sort(candidates.begin(), candidates.end(), [&](auto &a, auto &b) { return rank(a) < rank(b); });
  fmt::print("\n{:<14}{:>12}  {:>10}  {:>8}  bound\n", "program", "at best", "instances", "SM time");
  for (const Candidate &one : candidates) {
    const LaunchEstimate &longest = one.estimate.longest();
    fmt::print("{:<14}{:>12}  {:>10}  {:>6.0f} %  {}\n", one.program->name, secondsText(one.estimate.seconds()),
               countText(longest.work.instances), 100 * longest.busy, longest.bound());
  }
  for (const std::string &line : skipped)
    fmt::print("{}\n", line);
  const Candidate &best = candidates.front();
  const double gain = own.seconds() / best.estimate.seconds();
  if (best.program == &program || gain < 1.1) {
    fmt::print("\nchoose {}: none of the others is faster by more than a tenth.\n", program.name);
    return true;
  }
  fmt::print("\nchoose {}, {:.1f} times as fast at best. {}\n", best.program->name, gain, reason(program, own, best, problem, device));
  return false;
}

/// A number of splits that is better than the one in use, where the program lets its caller say how many.
void printSplits(const Module &module, const ProgramEstimate &own, const Problem &problem, const Scalars &scalars, const Device &device) {
  const std::string name = "splits";
  if (!problem.attention || !module.find(name))
    return;
  std::vector<Scalars> choices;
  for (int splits = 0; splits <= 1024; splits = splits ? 2 * splits : 1) { // 0: the program's own choice
    choices.push_back(scalars);
    choices.back()[name] = splits;
  }
  const auto estimates = estimateEach(module, problem.shapes, choices, device);
  if (!estimates)
    return; // one that is not allowed; the program was explained as asked
  // Of those that differ by a hundredth, the first: the program's own choice, then few.
  auto rank = [](const ProgramEstimate &one) { return std::lround(100 * std::log(one.seconds())); };
  const auto best = std::min_element(estimates->begin(), estimates->end(), [&](auto &a, auto &b) { return rank(a) < rank(b); });
  const double gain = own.seconds() / best->seconds();
  if (gain < 1.1)
    return;
  const auto splits = std::int64_t(choices[std::size_t(best - estimates->begin())][name]);
  fmt::print("\nchoose {}: {:.1f} times as fast at best, with {} instances that keep {:.0f} % of the SMs' time busy.\n",
             splits ? fmt::format("--splits {}", splits) : "the program's own number of splits, without --splits", gain,
             countText(best->longest().work.instances), 100 * best->longest().busy);
}

} // namespace

int explain(const ExplainOptions &options, const Programs &programs) {
  const NamedKernel &program = findProgram(programs, options.program);
  const Device *device = findDevice(options.device);
  if (!device) {
    std::string known;
    for (const Device &one : devices())
      known += (known.empty() ? "" : ", ") + one.name;
    throw UsageError{fmt::format("--device: expected one of {}, got '{}'", known, options.device)};
  }
  const Config config = makeConfig(options.config, device->target());
  const Traced traced = Source{program, {}}.make(config, options.config);
  const Module &module = traced.module;
  const Problem problem = makeProblem(options, traced, program, config);
  const Scalars scalars = makeScalars(program, module, options.scalars);
  const auto own = estimate(module, problem.shapes, scalars, *device);
  if (!own)
    throw UsageError{fmt::format("'{}' cannot run like this on {}: {}", program.name, device->name, own.message())};
  printProblem(program, problem, *device);
  printLaunches(*own, *device);
  printSummary(*own, problem, *device);
  if (own->seconds() == 0)
    return 0; // nothing to choose for
  if (!isGeneral(traced.taken) || printChoice(program, *own, programs, problem, config, scalars, *device))
    printSplits(module, *own, problem, scalars, *device);
  fmt::print("\nThese are bounds from the rates of the data sheet ({}255 registers a thread), not measurements.\n",
             device->mmaSyncShare < 1 ? fmt::format("mma.sync at {:.0f} % of the products' peak, ", 100 * device->mmaSyncShare) : "");
  return 0;
}

} // namespace tilefold::cli
