// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Runtime/Manifests.h"

namespace tilefold::runtime::test {
namespace {

TEST(TargetTest, ParsesWhatPtxasSpells) {
  for (const char *text : {"sm_75", "sm_80", "sm_90a", "sm_100f", "sm_121a"})
    EXPECT_EQ(Target::parse(text).value().text(), text);
  EXPECT_EQ(Target::parse("sm_103a")->major, 10);
  EXPECT_EQ(Target::parse("sm_103a")->minor, 3);
  for (const char *text : {"", "sm_", "sm_9", "sm_90b", "sm_9a", "compute_90", "sm_1000", "sm_9 0", "sm_90aa"})
    EXPECT_FALSE(Target::parse(text)) << text;
}

TEST(TargetTest, WhichPtxRunsWhere) {
  const struct {
    const char *target;
    int major, minor;
    bool runs;
  } rows[] = {
      {"sm_80", 8, 0, true},   {"sm_80", 8, 9, true},   {"sm_80", 9, 0, true},    {"sm_80", 12, 0, true},
      {"sm_80", 7, 5, false},  {"sm_89", 8, 6, false},  {"sm_90a", 9, 0, true},   {"sm_90a", 10, 0, false},
      {"sm_90a", 12, 0, false}, {"sm_90a", 8, 9, false}, {"sm_90", 10, 0, true},   {"sm_100a", 10, 0, true},
      {"sm_100a", 10, 3, false}, {"sm_100f", 10, 3, true}, {"sm_100f", 12, 0, false}, {"sm_103f", 10, 0, false},
      {"sm_120f", 12, 1, true}, {"sm_121f", 12, 0, false}, {"sm_120a", 12, 1, false},
  };
  for (const auto &row : rows)
    EXPECT_EQ(Target::parse(row.target)->ptx_runs_on(row.major, row.minor), row.runs)
        << row.target << " on " << row.major << "." << row.minor;
}

TEST(TargetTest, CubinsRunOnTheirOwnCapabilityOnly) {
  EXPECT_TRUE(Target::parse("sm_90")->cubin_runs_on(9, 0));
  EXPECT_TRUE(Target::parse("sm_90a")->cubin_runs_on(9, 0));
  EXPECT_FALSE(Target::parse("sm_80")->cubin_runs_on(8, 6));
  EXPECT_FALSE(Target::parse("sm_90")->cubin_runs_on(10, 0));
}

TEST(TargetTest, TheBestModuleThatRunsIsChosen) {
  const Artifact artifact = open(decode_manifest());
  const Alternative &fast = artifact.manifest().alternatives[0];
  auto target = [&](const DeviceProperties &device) -> std::string {
    const int module = select_module(artifact.manifest(), fast, device);
    return module < 0 ? "none" : artifact.manifest().modules[size_t(module)].target.text();
  };
  EXPECT_EQ(target(h200), "sm_90a");
  EXPECT_EQ(target(a100), "sm_80");
  EXPECT_EQ(target(b200), "sm_80");
  EXPECT_EQ(target(t4), "none");
}

TEST(TargetTest, ExactCubinsReplaceTheJit) {
  const Artifact artifact = open(decode_manifest());
  const Arguments arguments = decode_arguments();
  EXPECT_EQ(artifact.plan(arguments.view(), rtx4090)->cubin, 0);
  EXPECT_EQ(artifact.plan(arguments.view(), a100)->cubin, -1);
}

TEST(TargetTest, VerifyListsHoles) {
  json manifest = decode_manifest();
  EXPECT_TRUE(open(manifest).verify(a100).ok());
  EXPECT_TRUE(open(manifest).verify(h200).ok());
  const Status old = open(manifest).verify(t4);
  EXPECT_EQ(old.code(), TILEFOLD_ERROR_UNSUPPORTED);
  EXPECT_NE(old.message().find("alternative 'plain' has code for sm_90a, sm_80, the device has compute capability 7.5"),
            std::string::npos)
      << old.message();

  // A Hopper-only fast path is no hole elsewhere, because the plain one takes its calls; a Hopper-only artifact is.
  manifest["alternatives"][0]["target"] = "sm_90a";
  EXPECT_TRUE(open(manifest).verify(b200).ok());
  manifest["modules"].erase(0);
  EXPECT_TRUE(open(manifest).verify(h200).ok());
  EXPECT_EQ(open(manifest).verify(b200).code(), TILEFOLD_ERROR_UNSUPPORTED);
}

TEST(TargetTest, VerifyCountsSharedMemory) {
  json manifest = decode_manifest();
  manifest["alternatives"][1]["launches"][0]["shared"] = 131074;
  const Status status = open(manifest).verify(rtx4090);
  EXPECT_NE(status.message().find("needs 131074 bytes of shared memory in kernel 'split', the device's limit is 101376"),
            std::string::npos)
      << status.message();
}

} // namespace
} // namespace tilefold::runtime::test
