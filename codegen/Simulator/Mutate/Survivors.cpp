// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Simulator/Mutate/Survivors.h"
#include <algorithm>
#include <set>
#include <sstream>

namespace tilefold::sim {

using support::Result;
using support::Status;

Result<std::vector<Survivor>> parseSurvivors(const std::string &text) {
  std::vector<Survivor> list;
  std::set<std::string> names;
  size_t first = 0; // of the paragraph's names
  bool hasReason = false;
  std::istringstream lines(text);
  std::string line;
  for (unsigned number = 1; std::getline(lines, line); ++number) {
    auto error = [&](const std::string &what) { return Status::error("line " + std::to_string(number) + ": " + what); };
    const size_t begin = line.find_first_not_of(" \t\r"), end = line.find_last_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#')
      continue;
    std::string content = line.substr(begin, end + 1 - begin);
    if (begin == 0) {
      if (hasReason)
        first = list.size();
      hasReason = false;
      if (!names.insert(content).second)
        return error("'" + content + "' is listed twice");
      list.push_back({std::move(content), ""});
      continue;
    }
    if (list.empty())
      return error("a reason without a name above it");
    hasReason = true;
    for (size_t i = first; i < list.size(); ++i)
      list[i].reason += (list[i].reason.empty() ? "" : " ") + content;
  }
  for (const Survivor &survivor : list)
    if (survivor.reason.empty())
      return Status::error("'" + survivor.name + "' has no reason");
  return list;
}

std::vector<std::string> compareSurvivors(const std::vector<Survivor> &listed, const MutationResults &results) {
  std::vector<std::string> differences;
  auto isListed = [&](const std::string &name) {
    return std::any_of(listed.begin(), listed.end(), [&](const Survivor &survivor) { return survivor.name == name; });
  };
  for (const MutantResult &mutant : results.mutants) {
    if (mutant.foundBy.empty() && !isListed(mutant.name))
      differences.push_back("survived and is not listed: " + mutant.name);
    if (!mutant.foundBy.empty() && isListed(mutant.name))
      differences.push_back("is listed and was found by " + mutant.foundBy + ": " + mutant.name);
  }
  for (const Survivor &survivor : listed) {
    const std::string kernel = survivor.name.substr(0, survivor.name.find(' '));
    if (std::count(results.kernels.begin(), results.kernels.end(), kernel) &&
        !std::count(results.names.begin(), results.names.end(), survivor.name))
      differences.push_back("is listed and does not exist: " + survivor.name);
  }
  return differences;
}

} // namespace tilefold::sim
