// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Runtime/FakeDriver.h"

#include <thread>

extern "C" int tilefold_test_from_c(const void *artifact, size_t size, const void *x, void *y);

namespace tilefold::runtime::test {
namespace {

class CInterfaceTest : public FakeDriverTest {
protected:
  CInterfaceTest() {
    const std::vector<uint8_t> bytes = write_artifact(scale_manifest());
    EXPECT_EQ(tilefold_artifact_from_memory(bytes.data(), bytes.size(), &artifact), TILEFOLD_OK);
  }
  ~CInterfaceTest() override { tilefold_artifact_destroy(artifact); }
  tilefold_artifact *artifact = nullptr;
};

TEST_F(CInterfaceTest, ACProgramRunsAKernel) {
  const std::vector<uint8_t> bytes = write_artifact(scale_manifest());
  auto *x = static_cast<float *>(allocate(64)), *y = static_cast<float *>(allocate(64));
  for (int i = 0; i < 4; ++i)
    x[i] = float(i);
  EXPECT_EQ(tilefold_test_from_c(bytes.data(), bytes.size(), x, y), 0) << tilefold_last_error();
  EXPECT_EQ(y[3], 9.f);
}

TEST_F(CInterfaceTest, NullPointersAreErrors) { // F11
  tilefold_arguments arguments{};
  tilefold_device_properties device = a100;
  tilefold_argument_info info;
  tilefold_call *call = nullptr;
  uint64_t bytes = 0;
  int32_t rank = 0;
  char *text = nullptr;
  EXPECT_EQ(tilefold_artifact_open(nullptr, &artifact), TILEFOLD_ERROR_USAGE);
  EXPECT_STREQ(tilefold_last_error(), "tilefold_artifact_open: a pointer is null, expected an object");
  EXPECT_EQ(tilefold_artifact_from_memory(nullptr, 0, &artifact), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_artifact_json(nullptr, 0, &text), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_argument_count(nullptr), 0u);
  EXPECT_EQ(tilefold_argument_at(nullptr, 0, &info), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_argument_at(artifact, 0, nullptr), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_verify(artifact, nullptr), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_workspace_size(artifact, &device, nullptr, &bytes), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_expected_shape(artifact, &device, &arguments, nullptr, nullptr, 0, &rank), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_plan_json(artifact, nullptr, &arguments, &text), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_set_driver_library(nullptr), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_device_count(nullptr), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_device_query(0, nullptr), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_call_create(nullptr), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_prepare(artifact, &arguments, nullptr, call), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_launch(nullptr, nullptr), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_workspace_init(nullptr, nullptr), TILEFOLD_ERROR_USAGE);
  EXPECT_EQ(tilefold_jit_log(nullptr, 0, &text), TILEFOLD_ERROR_USAGE);
  tilefold_artifact_destroy(nullptr);
  tilefold_call_destroy(nullptr);
  tilefold_free(nullptr);

  arguments.tensor_count = 3; // a count without an array
  EXPECT_EQ(tilefold_workspace_size(artifact, &device, &arguments, &bytes), TILEFOLD_ERROR_USAGE);
  tilefold_tensor nameless{};
  arguments = {&nameless, 1, nullptr, 0};
  EXPECT_EQ(tilefold_workspace_size(artifact, &device, &arguments, &bytes), TILEFOLD_ERROR_USAGE);
  nameless.name = "x";
  nameless.dtype = TILEFOLD_F32;
  nameless.rank = 1;
  EXPECT_EQ(tilefold_workspace_size(artifact, &device, &arguments, &bytes), TILEFOLD_ERROR_ARGUMENT);
  EXPECT_STREQ(tilefold_last_error(), "argument 'x' has a null pointer for its sizes");
}

TEST_F(CInterfaceTest, ErrorsAreOfTheThread) {
  tilefold_artifact *none = nullptr;
  EXPECT_EQ(tilefold_artifact_open("/nonexistent", &none), TILEFOLD_ERROR_IO);
  std::thread([] { EXPECT_STREQ(tilefold_last_error(), ""); }).join();
  EXPECT_NE(std::string(tilefold_last_error()), "");
  EXPECT_EQ(none, nullptr) << "output is written on success only";
  EXPECT_EQ(tilefold_artifact_from_memory("TILEFOLX", 8, &none), TILEFOLD_ERROR_ARTIFACT_MAGIC);
}

TEST_F(CInterfaceTest, ArgumentsAreListed) {
  ASSERT_EQ(tilefold_argument_count(artifact), 3u);
  tilefold_argument_info info;
  ASSERT_EQ(tilefold_argument_at(artifact, 1, &info), TILEFOLD_OK);
  EXPECT_STREQ(info.name, "y");
  EXPECT_EQ(info.role, TILEFOLD_OUTPUT);
  EXPECT_EQ(info.rank, 1);
  ASSERT_EQ(tilefold_argument_at(artifact, 2, &info), TILEFOLD_OK);
  EXPECT_EQ(info.role, TILEFOLD_SCALAR);
  EXPECT_TRUE(info.has_default);
  EXPECT_EQ(info.default_floating, 2.0);
  EXPECT_EQ(tilefold_argument_at(artifact, 3, &info), TILEFOLD_ERROR_USAGE);
}

TEST_F(CInterfaceTest, PlansWithoutADriver) {
  const int64_t n = 257;
  const tilefold_tensor tensors[] = {{"x", address(0), TILEFOLD_F32, 1, &n, nullptr}, {"y", address(1), TILEFOLD_F32, 1, &n, nullptr}};
  const tilefold_arguments arguments{tensors, 2, nullptr, 0};
  int64_t sizes[8] = {};
  int32_t rank = 0;
  ASSERT_EQ(tilefold_expected_shape(artifact, &h200, &arguments, "y", sizes, 8, &rank), TILEFOLD_OK);
  EXPECT_EQ(rank, 1);
  EXPECT_EQ(sizes[0], 257);
  EXPECT_EQ(tilefold_expected_shape(artifact, &h200, &arguments, "y", sizes, 0, &rank), TILEFOLD_ERROR_USAGE);
  char *text = nullptr;
  ASSERT_EQ(tilefold_plan_json(artifact, &h200, &arguments, &text), TILEFOLD_OK) << tilefold_last_error();
  EXPECT_EQ(json::parse(text)["launches"][0]["blocks"], 3);
  tilefold_free(text);
  EXPECT_EQ(calls_of("cuInit"), 0);
}

TEST_F(CInterfaceTest, FailuresNameArgumentAndCudaResult) {
  const int64_t n = 4;
  const tilefold_tensor tensors[] = {{"x", allocate(64), TILEFOLD_F16, 1, &n, nullptr}};
  tilefold_arguments arguments{tensors, 1, nullptr, 0};
  tilefold_call *call = nullptr;
  ASSERT_EQ(tilefold_call_create(&call), TILEFOLD_OK);
  EXPECT_EQ(tilefold_launch(call, nullptr), TILEFOLD_ERROR_STATE);
  EXPECT_EQ(tilefold_prepare(artifact, &arguments, nullptr, call), TILEFOLD_ERROR_ARGUMENT);
  EXPECT_STREQ(tilefold_last_error_argument(), "x");
  fake->failures["cuPointerGetAttributes"] = 999;
  EXPECT_EQ(tilefold_prepare(artifact, &arguments, nullptr, call), TILEFOLD_ERROR_CUDA);
  EXPECT_EQ(tilefold_last_error_cuda(), 999);
  tilefold_call_destroy(call);
}

TEST_F(CInterfaceTest, EveryStatusHasAName) {
  for (int status = TILEFOLD_OK; status <= TILEFOLD_ERROR_INTERNAL; ++status)
    EXPECT_STRNE(tilefold_status_name(tilefold_status(status)), "unknown status");
  EXPECT_STREQ(tilefold_status_name(tilefold_status(99)), "unknown status");
}

} // namespace
} // namespace tilefold::runtime::test
