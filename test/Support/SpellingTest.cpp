// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/spelling.h"

#include <gtest/gtest.h>

namespace tilefold::support {
namespace {

TEST(Spelling, TheNearestWordIsFound) {
  const std::vector<std::string> known{"--in", "--out", "--random", "--seed", "--seeds", "--scale", "--scalar"};
  EXPECT_EQ(nearest_word("--randm", known), "--random");  // a letter left out
  EXPECT_EQ(nearest_word("--seeed", known), "--seed");    // one too many
  EXPECT_EQ(nearest_word("--scele", known), "--scale");   // another
  EXPECT_EQ(nearest_word("--otu", known), "--out");       // two swapped
  EXPECT_EQ(nearest_word("-random", known), "--random");  // dashes do not count
  EXPECT_EQ(nearest_word("--rand", known), "--random");   // a beginning
  EXPECT_EQ(nearest_word("--scale", known), "--scale");
}

TEST(Spelling, WhatIsFarFromEverythingIsNobodys) {
  const std::vector<std::string> known{"--in", "--out", "--random", "--scale", "--scalar"};
  for (const char *word : {"--frobnicate", "--colour", "-x", "--", "", "--sca"}) // the last begins two
    EXPECT_EQ(nearest_word(word, known), "") << word;
  EXPECT_EQ(did_you_mean("--frobnicate", known), "");
  EXPECT_EQ(did_you_mean("--randon", known), "; did you mean '--random'?");
}

} // namespace
} // namespace tilefold::support
