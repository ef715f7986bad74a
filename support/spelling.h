// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a mistyped word may have been meant as.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilefold::support {

/// The known word that differs least, by letters left out, added, changed or swapped with the next: one for each three that the word
/// has, at least one. Or the only one that it begins. Empty: none.
std::string nearest_word(std::string_view word, const std::vector<std::string> &known);

/// "; did you mean '--random'?", or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string> &known);

} // namespace tilefold::support
