// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/Runtime/FakeCuda/FakeCuda.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>

using namespace tilefold::runtime::cuda;
using tilefold::fake::Launch;
using tilefold::fake::State;

struct CUctx_st {
  int device;
};
struct CUfunc_st {
  std::string entry;
  size_t parameters;
  int device;
  int shared = 0;
  bool loaded = false;
};
struct CUmod_st {
  std::string text;
  std::deque<CUfunc_st> functions;
};
struct CUstream_st {};
struct CUevent_st {};

namespace {

enum : int { error_invalid_ptx = 218, error_not_found = 500, error_invalid_device = 101 };

State &state() {
  static State state;
  return state;
}

struct Block {
  size_t bytes;
  int device;
};
std::map<uintptr_t, Block> &memory() {
  static std::map<uintptr_t, Block> memory;
  return memory;
}

/// Device 0 is an H200, device 1 an A100, device 2 a GPU that nobody knows yet.
struct Gpu {
  int capability, multiprocessors, shared_bytes;
};
constexpr Gpu gpus[] = {{9, 132, 232448}, {8, 108, 166912}, {19, 200, 232448}};
CUctx_st contexts[std::size(gpus)] = {{0}, {1}, {2}};
thread_local std::vector<Context> stack;

/// Logs the call; the result is a failure that the test asked for, or 0.
int called(const char *name) {
  State &fake = state();
  std::lock_guard lock(fake.mutex);
  fake.calls.push_back(name);
  auto it = fake.failures.find(name);
  if (it == fake.failures.end())
    return success;
  const int result = it->second;
  fake.failures.erase(it);
  return result;
}

#define CALLED()                                                                                                       \
  if (int result = called(__func__))                                                                                   \
  return result
#define NEED_CONTEXT()                                                                                                 \
  if (stack.empty())                                                                                                   \
  return error_invalid_context

/// `y[i] = factor * x[i * stride]`: the one kernel that this GPU can execute.
void run_scale(const Launch &launch) {
  if (launch.parameters.size() != 5)
    return;
  const auto *x = reinterpret_cast<const float *>(launch.parameters[0]);
  auto *y = reinterpret_cast<float *>(launch.parameters[1]);
  const auto n = int32_t(launch.parameters[2]);
  const auto stride = int64_t(launch.parameters[3]);
  const auto bits = uint32_t(launch.parameters[4]);
  float factor = 0;
  std::memcpy(&factor, &bits, sizeof factor);
  for (int64_t i = 0; i < std::min<int64_t>(n, int64_t(launch.grid[0]) * launch.block[0]); ++i)
    y[i] = factor * x[i * stride];
}

} // namespace

extern "C" {

State *fake_cuda_state() { return &state(); }
int fake_cuda_context_depth() { return int(stack.size()); }

int cuInit(unsigned) {
  CALLED();
  return success;
}
int cuDriverGetVersion(int *version) {
  CALLED();
  *version = 13000;
  return success;
}
int cuGetErrorName(int error, const char **text) {
  *text = error == error_invalid_ptx ? "CUDA_ERROR_INVALID_PTX" : error == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_FAKE";
  return success;
}
int cuGetErrorString(int, const char **text) {
  *text = "the fake driver's words";
  return success;
}
int cuDeviceGetCount(int *count) {
  CALLED();
  *count = int(std::size(gpus));
  return success;
}
int cuDeviceGet(int *device, int ordinal) {
  CALLED();
  *device = ordinal;
  return ordinal >= 0 && ordinal < int(std::size(gpus)) ? int(success) : int(error_invalid_device);
}
int cuDeviceGetName(char *name, int length, int) {
  CALLED();
  std::strncpy(name, "Fake", size_t(length));
  return success;
}
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  CALLED();
  switch (attribute) {
  case compute_capability_major:
    *value = gpus[device].capability;
    break;
  case multiprocessor_count:
    *value = gpus[device].multiprocessors;
    break;
  case max_shared_memory_per_block_optin:
    *value = gpus[device].shared_bytes;
    break;
  default:
    *value = 0;
  }
  return success;
}
int cuDevicePrimaryCtxRetain(Context *context, int device) {
  CALLED();
  *context = &contexts[device];
  return success;
}
int cuCtxGetCurrent(Context *context) {
  CALLED();
  *context = stack.empty() ? nullptr : stack.back();
  return success;
}
int cuCtxGetDevice(int *device) {
  CALLED();
  NEED_CONTEXT();
  *device = stack.back()->device;
  return success;
}
int cuCtxPushCurrent_v2(Context context) {
  CALLED();
  stack.push_back(context);
  return success;
}
int cuCtxPopCurrent_v2(Context *context) {
  CALLED();
  NEED_CONTEXT();
  *context = stack.back();
  stack.pop_back();
  return success;
}
int cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned count, int *options, void **values) {
  CALLED();
  NEED_CONTEXT();
  auto log = [&](int which, const char *text) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == which)
        std::strcpy(static_cast<char *>(values[i]), text);
  };
  const char *text = static_cast<const char *>(image);
  if (std::strstr(text, "CORRUPT")) {
    log(jit_error_log_buffer, "ptxas application ptx input, line 3; fatal : CORRUPT is no instruction");
    return error_invalid_ptx;
  }
  log(jit_info_log_buffer, "ptxas info : Used 32 registers");
  *module = new CUmod_st{text, {}};
  std::lock_guard lock(state().mutex);
  ++state().live_modules;
  return success;
}
int cuModuleUnload(ModuleHandle module) {
  CALLED();
  {
    std::lock_guard lock(state().mutex);
    --state().live_modules;
  }
  delete module;
  return success;
}
int cuModuleGetFunction(Function *function, ModuleHandle module, const char *name) {
  CALLED();
  NEED_CONTEXT();
  const std::string &text = module->text;
  const size_t at = text.find(".entry " + std::string(name) + "(");
  if (at == std::string::npos)
    return error_not_found;
  const size_t end = text.find(')', at);
  size_t parameters = 0;
  for (size_t p = text.find(".param", at); p < end; p = text.find(".param", p + 1))
    ++parameters;
  *function = &module->functions.emplace_back(CUfunc_st{name, parameters, stack.back()->device});
  return success;
}
int cuFuncGetAttribute(int *value, int attribute, Function function) {
  CALLED();
  NEED_CONTEXT();
  function->loaded = true;
  *value = attribute == function_max_threads_per_block ? 1024 : 32;
  return success;
}
int cuFuncSetAttribute(Function function, int attribute, int value) {
  CALLED();
  NEED_CONTEXT();
  if (attribute == function_max_dynamic_shared_memory)
    function->shared = value;
  return success;
}
int cuFuncLoad(Function function) {
  CALLED();
  NEED_CONTEXT();
  function->loaded = true;
  return success;
}
int cuLaunchKernelEx(const LaunchConfig *config, Function function, void **parameters, void **) {
  CALLED();
  NEED_CONTEXT();
  if (stack.back()->device != function->device)
    return 400; // CUDA_ERROR_INVALID_HANDLE
  if (config->shared_bytes > 49152 && int(config->shared_bytes) > function->shared)
    return error_invalid_value;
  Launch launch;
  launch.entry = function->entry;
  launch.grid = {config->grid_x, config->grid_y, config->grid_z};
  launch.block = {config->block_x, config->block_y, config->block_z};
  launch.shared = config->shared_bytes;
  for (unsigned i = 0; i < config->attribute_count; ++i)
    if (config->attributes[i].id == launch_attribute_cluster_dimension)
      launch.cluster = config->attributes[i].value.cluster.x;
  launch.stream = config->stream;
  launch.device = stack.back()->device;
  for (size_t i = 0; i < function->parameters; ++i) {
    uint64_t value = 0; // the runtime keeps every parameter in eight bytes
    std::memcpy(&value, parameters[i], sizeof value);
    launch.parameters.push_back(value);
  }
  State &fake = state();
  std::lock_guard lock(fake.mutex);
  if (function->entry == "scale")
    run_scale(launch);
  fake.lazy_launches += !function->loaded;
  fake.launches.push_back(std::move(launch));
  return success;
}
int cuPointerGetAttributes(unsigned count, int *attributes, void **values, DevicePointer pointer) {
  CALLED();
  const Block *block = nullptr;
  {
    std::lock_guard lock(state().mutex);
    auto it = memory().upper_bound(uintptr_t(pointer));
    if (it != memory().begin() && (--it, uintptr_t(pointer) < it->first + it->second.bytes))
      block = &it->second;
  }
  for (unsigned i = 0; i < count; ++i)
    switch (attributes[i]) {
    case pointer_memory_type:
      *static_cast<unsigned *>(values[i]) = block ? unsigned(memory_type_device) : 0;
      break;
    case pointer_is_managed:
      *static_cast<unsigned *>(values[i]) = 0;
      break;
    case pointer_device_ordinal:
      *static_cast<int *>(values[i]) = block ? block->device : -2;
      break;
    }
  return success;
}
int cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  CALLED();
  NEED_CONTEXT();
  void *block = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (!block)
    return error_out_of_memory;
  std::lock_guard lock(state().mutex);
  memory()[reinterpret_cast<uintptr_t>(block)] = {bytes, stack.back()->device};
  *pointer = reinterpret_cast<uintptr_t>(block);
  return success;
}
int cuMemFree_v2(DevicePointer pointer) {
  CALLED();
  std::lock_guard lock(state().mutex);
  if (!memory().erase(uintptr_t(pointer)))
    return error_invalid_value;
  std::free(reinterpret_cast<void *>(pointer));
  return success;
}
int cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes) {
  CALLED();
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return success;
}
int cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  CALLED();
  std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return success;
}
int cuMemsetD8Async(DevicePointer to, unsigned char value, size_t bytes, Stream) {
  CALLED();
  std::memset(reinterpret_cast<void *>(to), value, bytes);
  return success;
}
int cuStreamCreate(Stream *stream, unsigned) {
  CALLED();
  NEED_CONTEXT();
  *stream = new CUstream_st;
  return success;
}
int cuStreamDestroy_v2(Stream stream) {
  CALLED();
  delete stream;
  return success;
}
int cuStreamSynchronize(Stream) {
  CALLED();
  return success;
}
int cuEventCreate(Event *event, unsigned) {
  CALLED();
  *event = new CUevent_st;
  return success;
}
int cuEventDestroy_v2(Event event) {
  CALLED();
  delete event;
  return success;
}
int cuEventRecord(Event, Stream) {
  CALLED();
  return success;
}
int cuEventElapsedTime(float *milliseconds, Event, Event) {
  CALLED();
  *milliseconds = 1;
  return success;
}
int cuThreadExchangeStreamCaptureMode(int *mode) {
  static thread_local int current = 0;
  CALLED();
  std::swap(*mode, current);
  return success;
}
int cuOccupancyMaxActiveClusters(int *count, Function, const LaunchConfig *) {
  CALLED();
  *count = state().max_active_clusters;
  return success;
}

} // extern "C"
