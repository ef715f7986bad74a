// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of the CUDA driver's ABI that the runtime uses, declared here so that building it needs no CUDA toolkit. Values
// and layouts are those of cuda.h and are compared with it in a test where it is installed. The handle types are the
// same incomplete structs, so handles of programs that do include cuda.h convert without a cast.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUctx_st;
struct CUmod_st;
struct CUfunc_st;
struct CUstream_st;
struct CUevent_st;

namespace tilefold::runtime::cuda {

using Context = CUctx_st *;
using ModuleHandle = CUmod_st *;
using Function = CUfunc_st *;
using Stream = CUstream_st *;
using Event = CUevent_st *;
using Device = int;
using DevicePointer = unsigned long long;

using Result = int; // CUresult; 0 is success
enum : int {
  success = 0,
  error_invalid_value = 1,
  error_out_of_memory = 2,
  error_no_device = 100,
  error_invalid_context = 201,
};

enum DeviceAttribute : int {
  multiprocessor_count = 16,
  compute_capability_major = 75,
  compute_capability_minor = 76,
  pageable_memory_access = 88,
  max_shared_memory_per_block_optin = 97,
};

enum PointerAttribute : int {
  pointer_memory_type = 2,
  pointer_is_managed = 8,
  pointer_device_ordinal = 9,
};

enum : unsigned {
  memory_type_host = 1,
  memory_type_device = 2,
};

enum FunctionAttribute : int {
  function_max_threads_per_block = 0,
  function_register_count = 4,
  function_max_dynamic_shared_memory = 8,
  function_non_portable_cluster_size_allowed = 14,
};

enum JitOption : int {
  jit_info_log_buffer = 3,
  jit_info_log_buffer_size_bytes = 4,
  jit_error_log_buffer = 5,
  jit_error_log_buffer_size_bytes = 6,
  jit_log_verbose = 12,
};

enum CaptureMode : int { capture_mode_relaxed = 2 };

enum : unsigned { stream_non_blocking = 1 };

struct ClusterDimension {
  unsigned x, y, z;
};

enum LaunchAttributeId : int { launch_attribute_cluster_dimension = 4 };

struct LaunchAttribute {
  LaunchAttributeId id;
  char pad[8 - sizeof(LaunchAttributeId)];
  union alignas(8) {
    char bytes[64];
    ClusterDimension cluster;
  } value;
};

struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z;
  unsigned block_x, block_y, block_z;
  unsigned shared_bytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attribute_count;
};

} // namespace tilefold::runtime::cuda
