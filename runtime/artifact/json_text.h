// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilefold::runtime {

/// Writes JSON for people to read, what is short on one line, as it goes: no value is built of others, whose destructors would allocate (json_document.h).
class JsonText {
public:
  JsonText &object() { return open('{'); }
  JsonText &array() { return open('['); }
  /// Of the innermost object or array.
  JsonText &end();
  /// Of the member that follows.
  JsonText &key(std::string_view name);

  JsonText &string(std::string_view text);
  JsonText &integer(int64_t value) { return put(std::to_string(value)); }
  JsonText &natural(uint64_t value) { return put(std::to_string(value)); }
  JsonText &real(double value);
  /// Any value with all that is in it; bytes as how many they are.
  JsonText &value(const nlohmann::json &value);

  std::string take() { return std::move(text_); }

private:
  JsonText &open(char bracket);
  JsonText &put(std::string_view text);
  /// What stands before the next value or key.
  void separate();
  /// Puts what was written since `start` on one line, if it fits.
  void fold(size_t start);
  void new_line() { text_ += '\n' + std::string(2 * open_.size(), ' '); }

  struct Open {
    char bracket;
    size_t start; ///< in the text
    bool empty = true;
  };
  std::string text_;
  std::vector<Open> open_;
  bool after_key_ = false;
};

} // namespace tilefold::runtime
