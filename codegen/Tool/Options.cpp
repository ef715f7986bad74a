// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/Options.h"
#include "support/spelling.h"

#include <cctype>
#include <cstdlib>
#include <set>

namespace tilefold::cli {

double parseReal(const std::string &option, const std::string &what, const std::string &text) {
  char *end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || std::isspace(static_cast<unsigned char>(text.front())) || end != text.c_str() + text.size())
    throw UsageError{fmt::format("{}: expected {}, got '{}'", option, what, text)};
  return value;
}

CLI::Option *addList(CLI::App &command, const std::string &name, const char *type, std::vector<std::string> &target, const std::string &what) {
  // Otherwise an option takes whatever follows, the program's name among it.
  return command.add_option(name, target, what)->type_name(type)->expected(1)->allow_extra_args(false)->take_all();
}

namespace {

bool isPositional(const CLI::Option &option) { return option.get_lnames().empty() && option.get_snames().empty(); }
bool isFlag(const CLI::Option &option) { return option.get_items_expected_max() == 0; }
bool mayRepeat(const CLI::Option &option) { return option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll; }

/// "-o" or "--out", which -1 is not.
bool looksLikeOption(const std::string &word) {
  return word.size() > 1 && word[0] == '-' && !std::isdigit(static_cast<unsigned char>(word[1])) && word[1] != '.';
}

/// One pass over the words, as CLI11 will make it.
class WordCheck {
public:
  WordCheck(const CLI::App &command, const std::string &name) : command(command), name(name) {
    for (const CLI::Option *option : command.get_options()) {
      if (isPositional(*option))
        positionals.push_back(option->get_name());
      for (const std::string &one : option->get_lnames())
        known.push_back("--" + one);
    }
  }

  void check(const std::vector<std::string> &words) {
    for (const std::string &word : words)
      if (word == "--help" || word == "-h")
        return; // whatever else is wrong
    for (std::size_t n = 0; n < words.size(); ++n) {
      if (words[n] == "--") {
        for (++n; n < words.size(); ++n)
          argument(words[n]);
      } else if (!looksLikeOption(words[n])) {
        argument(words[n]);
      } else {
        n += option(words[n], n + 1 < words.size() ? &words[n + 1] : nullptr);
      }
    }
  }

private:
  const CLI::Option *find(const std::string &word) const { return command.get_option_no_throw(word); }

  void argument(const std::string &word) {
    if (arguments.size() == positionals.size())
      throw UsageError{fmt::format("'{}' is one argument too many: expected {}{}; see --help", word,
                                   positionals.empty() ? "options alone" : fmt::format("one {}", fmt::join(positionals, ", one ")),
                                   arguments.empty() ? "" : fmt::format(", which is '{}'", fmt::join(arguments, "', '")))};
    arguments.push_back(word);
  }

  /// How many of the words after it are its value.
  std::size_t option(const std::string &word, const std::string *next) {
    const std::size_t equals = word.find('=');
    const bool isShort = word[1] != '-';
    const std::string given = isShort ? word.substr(0, 2) : word.substr(0, equals);
    const CLI::Option *option = find(given);
    if (!option)
      throw UsageError{fmt::format("{}: expected an option{}, got '{}'{}; see --help", given, name.empty() ? "" : " of '" + name + "'", word,
                                   support::did_you_mean(given, known))};
    const std::string full = option->get_name();
    if (!mayRepeat(*option) && !seen.insert(option).second)
      throw UsageError{fmt::format("{}: is given twice, expected once", full)};
    const bool hasOwn = isShort ? word.size() > 2 : equals != std::string::npos;
    if (isFlag(*option)) {
      if (hasOwn)
        throw UsageError{fmt::format("{}: expected no value, got '{}'", full, word.substr(isShort ? 2 : equals + 1))};
      return 0;
    }
    if (hasOwn && !isShort && equals + 1 == word.size())
      throw UsageError{fmt::format("{}: expected a value, got '' ({})", full, option->get_description())};
    if (hasOwn)
      return 0;
    if (!next)
      throw UsageError{fmt::format("{}: expected a value, got none ({})", full, option->get_description())};
    if (looksLikeOption(*next) && find(next->substr(0, next->find('='))))
      throw UsageError{fmt::format("{}: expected a value, got the option '{}' ({})", full, *next, option->get_description())};
    return 1;
  }

  const CLI::App &command;
  const std::string &name;
  std::vector<std::string> positionals, known, arguments;
  std::set<const CLI::Option *> seen;
};

} // namespace

void checkWords(const CLI::App &command, const std::string &name, const std::vector<std::string> &words) { WordCheck(command, name).check(words); }

} // namespace tilefold::cli
