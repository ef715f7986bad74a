// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options whose errors name them, what they were and what was expected; CLI11's own sentences do not. All of them throw UsageError.
#pragma once
#include "codegen/Tool/CommandLine.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace tilefold::cli {

/// All of `text` as an integer; out of range is an error, never another number.
template <class N> N parseNumber(const std::string &option, const std::string &text, N low, N high) {
  N value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < low || value > high)
    throw UsageError{fmt::format("{}: expected a number from {} to {}, got '{}'", option, low, high, text)};
  return value;
}

/// All of `text` as a real number. `what` it is: "a number".
double parseReal(const std::string &option, const std::string &what, const std::string &text);

/// An option whose text goes through `take`.
template <class Take> CLI::Option *addOption(CLI::App &command, const std::string &name, const char *type, Take take, const std::string &what) {
  return command.add_option_function<std::string>(name, take, what)->type_name(type);
}

/// An option that takes an integer.
template <class N, class T>
CLI::Option *addNumber(CLI::App &command, const std::string &name, T &target, N low, N high, const std::string &what) {
  return addOption(command, name, "NUMBER", [=, &target](const std::string &text) { target = parseNumber<N>(name, text, low, high); }, what);
}

/// An option that takes a real number.
template <class T> CLI::Option *addReal(CLI::App &command, const std::string &name, T &target, const std::string &what) {
  return addOption(command, name, "NUMBER", [=, &target](const std::string &text) { target = parseReal(name, "a number", text); }, what);
}

/// An option that takes a text that is not empty; `expected` says what it is.
template <class T>
CLI::Option *addText(CLI::App &command, const std::string &name, const char *type, T &target, const std::string &expected, const std::string &what) {
  auto take = [=, &target](const std::string &text) {
    if (text.empty())
      throw UsageError{fmt::format("{}: expected {}, got ''", name.substr(name.find("--")), expected)};
    target = text;
  };
  return addOption(command, name, type, take, what);
}

/// An option that takes a file's name.
template <class T> CLI::Option *addFile(CLI::App &command, const std::string &name, T &target, const std::string &what) {
  return addText(command, name, "FILE", target, "a file's name", what);
}

/// An option that takes one of a few words.
template <class T>
CLI::Option *addChoice(CLI::App &command, const std::string &name, T &target, const std::vector<std::string> &words, const std::string &what) {
  auto take = [=, &target](const std::string &text) {
    if (std::find(words.begin(), words.end(), text) == words.end())
      throw UsageError{fmt::format("{}: expected one of {}, got '{}'", name, fmt::join(words, ", "), text)};
    target = text;
  };
  return addOption(command, name, "WORD", take, what);
}

/// An option that may be repeated, with one value each time.
CLI::Option *addList(CLI::App &command, const std::string &name, const char *type, std::vector<std::string> &target, const std::string &what);

/// Refuses words of a command line that `command` does not take: options that it does not have, options without their value (another
/// option is none), flags with one, what is given twice, too many arguments. `name` is the command's own; "" for a tool without any.
void checkWords(const CLI::App &command, const std::string &name, const std::vector<std::string> &words);

} // namespace tilefold::cli
