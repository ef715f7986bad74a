// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Runtime/Manifests.h"

#include <cstring>

namespace tilefold::runtime::test {
namespace {

TEST(PlanTest, LaunchesAndParameters) {
  const Artifact artifact = open(decode_manifest());
  Arguments arguments = decode_arguments();
  arguments.i32("splits", 5);
  Result<Plan> plan = artifact.plan(arguments.view(), a100, 1 << 20);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->alternative, 0);
  ASSERT_EQ(plan->launches.size(), 2u);

  const PlannedLaunch &split = plan->launches[0];
  EXPECT_EQ(split.entry, "split_fast");
  EXPECT_EQ(split.grid[0], 5);
  EXPECT_EQ(split.blocks, 5u * 2 * 2); // one dimension
  EXPECT_EQ(split.block, 128u);
  EXPECT_EQ(split.shared, 98304u);
  const float scale = 0.125f;
  uint32_t scale_bits = 0;
  std::memcpy(&scale_bits, &scale, 4);
  EXPECT_EQ(split.parameters, (std::vector<uint64_t>{uint64_t(address(0)), uint64_t(address(1)), 1 << 20, 1000, 128, 5, 5 * 128,
                                                     scale_bits, 5}));
  EXPECT_EQ(split.parameter_types,
            (std::vector<DType>{TILEFOLD_I64, TILEFOLD_I64, TILEFOLD_I64, TILEFOLD_I32, TILEFOLD_I64, TILEFOLD_I32, TILEFOLD_I64,
                                TILEFOLD_F32, TILEFOLD_I32}));
}

TEST(PlanTest, DefaultsComeFromDeviceProperties) {
  const Artifact artifact = open(decode_manifest());
  const Arguments arguments = decode_arguments();
  EXPECT_EQ(artifact.plan(arguments.view(), a100)->launches[0].grid[0], 108 / 2);
  EXPECT_EQ(artifact.plan(arguments.view(), h200)->launches[0].grid[0], 132 / 2);
}

TEST(PlanTest, Workspaces) {
  const Artifact artifact = open(decode_manifest());
  Arguments arguments = decode_arguments({3, 8, 2, 1000, 100});
  arguments.i32("splits", 1);
  const Plan plan = *artifact.plan(arguments.view(), a100);
  ASSERT_EQ(plan.workspaces.size(), 2u);
  EXPECT_EQ(plan.workspaces[0].bytes, 3u * 1 * 100 * 4);
  EXPECT_EQ(plan.workspaces[1].offset, 1280u); // 1200 rounded up to the alignment
  EXPECT_TRUE(plan.workspaces[1].zero_once);
  EXPECT_EQ(plan.workspace_bytes, 1280u + 256);
  EXPECT_EQ(*artifact.workspace_bytes(arguments.view(), a100), plan.workspace_bytes);
}

TEST(PlanTest, WorkspaceSizeNeedsNeitherAddressesNorOutputs) {
  const Artifact artifact = open(decode_manifest());
  Arguments arguments;
  arguments.tensor("q", nullptr, TILEFOLD_F16, {1, 8, 1, 128}).tensor("k", nullptr, TILEFOLD_F16, {1, 2, 9, 128}).f32("scale", 1).i32("splits", 4);
  Result<uint64_t> bytes = artifact.workspace_bytes(arguments.view(), a100);
  ASSERT_TRUE(bytes.ok()) << bytes.status().message();
  EXPECT_EQ(*bytes, 4u * 128 * 4 + 256);
  EXPECT_EQ(*artifact.expected_shape(arguments.view(), a100, "o"), (std::vector<int64_t>{1, 8, 1, 128}));
  EXPECT_EQ(artifact.expected_shape(arguments.view(), a100, "q").status().code(), TILEFOLD_ERROR_UNSUPPORTED);
  EXPECT_EQ(artifact.expected_shape(arguments.view(), a100, "partial").status().argument(), "partial");
  EXPECT_EQ(artifact.plan(arguments.view(), a100).status().code(), TILEFOLD_ERROR_ARGUMENT) << "but a plan needs both";
}

TEST(PlanTest, GuardsChooseTheAlternative) { // E4, E5: facts come from guards
  const Artifact artifact = open(decode_manifest());
  auto chosen = [&](uint64_t k_address, std::vector<int64_t> k_strides) {
    Arguments arguments;
    arguments.tensor("q", address(0), TILEFOLD_F16, {2, 8, 1, 128})
        .tensor("k", reinterpret_cast<void *>(k_address), TILEFOLD_F16, {2, 2, 1000, 128}, std::move(k_strides))
        .tensor("o", address(2), TILEFOLD_F16, {2, 8, 1, 128})
        .f32("scale", 1);
    Result<Plan> plan = artifact.plan(arguments.view(), a100);
    return plan ? artifact.manifest().alternatives[size_t(plan->alternative)].name : plan.status().message();
  };
  EXPECT_EQ(chosen(4096, {}), "fast");
  EXPECT_EQ(chosen(4104, {}), "plain") << "base not a multiple of 16";
  EXPECT_EQ(chosen(4096, {256000, 128000, 132, 1}), "plain") << "row stride not a multiple of 8 elements";
  EXPECT_EQ(chosen(4096, {512000, 256000, 256, 2}), "plain") << "inner stride 2";
}

TEST(PlanTest, SharedMemoryIsAGuardToo) { // D6: a fitting configuration, else need and limit
  json manifest = decode_manifest();
  EXPECT_EQ(open(manifest).plan(decode_arguments().view(), {8, 0, 108, 65536})->alternative, 1);
  manifest["alternatives"].erase(1);
  const Status status = open(manifest).plan(decode_arguments().view(), {8, 0, 108, 65536}).status();
  EXPECT_EQ(status.code(), TILEFOLD_ERROR_UNSUPPORTED);
  EXPECT_EQ(status.message(), "program 'decode' has no alternative for these arguments: alternative 'fast' needs 98304 bytes "
                              "of shared memory in kernel 'split', the device's limit is 65536");
}

TEST(PlanTest, NoAlternativeSaysWhichGuardFailed) {
  json manifest = decode_manifest();
  manifest["alternatives"].erase(1);
  Arguments arguments;
  arguments.tensor("q", address(0), TILEFOLD_F16, {1, 8, 1, 128})
      .tensor("k", address(1), TILEFOLD_F16, {1, 2, 10, 128}, {5120, 2560, 256, 2})
      .tensor("o", address(2), TILEFOLD_F16, {1, 8, 1, 128})
      .f32("scale", 1);
  EXPECT_EQ(open(manifest).plan(arguments.view(), a100).status().message(),
            "program 'decode' has no alternative for these arguments: alternative 'fast' needs stride(k, 3) == 1");
}

TEST(PlanTest, DeviceWithoutCode) { // J14
  json manifest = decode_manifest();
  manifest["modules"].erase(0);
  EXPECT_TRUE(open(manifest).plan(decode_arguments().view(), h200).ok());
  const Status status = open(manifest).plan(decode_arguments().view(), b200).status();
  EXPECT_EQ(status.code(), TILEFOLD_ERROR_UNSUPPORTED);
  EXPECT_NE(status.message().find("has code for sm_90a, the device has compute capability 10.0"), std::string::npos);
}

TEST(PlanTest, ZeroSizesSkipLaunches) { // C6
  const Artifact artifact = open(decode_manifest());
  for (const DecodeShape &shape : {DecodeShape{0, 8, 2, 1000, 128}, DecodeShape{2, 0, 0, 1000, 128}}) {
    Result<Plan> plan = artifact.plan(decode_arguments(shape).view(), a100);
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    for (const PlannedLaunch &launch : plan->launches)
      EXPECT_EQ(launch.blocks, 0u);
  }
  Result<Plan> no_keys = artifact.plan(decode_arguments({2, 8, 2, 0, 128}).view(), a100);
  ASSERT_TRUE(no_keys.ok());
  EXPECT_GT(no_keys->launches[1].blocks, 0u) << "rows without keys are still written";
}

json grid_manifest(json x, json y, json z, int cluster = 1) {
  json manifest = scale_manifest();
  manifest["alternatives"][0]["launches"][0]["grid"] = {x, y, z};
  manifest["alternatives"][0]["launches"][0]["cluster"] = cluster;
  return manifest;
}

Result<Plan> plan_grid(const json &manifest) {
  Arguments arguments;
  arguments.tensor("x", address(0), TILEFOLD_F32, {4}).tensor("y", address(1), TILEFOLD_F32, {4});
  return open(manifest).plan(arguments.view(), a100);
}

TEST(PlanTest, GridLimits) { // C5, D2, D4, D5, D10
  EXPECT_EQ(plan_grid(grid_manifest(65536, 10923, 2))->launches[0].blocks, 65536u * 10923 * 2);
  EXPECT_EQ(plan_grid(grid_manifest(2147483647, 1, 1))->launches[0].blocks, 2147483647u);
  EXPECT_EQ(plan_grid(grid_manifest(int64_t(1) << 40, int64_t(1) << 40, 0))->launches[0].blocks, 0u) << "zero wins over overflow";
  EXPECT_EQ(plan_grid(grid_manifest(32768, 65536, 1)).status().message(),
            "launch of 'scale_kernel': grid [32768, 65536, 1] has too many blocks, expected at most 2^31 - 1");
  EXPECT_EQ(plan_grid(grid_manifest(int64_t(1) << 40, int64_t(1) << 40, 1)).status().code(), TILEFOLD_ERROR_ARGUMENT);
  EXPECT_EQ(plan_grid(grid_manifest(op("sub", size("x", 0), 5), 1, 1)).status().message(),
            "launch of 'scale_kernel': grid extent 'size(x, 0) - 5' is -1, expected 0 or more");
}

TEST(PlanTest, GridsAreMultiplesOfTheCluster) { // D9
  EXPECT_TRUE(plan_grid(grid_manifest(6, 1, 1, 2)).ok());
  EXPECT_EQ(plan_grid(grid_manifest(5, 1, 1, 2)).status().message(),
            "launch of 'scale_kernel': a grid of 5 blocks, expected a multiple of the cluster size 2");
}

TEST(PlanTest, FormulaErrorsNameTheirOwner) {
  EXPECT_EQ(plan_grid(grid_manifest(op("floordiv", 1, op("sub", size("x", 0), 4)), 1, 1)).status().message(),
            "launch of 'scale_kernel', grid extent 0: formula 'floordiv(1, (size(x, 0) - 4))': 1 is divided by zero");

  json manifest = scale_manifest();
  manifest["requirements"] = {{{"condition", op("mul", INT64_MAX, size("x", 0))}, {"argument", "x"}, {"expected", "less"}}};
  const Status overflow = plan_grid(manifest).status();
  EXPECT_EQ(overflow.code(), TILEFOLD_ERROR_ARGUMENT);
  EXPECT_EQ(overflow.argument(), "x");
  EXPECT_EQ(overflow.message(), "requirement on argument 'x': formula '9223372036854775807 * size(x, 0)': the product of "
                                "9223372036854775807 and 4 overflows 64 bits");

  manifest = scale_manifest();
  manifest["alternatives"][0]["launches"][0]["parameters"][0] = {{"value", op("mul", size("x", 0), 1 << 30)}, {"type", "i32"}};
  EXPECT_EQ(plan_grid(manifest).status().message(),
            "launch of 'scale_kernel', parameter 0: 'size(x, 0) * 1073741824' is 4294967296, expected a value that fits i32");
}

TEST(PlanTest, WorkspaceErrors) {
  auto with_shape = [](json shape) {
    json manifest = scale_manifest();
    manifest["workspaces"] = {{{"name", "w"}, {"dtype", "f32"}, {"init", "any"}, {"shape", std::move(shape)}}};
    return plan_grid(manifest).status();
  };
  EXPECT_EQ(with_shape({-1}).message(),
            "workspace 'w' has shape [-1], expected extents of 0 or more and less than 2^31 - 65536");
  EXPECT_EQ(with_shape({1 << 30, 1 << 30, 1 << 30}).message(),
            "workspace 'w' of shape [1073741824, 1073741824, 1073741824] needs more than 64 bits of bytes");
  EXPECT_TRUE(with_shape({1 << 30, 0, 1 << 30}).ok());
  EXPECT_TRUE(with_shape(json::array()).ok()) << "rank 0 is one element";
}

TEST(PlanTest, JsonTextShowsTheLaunches) {
  const Artifact artifact = open(decode_manifest());
  const Plan plan = *artifact.plan(decode_arguments().view(), rtx4090);
  const json text = json::parse(plan_to_json_text(artifact.manifest(), plan));
  EXPECT_EQ(text["alternative"], "fast");
  EXPECT_EQ(text["code"], "cubin sm_89");
  EXPECT_EQ(text["launches"][0]["parameters"][7]["value"], 0.125);
  EXPECT_EQ(text["launches"][1]["entry"], "combine");
}

} // namespace
} // namespace tilefold::runtime::test
