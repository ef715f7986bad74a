// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once
#include "dsl/tilefold.h"
#include "test/DSL/round_trip.h"
#include <gtest/gtest.h>
#include <regex>

/// Traces, verifies and round-trips a kernel; its text, or nothing (and a failed test) if that goes wrong.
template <class Kernel> std::string traced(const Kernel &kernel, const char *name = "program") {
  tilefold::Traced t = tilefold::trace(kernel, name);
  EXPECT_TRUE(t.ok()) << t.diagnostics();
  EXPECT_EQ(t.diagnostics(), "");
  std::string text = t.text();
  EXPECT_EQ(round_trip(text), text);
  return text;
}

/// How often a regular expression occurs.
inline int count(const std::string &text, const std::string &pattern) {
  std::regex regex(pattern);
  return int(std::distance(std::sregex_iterator(text.begin(), text.end(), regex), std::sregex_iterator()));
}

#define EXPECT_HAS(text, pattern) EXPECT_GT(count(text, pattern), 0) << "no match of " << pattern << " in\n" << text
#define EXPECT_LACKS(text, pattern) EXPECT_EQ(count(text, pattern), 0) << pattern << " found in\n" << text
