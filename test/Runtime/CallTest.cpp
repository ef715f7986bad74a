// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prepare and launch against a driver that records what it is asked.
#include "test/Runtime/FakeDriver.h"

#include <thread>

namespace tilefold::runtime::test {
namespace {

class CallTest : public FakeDriverTest {
protected:
  /// Arguments of `scale` in memory of a device.
  Arguments scale_arguments(int device = 0, int64_t n = 300) {
    Arguments arguments;
    arguments.tensor("x", allocate(4096, device), TILEFOLD_F32, {n}).tensor("y", allocate(4096, device), TILEFOLD_F32, {n});
    return arguments;
  }
  /// A manifest whose code no other test has loaded.
  static json fresh(json manifest, const char *test) {
    manifest["options"] = {{"test", test}};
    return manifest;
  }
};

TEST_F(CallTest, LaunchSendsWhatWasPlanned) {
  const Artifact artifact = open(fresh(scale_manifest(), "LaunchSendsWhatWasPlanned"));
  const Arguments arguments = scale_arguments();
  Call call;
  EXPECT_EQ(call.device(), -1);
  ASSERT_TRUE(call.prepare(artifact, arguments.view()).ok());
  EXPECT_EQ(call.device(), 0);
  EXPECT_TRUE(fake->launches.empty());
  int stream = 0;
  ASSERT_TRUE(call.launch(&stream).ok());
  ASSERT_EQ(fake->launches.size(), 1u);
  const fake::Launch &launch = fake->launches[0];
  EXPECT_EQ(launch.entry, "scale");
  EXPECT_EQ(launch.grid[0], 3u);
  EXPECT_EQ(launch.grid[1] * launch.grid[2], 1u);
  EXPECT_EQ(launch.block[0], 128u);
  EXPECT_EQ(launch.stream, &stream);
  ASSERT_EQ(launch.parameters.size(), 5u);
  EXPECT_EQ(launch.parameters[2], 300u);
  EXPECT_EQ(launch.parameters[3], 1u);
  EXPECT_EQ(context_depth(), 0);
}

TEST_F(CallTest, LaunchOnlyLaunches) { // J8, J10
  const Artifact artifact = open(fresh(scale_manifest(), "LaunchOnlyLaunches"));
  const Arguments arguments = scale_arguments();
  Call call;
  ASSERT_TRUE(call.prepare(artifact, arguments.view()).ok());
  EXPECT_EQ(calls_of("cuFuncLoad"), 1) << "loaded before the first launch";
  fake->clear();
  ASSERT_TRUE(call.launch(nullptr).ok());
  EXPECT_EQ(fake->calls, (std::vector<std::string>{"cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuLaunchKernelEx", "cuCtxPopCurrent_v2"}));
  EXPECT_EQ(fake->lazy_launches, 0);
}

TEST_F(CallTest, WorksOnAnyThread) { // J4
  const Artifact artifact = open(fresh(scale_manifest(), "WorksOnAnyThread"));
  const Arguments arguments = scale_arguments();
  Call call;
  std::thread([&] { EXPECT_TRUE(call.prepare(artifact, arguments.view()).ok()); }).join();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j)
        EXPECT_TRUE(call.launch(nullptr).ok());
      EXPECT_EQ(context_depth(), 0);
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake->launches.size(), 200u);
}

TEST_F(CallTest, ConcurrentPreparesLoadOnce) { // J7: and nothing is ever unloaded
  const Arguments arguments = scale_arguments();
  const int before = fake->live_modules;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j) {
        const Artifact artifact = open(fresh(scale_manifest(), "ConcurrentPreparesLoadOnce"));
        Call call;
        EXPECT_TRUE(call.prepare(artifact, arguments.view()).ok());
        EXPECT_TRUE(call.launch(nullptr).ok());
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(fake->live_modules, before + 1);
  EXPECT_EQ(calls_of("cuModuleUnload"), 0);
}

TEST_F(CallTest, DevicesComeFromThePointers) { // J2, J3
  const Artifact artifact = open(fresh(scale_manifest(), "DevicesComeFromThePointers"));
  const Arguments first = scale_arguments(0), second = scale_arguments(1);
  Call on_first, on_second;
  ASSERT_TRUE(on_first.prepare(artifact, first.view()).ok());
  ASSERT_TRUE(on_second.prepare(artifact, second.view()).ok());
  EXPECT_EQ(on_second.device(), 1);
  ASSERT_TRUE(on_first.launch(nullptr).ok());
  ASSERT_TRUE(on_second.launch(nullptr).ok());
  EXPECT_EQ(fake->launches[0].device, 0);
  EXPECT_EQ(fake->launches[1].device, 1);
}

TEST_F(CallTest, TensorsOnAnotherDeviceAreRefused) { // J2
  const Artifact artifact = open(fresh(scale_manifest(), "TensorsOnAnotherDeviceAreRefused"));
  Arguments mixed;
  mixed.tensor("x", allocate(64, 0), TILEFOLD_F32, {4}).tensor("y", allocate(64, 1), TILEFOLD_F32, {4});
  Call call;
  const Status status = call.prepare(artifact, mixed.view());
  EXPECT_EQ(status.code(), TILEFOLD_ERROR_ARGUMENT);
  EXPECT_EQ(status.message(), "argument 'y' lies on device 1, expected device 0");
  EXPECT_EQ(context_depth(), 0);

  PrepareOptions options;
  options.device = 1;
  EXPECT_EQ(call.prepare(artifact, mixed.view(), options).message(), "argument 'x' lies on device 0, expected device 1");
  options.device = 3;
  EXPECT_EQ(call.prepare(artifact, mixed.view(), options).message(), "device 3 does not exist, expected 0 to 2");
}

TEST_F(CallTest, HostMemoryIsRefused) {
  const Artifact artifact = open(fresh(scale_manifest(), "HostMemoryIsRefused"));
  std::vector<float> x(4), y(4);
  Arguments arguments;
  arguments.tensor("x", x.data(), TILEFOLD_F32, {4}).tensor("y", y.data(), TILEFOLD_F32, {4});
  Call call;
  EXPECT_EQ(call.prepare(artifact, arguments.view()).message(),
            "argument 'x' is not at an address that CUDA knows, expected memory of device 0");
}

TEST_F(CallTest, AFailedLoadLeavesNothingBehind) { // J5
  json manifest = fresh(scale_manifest(), "AFailedLoadLeavesNothingBehind");
  const Artifact good = open(manifest);
  manifest["modules"][0]["ptx"] = manifest["modules"][0]["ptx"].get<std::string>() + "CORRUPT";
  const Artifact corrupt = open(manifest);
  const Arguments arguments = scale_arguments();

  Call call;
  ASSERT_TRUE(call.prepare(good, arguments.view()).ok());
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Status status = call.prepare(corrupt, arguments.view());
    EXPECT_EQ(status.code(), TILEFOLD_ERROR_CUDA);
    EXPECT_EQ(status.cuda(), 218);
    EXPECT_NE(status.message().find("the driver does not load the PTX for sm_80: cuModuleLoadDataEx("), std::string::npos);
    EXPECT_NE(status.message().find("CUDA_ERROR_INVALID_PTX (218): the fake driver's words [runtime/driver/module_cache.cpp:"), std::string::npos);
    EXPECT_NE(status.message().find("line 3; fatal : CORRUPT is no instruction"), std::string::npos) << "the JIT's log";
  }
  EXPECT_EQ(call.device(), 0) << "the call is what it was";
  EXPECT_TRUE(call.launch(nullptr).ok());
  EXPECT_EQ(context_depth(), 0);
}

TEST_F(CallTest, AFailureInsideALoadCanBeRetried) {
  const Arguments arguments = scale_arguments();
  for (const char *function : {"cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncLoad", "cuFuncGetAttribute",
                               "cuCtxPushCurrent_v2", "cuPointerGetAttributes"}) {
    const Artifact artifact = open(fresh(scale_manifest(), function));
    fake->failures[function] = 2;
    Call call;
    const Status status = call.prepare(artifact, arguments.view());
    EXPECT_EQ(status.code(), TILEFOLD_ERROR_CUDA) << function;
    EXPECT_EQ(status.cuda(), 2) << function;
    EXPECT_EQ(context_depth(), 0) << function;
    EXPECT_TRUE(call.prepare(artifact, arguments.view()).ok()) << function;
    EXPECT_TRUE(call.launch(nullptr).ok()) << function;
  }
}

TEST_F(CallTest, LaunchErrorsAreCarried) { // J27
  const Artifact artifact = open(fresh(scale_manifest(), "LaunchErrorsAreCarried"));
  const Arguments arguments = scale_arguments();
  Call call;
  EXPECT_EQ(call.launch(nullptr).code(), TILEFOLD_ERROR_STATE);
  ASSERT_TRUE(call.prepare(artifact, arguments.view()).ok());
  fake->failures["cuLaunchKernelEx"] = 700;
  const Status status = call.launch(nullptr);
  EXPECT_EQ(status.code(), TILEFOLD_ERROR_CUDA);
  EXPECT_EQ(status.cuda(), 700);
  EXPECT_NE(status.message().find("launch of kernel 'scale_kernel' failed with CUDA_ERROR_ILLEGAL_ADDRESS (700)"), std::string::npos);
  EXPECT_EQ(context_depth(), 0);
}

TEST_F(CallTest, JitLogIsKept) {
  const Artifact artifact = open(fresh(scale_manifest(), "JitLogIsKept"));
  EXPECT_EQ(artifact.jit_log(0), "");
  Call call;
  ASSERT_TRUE(call.prepare(artifact, scale_arguments().view()).ok());
  EXPECT_EQ(artifact.jit_log(0), "ptxas info : Used 32 registers");
  EXPECT_EQ(artifact.jit_log(1), "");
}

TEST_F(CallTest, NoWorkTouchesNothing) { // C6
  const Artifact artifact = open(fresh(scale_manifest(), "NoWorkTouchesNothing"));
  Arguments arguments;
  arguments.tensor("x", nullptr, TILEFOLD_F32, {0}).tensor("y", nullptr, TILEFOLD_F32, {0});
  Call call;
  ASSERT_TRUE(call.prepare(artifact, arguments.view()).ok());
  EXPECT_TRUE(call.launch(nullptr).ok());
  EXPECT_TRUE(fake->launches.empty());
  EXPECT_EQ(calls_of("cuModuleLoadDataEx"), 0);
}

class DecodeCallTest : public CallTest {
protected:
  Arguments decode(const DecodeShape &s = {1, 8, 2, 100, 128}) {
    Arguments arguments;
    arguments.tensor("q", allocate(1 << 16), TILEFOLD_F16, {s.batch, s.heads, 1, s.head_dim})
        .tensor("k", allocate(1 << 20), TILEFOLD_F16, {s.batch, s.kv_heads, s.keys, s.head_dim})
        .tensor("o", allocate(1 << 16), TILEFOLD_F16, {s.batch, s.heads, 1, s.head_dim})
        .f32("scale", 1)
        .i32("splits", 3);
    return arguments;
  }
};

TEST_F(DecodeCallTest, WorkspaceIsChecked) {
  const Artifact artifact = open(fresh(decode_manifest(), "WorkspaceIsChecked"));
  const Arguments arguments = decode();
  const uint64_t bytes = *artifact.workspace_bytes(arguments.view(), h200);
  ASSERT_EQ(bytes, 3u * 128 * 4 + 256);
  Call call;
  PrepareOptions options;
  EXPECT_EQ(call.prepare(artifact, arguments.view(), options).message(), "the workspace has 0 bytes, expected at least 1792");
  char *workspace = static_cast<char *>(allocate(bytes + 256));
  options.workspace = workspace;
  options.workspace_bytes = bytes - 1;
  EXPECT_EQ(call.prepare(artifact, arguments.view(), options).message(), "the workspace has 1791 bytes, expected at least 1792");
  options.workspace = workspace + 16;
  options.workspace_bytes = bytes;
  EXPECT_NE(call.prepare(artifact, arguments.view(), options).message().find("expected a multiple of 256"), std::string::npos);
  options.workspace = workspace;
  EXPECT_TRUE(call.prepare(artifact, arguments.view(), options).ok());
}

TEST_F(DecodeCallTest, OnlyZeroOncePartsAreZeroed) {
  const Artifact artifact = open(fresh(decode_manifest(), "OnlyZeroOncePartsAreZeroed"));
  const Arguments arguments = decode();
  const uint64_t bytes = *artifact.workspace_bytes(arguments.view(), h200);
  auto *workspace = static_cast<unsigned char *>(allocate(bytes));
  std::fill(workspace, workspace + bytes, 0xab);
  PrepareOptions options;
  options.workspace = workspace;
  options.workspace_bytes = bytes;
  Call call;
  EXPECT_EQ(call.init_workspace(nullptr).code(), TILEFOLD_ERROR_STATE);
  ASSERT_TRUE(call.prepare(artifact, arguments.view(), options).ok());
  ASSERT_TRUE(call.init_workspace(nullptr).ok());
  EXPECT_EQ(workspace[1535], 0xab);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(workspace[1536 + i], 0);
  EXPECT_EQ(workspace[1540], 0xab);
}

TEST_F(DecodeCallTest, SharedMemoryOptInAndOrder) {
  const Artifact artifact = open(fresh(decode_manifest(), "SharedMemoryOptInAndOrder"));
  const Arguments arguments = decode();
  const uint64_t bytes = *artifact.workspace_bytes(arguments.view(), h200);
  PrepareOptions options;
  options.workspace = allocate(bytes);
  options.workspace_bytes = bytes;
  Call call;
  ASSERT_TRUE(call.prepare(artifact, arguments.view(), options).ok());
  ASSERT_TRUE(call.launch(nullptr).ok()); // the fake driver refuses 98304 bytes without opt-in, as the real one does
  ASSERT_EQ(fake->launches.size(), 2u);
  EXPECT_EQ(fake->launches[0].entry, "split_fast");
  EXPECT_EQ(fake->launches[0].shared, 98304u);
  EXPECT_EQ(fake->launches[1].entry, "combine");
  EXPECT_EQ(fake->launches[1].parameters[1], reinterpret_cast<uintptr_t>(options.workspace) + 1536);
}

TEST_F(CallTest, ClustersAreSentAndChecked) { // D8
  json manifest = fresh(scale_manifest(), "ClustersAreSentAndChecked");
  manifest["alternatives"][0]["launches"][0]["cluster"] = 3;
  const Artifact artifact = open(manifest);
  const Arguments arguments = scale_arguments();
  Call call;
  ASSERT_TRUE(call.prepare(artifact, arguments.view()).ok());
  ASSERT_TRUE(call.launch(nullptr).ok());
  EXPECT_EQ(fake->launches[0].cluster, 3u);
  fake->max_active_clusters = 0;
  EXPECT_EQ(call.prepare(artifact, arguments.view()).message(),
            "kernel 'scale_kernel': no cluster of 3 blocks with 0 bytes of shared memory each fits this device");
}

TEST_F(CallTest, CallsMoveAndOutliveTheirArtifact) {
  Call call;
  {
    const Artifact artifact = open(fresh(scale_manifest(), "CallsMoveAndOutliveTheirArtifact"));
    ASSERT_TRUE(call.prepare(artifact, scale_arguments().view()).ok());
  }
  Call moved = std::move(call);
  EXPECT_TRUE(moved.launch(nullptr).ok());
  EXPECT_EQ(call.launch(nullptr).code(), TILEFOLD_ERROR_STATE);
}

TEST(NoDriverTest, SaysSo) {
  // In a process of its own (ctest runs every test so); beside others the driver is already there.
  if (!set_driver_library("/nonexistent/libcuda.so.1").ok())
    GTEST_SKIP() << "the driver is already in use";
  const Status status = device_count().status();
  EXPECT_EQ(status.code(), TILEFOLD_ERROR_NO_DRIVER);
  EXPECT_NE(status.message().find("no usable NVIDIA driver: /nonexistent/libcuda.so.1"), std::string::npos) << status.message();
  Call call;
  const Artifact artifact = open(scale_manifest());
  EXPECT_EQ(call.prepare(artifact, Arguments().view()).code(), TILEFOLD_ERROR_NO_DRIVER);
  (void)set_driver_library(TILEFOLD_FAKE_CUDA);
}

TEST_F(FakeDriverTest, TheLibraryIsFixedOnceInUse) {
  ASSERT_EQ(*device_count(), 3);
  EXPECT_EQ(set_driver_library("other.so").code(), TILEFOLD_ERROR_STATE);
  EXPECT_EQ(device_properties(1)->multiprocessor_count, 108);
  EXPECT_EQ(device_properties(7).status().code(), TILEFOLD_ERROR_USAGE);
}

} // namespace
} // namespace tilefold::runtime::test
