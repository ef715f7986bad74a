// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our declarations of the driver's ABI against cuda.h, where that is installed.
#include "runtime/driver/cuda_abi.h"

#include <cuda.h>

#include <gtest/gtest.h>

namespace ours = tilefold::runtime::cuda;

static_assert(sizeof(ours::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(alignof(ours::LaunchAttribute) == alignof(CUlaunchAttribute));
static_assert(offsetof(ours::LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
static_assert(sizeof(ours::LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(ours::LaunchConfig, block_x) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(ours::LaunchConfig, shared_bytes) == offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(ours::LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(ours::LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(ours::LaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
static_assert(sizeof(ours::DevicePointer) == sizeof(CUdeviceptr));
static_assert(std::is_same_v<ours::Stream, CUstream> && std::is_same_v<ours::Function, CUfunction> &&
              std::is_same_v<ours::Context, CUcontext> && std::is_same_v<ours::ModuleHandle, CUmodule> &&
              std::is_same_v<ours::Event, CUevent>);

TEST(CudaAbiTest, Constants) {
  EXPECT_EQ(int(ours::success), int(CUDA_SUCCESS));
  EXPECT_EQ(int(ours::error_invalid_value), int(CUDA_ERROR_INVALID_VALUE));
  EXPECT_EQ(int(ours::error_out_of_memory), int(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_EQ(int(ours::error_no_device), int(CUDA_ERROR_NO_DEVICE));
  EXPECT_EQ(int(ours::error_invalid_context), int(CUDA_ERROR_INVALID_CONTEXT));
  EXPECT_EQ(int(ours::multiprocessor_count), int(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  EXPECT_EQ(int(ours::compute_capability_major), int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  EXPECT_EQ(int(ours::compute_capability_minor), int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  EXPECT_EQ(int(ours::pageable_memory_access), int(CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS));
  EXPECT_EQ(int(ours::max_shared_memory_per_block_optin), int(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  EXPECT_EQ(int(ours::pointer_memory_type), int(CU_POINTER_ATTRIBUTE_MEMORY_TYPE));
  EXPECT_EQ(int(ours::pointer_is_managed), int(CU_POINTER_ATTRIBUTE_IS_MANAGED));
  EXPECT_EQ(int(ours::pointer_device_ordinal), int(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL));
  EXPECT_EQ(unsigned(ours::memory_type_host), unsigned(CU_MEMORYTYPE_HOST));
  EXPECT_EQ(unsigned(ours::memory_type_device), unsigned(CU_MEMORYTYPE_DEVICE));
  EXPECT_EQ(int(ours::function_max_threads_per_block), int(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  EXPECT_EQ(int(ours::function_register_count), int(CU_FUNC_ATTRIBUTE_NUM_REGS));
  EXPECT_EQ(int(ours::function_max_dynamic_shared_memory), int(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
  EXPECT_EQ(int(ours::function_non_portable_cluster_size_allowed), int(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED));
  EXPECT_EQ(int(ours::jit_info_log_buffer), int(CU_JIT_INFO_LOG_BUFFER));
  EXPECT_EQ(int(ours::jit_info_log_buffer_size_bytes), int(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES));
  EXPECT_EQ(int(ours::jit_error_log_buffer), int(CU_JIT_ERROR_LOG_BUFFER));
  EXPECT_EQ(int(ours::jit_error_log_buffer_size_bytes), int(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES));
  EXPECT_EQ(int(ours::jit_log_verbose), int(CU_JIT_LOG_VERBOSE));
  EXPECT_EQ(int(ours::capture_mode_relaxed), int(CU_STREAM_CAPTURE_MODE_RELAXED));
  EXPECT_EQ(unsigned(ours::stream_non_blocking), unsigned(CU_STREAM_NON_BLOCKING));
  EXPECT_EQ(int(ours::launch_attribute_cluster_dimension), int(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION));
}
