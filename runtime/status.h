// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/tilefold.h"

#include <cassert>
#include <optional>
#include <string>
#include <utility>

namespace tilefold::runtime {

/// Outcome of a fallible function. Success holds no memory, so returning it from `launch` costs nothing.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(tilefold_status code, std::string message, std::string argument = {}, int cuda = 0)
      : code_(code), cuda_(cuda), message_(std::move(message)), argument_(std::move(argument)) {}

  bool ok() const { return code_ == TILEFOLD_OK; }
  explicit operator bool() const { return ok(); }
  tilefold_status code() const { return code_; }
  /// One sentence without a final period: what was wrong, what it was, what was expected.
  const std::string &message() const { return message_; }
  /// The program's argument that is at fault, or empty.
  const std::string &argument() const { return argument_; }
  /// The CUresult behind the failure, or 0.
  int cuda() const { return cuda_; }

private:
  tilefold_status code_ = TILEFOLD_OK;
  int cuda_ = 0;
  std::string message_;
  std::string argument_;
};

/// A value or the reason why there is none.
template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok() && "a result without value needs a reason"); }

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status &status() const { return status_; }
  T &operator*() & { return *value_; }
  const T &operator*() const & { return *value_; }
  T &&operator*() && { return *std::move(value_); }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

private:
  std::optional<T> value_;
  Status status_;
};

} // namespace tilefold::runtime
