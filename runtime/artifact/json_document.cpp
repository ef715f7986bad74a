// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/artifact/json_document.h"

#include <string>
#include <utility>
#include <vector>

namespace tilefold::runtime {

using nlohmann::json;

namespace {

/// Leaves `value` without children. The destructor of a container that has none allocates nothing.
void take_apart(json &value) noexcept {
  if (auto *array = value.get_ptr<json::array_t *>()) {
    for (json &element : *array)
      take_apart(element);
    array->clear();
  } else if (auto *object = value.get_ptr<json::object_t *>()) {
    for (auto &member : *object)
      take_apart(member.second);
    object->clear();
  }
}

/// Puts what is read where it belongs at once: nothing with children is ever held elsewhere, where it would be destroyed by itself.
class Builder : public nlohmann::json_sax<json> {
public:
  explicit Builder(json &root) : root_(root) {}

  bool null() override { return add(json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t &) override { return add(value); }
  bool string(string_t &value) override { return add(std::move(value)); }
  bool binary(binary_t &value) override {
    json bytes(json::value_t::binary); // json::binary() destroys what it has not made where there is no memory for it
    *bytes.get_ptr<binary_t *>() = std::move(value);
    return add(std::move(bytes));
  }
  bool start_object(std::size_t) override { return open(json::value_t::object); }
  bool start_array(std::size_t) override { return open(json::value_t::array); }
  bool key(string_t &name) override {
    json::object_t &object = *open_.back()->get_ptr<json::object_t *>();
    slot_ = &object[std::move(name)];
    take_apart(*slot_); // of a name that stands twice, the last counts
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string &, const nlohmann::detail::exception &) override { return false; }

private:
  json &place(json value) {
    json *to = open_.empty() ? &root_ : slot_;
    if (json::array_t *array = open_.empty() ? nullptr : open_.back()->get_ptr<json::array_t *>())
      return array->emplace_back(std::move(value));
    return *to = std::move(value);
  }
  bool add(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json::value_t type) {
    open_.push_back(&place(json(type)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  json &root_;
  std::vector<json *> open_; ///< containers that are being read; those around the last do not move meanwhile
  json *slot_ = nullptr;     ///< of the member whose name was read
};

} // namespace

JsonDocument::~JsonDocument() { take_apart(root_); }

bool JsonDocument::read_cbor(const uint8_t *bytes, size_t size) {
  take_apart(root_);
  Builder builder(root_);
  return json::sax_parse(bytes, bytes + size, &builder, json::input_format_t::cbor, /*strict=*/true);
}

} // namespace tilefold::runtime
