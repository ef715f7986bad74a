// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/memory.h"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace tilefold::support {

namespace {

using Bytes = std::optional<std::uint64_t>;

/// Kept for what a process needs besides tensors.
constexpr std::uint64_t reserve = std::uint64_t(64) << 20;

Bytes less(Bytes a, Bytes b) { return !a ? b : !b ? a : std::min(*a, *b); }

/// The number after `key` in a file of lines "key number"; without a key, the file's only number.
Bytes number_in(const std::string &path, std::string_view key = {}) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  if (key.empty())
    return file >> number ? Bytes(number) : std::nullopt; // "max" is no number, and no limit
  while (file >> word)
    if (word == key)
      return file >> number ? Bytes(number) : std::nullopt;
  return std::nullopt;
}

/// What a control group leaves of its limit. Pages of files count as used, but are given back when somebody needs them.
Bytes left_in_group(const std::string &folder, const char *limit_file, const char *used_file) {
  const Bytes limit = number_in(folder + limit_file), used = number_in(folder + used_file);
  if (!limit || !used)
    return std::nullopt;
  const std::string statistics = folder + "/memory.stat";
  const std::uint64_t files = number_in(statistics, "inactive_file").value_or(0) + number_in(statistics, "active_file").value_or(0);
  const std::uint64_t taken = *used - std::min(*used, files);
  return *limit - std::min(*limit, taken);
}

/// Of the process's group and all above it: version 2 ("0::/path"), or the memory controller of version 1 ("5:memory:/path").
Bytes left_in_groups() {
  std::ifstream file("/proc/self/cgroup");
  Bytes left;
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool version2 = controllers.empty();
    if (!version2 && ("," + controllers + ",").find(",memory,") == std::string::npos)
      continue;
    const std::string root = version2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory";
    for (std::string path = line.substr(second + 1);; path.erase(path.rfind('/'))) {
      const std::string folder = root + (path == "/" ? "" : path);
      left = less(left, version2 ? left_in_group(folder, "/memory.max", "/memory.current")
                                 : left_in_group(folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes"));
      if (path.empty() || path.rfind('/') == std::string::npos)
        break;
    }
  }
  return left;
}

/// What a limit of the process leaves; `field` of /proc/self/statm has the pages that it has taken.
Bytes left_of_limit(int resource, int field) {
  rlimit limit;
  if (::getrlimit(__rlimit_resource_t(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  std::ifstream file("/proc/self/statm");
  std::uint64_t pages = 0;
  for (int i = 0; i <= field; ++i)
    file >> pages;
  const std::uint64_t used = file ? pages * std::uint64_t(::sysconf(_SC_PAGESIZE)) : 0;
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

} // namespace

std::optional<std::uint64_t> available_memory() {
  Bytes system = number_in("/proc/meminfo", "MemAvailable:");
  if (system)
    system = *system * 1024;
  const Bytes swap = number_in("/proc/meminfo", "SwapFree:");
  if (system && swap)
    system = *system + *swap * 1024;
  Bytes left = less(less(system, left_in_groups()), less(left_of_limit(RLIMIT_AS, 0), left_of_limit(RLIMIT_DATA, 5)));
  if (left)
    left = *left - std::min(*left, reserve);
  return left;
}

Status check_memory(std::uint64_t bytes, const std::string &what) {
  const Bytes available = available_memory();
  if (!available || bytes <= *available)
    return {};
  return Status::error(what + " needs " + std::to_string(bytes) + " bytes of memory, " + std::to_string(*available) + " are available");
}

} // namespace tilefold::support
