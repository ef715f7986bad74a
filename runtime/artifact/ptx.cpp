// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/artifact/ptx.h"

#include <charconv>

namespace tilefold::runtime {

PtxVersion ptx_version(std::string_view ptx) {
  static constexpr std::string_view keyword = ".version ";
  const size_t at = ptx.find(keyword);
  if (at == std::string_view::npos)
    return {0, 0};
  PtxVersion version{0, 0};
  const char *const end = ptx.data() + ptx.size();
  const auto [dot, error] = std::from_chars(ptx.data() + at + keyword.size(), end, version.first);
  if (error != std::errc() || dot == end || *dot != '.' || std::from_chars(dot + 1, end, version.second).ec != std::errc())
    return {0, 0};
  return version;
}

std::set<std::string> ptx_entries(const std::string &ptx) {
  static const std::string keyword = ".entry";
  std::set<std::string> names;
  for (size_t at = ptx.find(keyword); at != std::string::npos; at = ptx.find(keyword, at + 1)) {
    const size_t begin = ptx.find_first_not_of(" \t\r\n", at + keyword.size());
    if (begin == std::string::npos || begin == at + keyword.size())
      continue; // `.entry_something` is another word
    names.insert(ptx.substr(begin, ptx.find_first_of(" \t\r\n(", begin) - begin));
  }
  return names;
}

} // namespace tilefold::runtime
