// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors as values. Everything in `support/` that can fail on its input returns a `Status` or a `Result<T>`; the message
// is one whole sentence that names the file, tensor or argument at fault, so that a tool can print it as it is.
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace tilefold::support {

/// Success, or an error with a sentence. Default-constructed: success.
class [[nodiscard]] Status {
 public:
  Status() = default;
  static Status error(std::string message) {
    Status status;
    status.message_ = std::move(message);
    return status;
  }

  bool ok() const { return !message_.has_value(); }
  explicit operator bool() const { return ok(); }

  /// The sentence; empty on success.
  const std::string &message() const {
    static const std::string none;
    return message_ ? *message_ : none;
  }

 private:
  std::optional<std::string> message_;
};

/// A value, or the error that kept it from being made.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok() && "a Result without a value needs an error"); }

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status &status() const { return status_; }
  const std::string &message() const { return status_.message(); }

  T &value() & { assert(ok()); return *value_; }
  const T &value() const & { assert(ok()); return *value_; }
  T &&value() && { assert(ok()); return std::move(*value_); }
  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(*this).value(); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

 private:
  std::optional<T> value_;
  Status status_;
};

} // namespace tilefold::support
