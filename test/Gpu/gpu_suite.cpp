// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilefold-gpu-suite: runs a folder of artifacts on a GPU and compares what they compute with fp64. Links the runtime alone.
#include "support/progress.h"
#include "support/spelling.h"
#include "test/Gpu/suite.h"
#include "test/Gpu/supervisor.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace tilefold::gpu_suite;
using nlohmann::json;

namespace {

constexpr const char *usage = R"(usage: tilefold-gpu-suite FOLDER [options]

Runs every case on every artifact (*.tfa) of a folder and compares the results with attention in fp64.

  --out FILE       write all results as JSON
  --commit TEXT    commit of the artifacts, for the JSON
  --filter TEXT    only items whose "artifact: case" contains the text; may be repeated, all must match
  --code WHICH     preferred (default), jit: compile PTX though there are cubins, both: each in turn
  --device N       CUDA device (default 0)
  --seconds N      that one item may take (default 60)
  --list           print the items
  --dry            plan every item for an H200: guards, alternatives, grids; needs no GPU
  --help           this text

exit codes: 0 all passed, 1 some failed, 2 bad usage or input
)";

constexpr int exit_fatal = 3; ///< of a child: the context is broken

struct Options {
  std::string folder, out, commit;
  std::vector<std::string> filters;
  Code code = Code::preferred;
  int device = 0, seconds = 60, from = 0, report = -1;
  bool list = false, dry = false;
};

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "tilefold-gpu-suite: %s\n", message.c_str());
  std::exit(2);
}

const std::vector<std::string> known_options{"--out", "--commit", "--filter", "--code", "--device", "--seconds", "--list", "--dry", "--help"};

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    auto value = [&]() -> std::string {
      if (i + 1 == argc)
        fail(option + ": expected a value, got none; see --help");
      const std::string word = argv[++i];
      if (std::find(known_options.begin(), known_options.end(), word) != known_options.end())
        fail(option + ": expected a value, got the option '" + word + "'");
      return word;
    };
    auto number = [&] {
      const std::string text = value();
      char *end = nullptr;
      const long n = std::strtol(text.c_str(), &end, 10);
      if (text.empty() || *end || n < 0 || n > 1000000)
        fail(option + ": expected a number from 0 to 1000000, got '" + text + "'");
      return int(n);
    };
    if (option == "--help") {
      std::fputs(usage, stdout);
      std::exit(0);
    } else if (option == "--out") {
      options.out = value();
    } else if (option == "--commit") {
      options.commit = value();
    } else if (option == "--filter") {
      options.filters.push_back(value());
    } else if (option == "--code") {
      const std::string which = value();
      if (which != "preferred" && which != "jit" && which != "both")
        fail("--code: expected preferred, jit or both, got '" + which + "'");
      options.code = which == "jit" ? Code::jit : which == "both" ? Code::both : Code::preferred;
    } else if (option == "--device") {
      options.device = number();
    } else if (option == "--seconds") {
      options.seconds = std::max(1, number());
    } else if (option == "--from") {
      options.from = number();
    } else if (option == "--report") {
      options.report = number();
    } else if (option == "--list") {
      options.list = true;
    } else if (option == "--dry") {
      options.dry = true;
    } else if (!option.empty() && option[0] == '-') {
      fail(option + ": expected an option of --help" + tilefold::support::did_you_mean(option, known_options));
    } else if (options.folder.empty()) {
      options.folder = option;
    } else {
      fail("'" + option + "' is one argument too many: expected one FOLDER, which is '" + options.folder + "'; see --help");
    }
  }
  if (options.folder.empty())
    fail("FOLDER: expected one of artifacts, got none; see --help");
  return options;
}

std::vector<Item> make_items(const std::vector<SuiteArtifact> &artifacts, const std::vector<std::string> &filters) {
  std::vector<Item> all;
  for (auto &&part : {launch_items(artifacts), loading_items(artifacts), bits_items(artifacts), example_items(artifacts), attention_items(artifacts)})
    all.insert(all.end(), part.begin(), part.end());
  std::vector<Item> chosen;
  for (Item &item : all) {
    const std::string text = item.file + ": " + item.name;
    if (std::all_of(filters.begin(), filters.end(), [&](const std::string &filter) { return text.find(filter) != std::string::npos; }))
      chosen.push_back(std::move(item));
  }
  return chosen;
}

json to_json(const Outcome &outcome) {
  json criteria = json::object();
  for (const Criterion &criterion : outcome.criteria) {
    if (criterion.verdict == Verdict::skipped)
      continue;
    json &entry = criteria[criterion.name];
    if (!entry.is_null() && entry.value("failed", false))
      continue; // the first failure of a name stays
    entry = {{"measured", criterion.measured}, {"limit", criterion.limit}};
    if (criterion.verdict == Verdict::fail) {
      entry["failed"] = true;
      entry["detail"] = criterion.detail;
    }
  }
  json line = {{"verdict", !outcome.skipped.empty() ? "skip" : outcome.passed() ? "pass" : "fail"}, {"criteria", std::move(criteria)}};
  if (!outcome.skipped.empty())
    line["skipped"] = outcome.skipped;
  if (!outcome.alternative.empty())
    line["alternative"] = outcome.alternative;
  if (!outcome.code.empty())
    line["code"] = outcome.code;
  return line;
}

std::string failures_of(const json &line) {
  std::string text;
  for (const auto &[name, criterion] : line["criteria"].items())
    if (criterion.value("failed", false)) {
      char numbers[80] = "";
      if (criterion.contains("measured") && criterion["measured"].is_number() && criterion["limit"].is_number() &&
          (criterion["measured"] != 0 || criterion["limit"] != 0))
        std::snprintf(numbers, sizeof numbers, " %.3g, limit %.3g", criterion["measured"].get<double>(), criterion["limit"].get<double>());
      text += "\n      " + name + numbers + (criterion.value("detail", "").empty() ? "" : ": " + criterion.value("detail", ""));
    }
  return text;
}

/// Registers and spills of each kernel, as the driver's compiler reports them.
json compiler_notes(const std::string &log) {
  json notes = json::array();
  for (std::size_t at = 0, end; at < log.size(); at = end + 1) {
    end = std::min(log.find('\n', at), log.size());
    const std::string line = log.substr(at, end - at);
    if (line.find("Used") != std::string::npos || (line.find("spill") != std::string::npos && line.find(" 0 bytes spill stores") == std::string::npos))
      notes.push_back(line);
  }
  return notes;
}

/// The child: runs items from `options.from` on and reports each.
int run_items(const Options &options, const std::vector<Item> &items) {
  const Reporter reporter(options.report);
  auto gpu = Gpu::open(options.device);
  if (!gpu) {
    std::fprintf(stderr, "tilefold-gpu-suite: %s\n", gpu.status().message().c_str());
    return 2;
  }
  int version = 0;
  (void)(*gpu)->driver().cuDriverGetVersion(&version);
  const auto &properties = (*gpu)->device().properties;
  reporter.write({{"about",
                   {{"card", (*gpu)->card()},
                    {"cuda_driver", version},
                    {"capability", std::to_string(properties.capability_major) + "." + std::to_string(properties.capability_minor)},
                    {"multiprocessors", properties.multiprocessor_count},
                    {"free_gigabytes", (*gpu)->free_gigabytes()}}}});
  std::vector<const SuiteArtifact *> used;
  std::set<const SuiteArtifact *> seen;
  for (std::size_t i = std::size_t(options.from); i < items.size(); ++i)
    if (seen.insert(items[i].artifact).second)
      used.push_back(items[i].artifact);
  const auto begin_load = std::chrono::steady_clock::now();
  const std::map<std::string, double> load_ms = preload(**gpu, used);
  const double load_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_load).count();
  json loaded = json::array();
  for (const SuiteArtifact *artifact : used) {
    const auto ms = load_ms.find(artifact->file);
    loaded.push_back({{"artifact", artifact->file},
                      {"hash", artifact->hash},
                      {"load_ms", ms == load_ms.end() ? 0 : ms->second},
                      {"compiler", compiler_notes(artifact->artifact.jit_log(options.device))}});
  }
  reporter.write({{"loaded", std::move(loaded)}, {"seconds", load_seconds}});
  reporter.write({{"ready", true}});
  Session session;
  session.gpu = gpu->get();
  for (std::size_t i = std::size_t(options.from); i < items.size(); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    const Outcome outcome = items[i].run(session);
    json line = to_json(outcome);
    line["item"] = i;
    line["ms"] = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    const bool fatal = !outcome.passed() && outcome.skipped.empty() && !session.gpu->synchronize();
    if (fatal)
      line["fatal"] = true;
    reporter.write(line);
    if (fatal)
      _exit(exit_fatal); // not through the destructors of a broken context
  }
  return 0;
}

const std::vector<Item> *all_items = nullptr; ///< for the callback below

void print_failure(const json &line) {
  if (line["verdict"] != "fail")
    return;
  const Item &item = (*all_items)[line["item"].get<std::size_t>()];
  std::printf("FAIL  %s: %s%s\n", item.file.c_str(), item.name.c_str(), failures_of(line).c_str());
  std::fflush(stdout);
}

int run_all(const Options &options, const std::vector<Item> &items, int argc, char **argv) {
  const auto begin = std::chrono::steady_clock::now();
  all_items = &items;
  SupervisorOptions supervisor;
  supervisor.command.assign(argv, argv + argc);
  supervisor.items = int(items.size());
  supervisor.seconds = options.seconds;
  Supervised done = supervise(supervisor, print_failure);
  int passed = 0, failed = 0, skipped = 0;
  json document = {{"suite", "tilefold-gpu-suite"}, {"commit", options.commit}, {"results", json::array()}};
  for (json &line : done.others) {
    if (line.contains("about"))
      document["about"] = line["about"];
    if (line.contains("loaded") && !document.contains("artifacts")) {
      document["artifacts"] = line["loaded"];
      document["load_seconds"] = line["seconds"];
    }
  }
  // Set by the script that starts us, for the driver's own version is not known to its library.
  if (const char *driver = std::getenv("TILEFOLD_DRIVER_VERSION"))
    document["about"]["driver"] = driver;
  for (json &line : done.items) {
    const Item &item = items[line["item"].get<std::size_t>()];
    const std::string verdict = line["verdict"];
    ++(verdict == "pass" ? passed : verdict == "skip" ? skipped : failed);
    line["artifact"] = item.file;
    line["case"] = item.name;
    line.erase("item");
    document["results"].push_back(std::move(line));
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  document["summary"] = {{"passed", passed}, {"failed", failed}, {"skipped", skipped}, {"seconds", seconds}};
  if (!options.out.empty()) {
    std::ofstream file(options.out);
    file << document.dump(0, ' ', false, json::error_handler_t::replace) << "\n";
    if (!file.flush())
      fail("--out: cannot write '" + options.out + "'");
  }
  const json about = document.value("about", json::object());
  std::printf("%s, driver %s, commit %s, %.0f s, of which %.0f s compiling PTX\n", about.value("card", "no device").c_str(),
              about.value("driver", "?").c_str(), options.commit.empty() ? "?" : options.commit.c_str(), seconds,
              document.value("load_seconds", 0.0));
  std::printf("%d passed, %d failed%s\n", passed, failed, skipped ? (", " + std::to_string(skipped) + " skipped").c_str() : "");
  return failed == 0 && passed > 0 ? 0 : 1;
}

int plan_all(const std::vector<Item> &items) {
  constexpr tilefold::runtime::DeviceProperties h200{9, 0, 132, 232448};
  int planned = 0, failed = 0, skipped = 0;
  std::map<std::string, int> alternatives;
  for (const Item &item : items) {
    const Outcome outcome = item.plan(h200);
    ++(!outcome.skipped.empty() ? skipped : outcome.passed() ? planned : failed);
    if (!outcome.alternative.empty())
      ++alternatives[outcome.alternative];
    if (outcome.skipped.empty() && !outcome.passed())
      std::printf("FAIL  %s: %s%s\n", item.file.c_str(), item.name.c_str(), failures_of(to_json(outcome)).c_str());
  }
  for (const auto &[name, count] : alternatives)
    std::printf("%d take '%s'\n", count, name.c_str());
  std::printf("%d planned, %d failed, %d only on a GPU\n", planned, failed, skipped);
  return failed == 0 && planned > 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  const Options options = parse(argc, argv);
  const auto artifacts = load_artifacts(options.folder, options.code);
  if (!artifacts)
    fail(artifacts.status().message());
  const std::vector<Item> items = make_items(*artifacts, options.filters);
  if (items.empty())
    fail("--filter: expected a part of an item's name, which --list prints: none matches");
  if (options.list) {
    for (const Item &item : items)
      std::printf("%s: %s\n", item.file.c_str(), item.name.c_str());
    std::printf("%zu items\n", items.size());
  }
  const int result = options.list          ? 0
                     : options.dry         ? plan_all(items)
                     : options.report >= 0 ? run_items(options, items)
                                           : run_all(options, items, argc, argv);
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    fail("standard output cannot be written");
  return result;
}
