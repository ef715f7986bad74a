// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/artifact/json_text.h"

#include <nlohmann/json.hpp>

namespace tilefold::runtime {

using nlohmann::json;

/// Of a value without children.
static std::string dump(const json &leaf) { return leaf.dump(-1, ' ', /*ensure_ascii=*/false, json::error_handler_t::replace); }

void JsonText::separate() {
  if (after_key_ || open_.empty()) {
    after_key_ = false;
    return;
  }
  if (!open_.back().empty)
    text_ += ',';
  open_.back().empty = false;
  new_line();
}

JsonText &JsonText::put(std::string_view text) {
  separate();
  text_ += text;
  return *this;
}

JsonText &JsonText::open(char bracket) {
  put(std::string_view(&bracket, 1));
  open_.push_back({bracket, text_.size() - 1});
  return *this;
}

JsonText &JsonText::end() {
  const Open last = open_.back();
  open_.pop_back();
  if (!last.empty)
    new_line();
  text_ += last.bracket == '{' ? '}' : ']';
  fold(last.start);
  return *this;
}

void JsonText::fold(size_t start) {
  constexpr size_t columns = 120;
  const size_t indent = start - (text_.rfind('\n', start) + 1); // of the first line, which npos + 1 is
  std::string line;
  for (size_t i = start; i < text_.size() && indent + line.size() <= columns; ++i) {
    if (text_[i] != '\n') { // within strings, newlines are escaped
      line += text_[i];
      continue;
    }
    i = text_.find_first_not_of(' ', i + 1) - 1;
    if (line.back() == ',')
      line += ' ';
  }
  if (indent + line.size() <= columns)
    text_.replace(start, std::string::npos, line);
}

JsonText &JsonText::key(std::string_view name) {
  string(name);
  text_ += ": ";
  after_key_ = true;
  return *this;
}

JsonText &JsonText::string(std::string_view text) { return put(dump(json(std::string(text)))); }

JsonText &JsonText::real(double value) { return put(dump(json(value))); }

JsonText &JsonText::value(const json &value) {
  if (const auto *members = value.get_ptr<const json::object_t *>()) {
    object();
    for (const auto &[name, member] : *members)
      key(name).value(member);
    return end();
  }
  if (const auto *elements = value.get_ptr<const json::array_t *>()) {
    array();
    for (const json &element : *elements)
      this->value(element);
    return end();
  }
  if (value.is_binary())
    return object().key("bytes").natural(value.get_binary().size()).end();
  return put(dump(value));
}

} // namespace tilefold::runtime
