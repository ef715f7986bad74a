// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/spelling.h"

#include <algorithm>

namespace tilefold::support {

/// The least number of letters to leave out, add, change or swap with the next that makes `b` of `a`.
static std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = above;
    above = row;
  }
  return above[b.size()];
}

/// Without the dashes of an option, which say nothing.
static std::string_view letters(std::string_view word) {
  const std::size_t first = word.find_first_not_of('-');
  return first == std::string_view::npos ? std::string_view() : word.substr(first);
}

std::string nearest_word(std::string_view word, const std::vector<std::string> &known) {
  const std::string_view typed = letters(word);
  if (typed.size() < 2)
    return {};
  std::string nearest;
  std::size_t least = std::max<std::size_t>(typed.size() / 3, 1) + 1;
  for (const std::string &one : known)
    if (const std::size_t d = distance(typed, letters(one)); d < least) {
      least = d;
      nearest = one;
    }
  if (!nearest.empty())
    return nearest;
  for (const std::string &one : known)
    if (letters(one).substr(0, typed.size()) == typed) {
      if (!nearest.empty())
        return {};
      nearest = one;
    }
  return nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string> &known) {
  const std::string nearest = nearest_word(word, known);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

} // namespace tilefold::support
