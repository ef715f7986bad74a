// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/chip.h"

#include <gtest/gtest.h>

namespace tilefold::support {
namespace {

TEST(Chip, SharedMemoryOfABlock) {
  EXPECT_EQ(shared_bytes_of("sm_80"), 166912);
  EXPECT_EQ(shared_bytes_of("sm_86"), 101376);
  EXPECT_EQ(shared_bytes_of("sm_90"), 232448);
  EXPECT_EQ(shared_bytes_of("sm_90a"), 232448);
  EXPECT_EQ(shared_bytes_of("sm_100f"), 232448);
  EXPECT_EQ(shared_bytes_of(12, 0), 101376);
}

TEST(Chip, WhatIsNoTargetHasNone) {
  for (const char *text : {"", "sm_", "sm_75", "sm_99", "sm_80a", "sm_90f", "sm_90b", "sm_090", "90", "h100"})
    EXPECT_EQ(shared_bytes_of(text), std::nullopt) << text;
  EXPECT_EQ(shared_bytes_of(7, 5), std::nullopt);
}

TEST(Chip, TheFallbackPromisesNoMoreThanTheLeast) {
  EXPECT_EQ(promised_shared_bytes("sm_80"), 101376);
  EXPECT_EQ(promised_shared_bytes("sm_87"), 166912);
  EXPECT_EQ(promised_shared_bytes("sm_90"), 232448);
  EXPECT_EQ(promised_shared_bytes("sm_99"), std::nullopt);
}

TEST(Chip, Lists) {
  EXPECT_EQ(targets_with(200000), "sm_90, sm_100, sm_103, sm_110");
  EXPECT_EQ(targets_below(110000), "sm_86, sm_89, sm_120, sm_121");
  EXPECT_EQ(targets_with(300000), "");
}

} // namespace
} // namespace tilefold::support
