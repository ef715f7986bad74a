// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/driver/driver.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

namespace tilefold::runtime {

namespace {

struct State {
  std::mutex mutex;
  std::string library;
  Driver table{};
  bool ready = false;
};

/// Never destroyed: other objects with static lifetime may launch from their destructors.
State &state() {
  static State *state = new State;
  return *state;
}

Status no_driver(const std::string &reason, int cuda = 0) {
  return {TILEFOLD_ERROR_NO_DRIVER, "no usable NVIDIA driver: " + reason, {}, cuda};
}

/// dlsym and not cuGetProcAddress: the suffix states the ABI that driver.h declares, whatever the driver's own version.
Status load_symbols(void *library, const std::string &path, Driver &table) {
  std::string missing;
  auto find = [&](auto &function, const char *symbol, bool required = true) {
    void *address = dlsym(library, symbol);
    static_assert(sizeof address == sizeof function);
    std::memcpy(&function, &address, sizeof address);
    if (!address && required && missing.empty())
      missing = symbol;
  };
  find(table.cuInit, "cuInit");
  find(table.cuDriverGetVersion, "cuDriverGetVersion");
  find(table.cuGetErrorName, "cuGetErrorName");
  find(table.cuGetErrorString, "cuGetErrorString");
  find(table.cuDeviceGetCount, "cuDeviceGetCount");
  find(table.cuDeviceGet, "cuDeviceGet");
  find(table.cuDeviceGetName, "cuDeviceGetName");
  find(table.cuDeviceGetAttribute, "cuDeviceGetAttribute");
  find(table.cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain");
  find(table.cuCtxGetCurrent, "cuCtxGetCurrent");
  find(table.cuCtxGetDevice, "cuCtxGetDevice");
  find(table.cuCtxPushCurrent, "cuCtxPushCurrent_v2");
  find(table.cuCtxPopCurrent, "cuCtxPopCurrent_v2");
  find(table.cuModuleLoadDataEx, "cuModuleLoadDataEx");
  find(table.cuModuleUnload, "cuModuleUnload");
  find(table.cuModuleGetFunction, "cuModuleGetFunction");
  find(table.cuFuncGetAttribute, "cuFuncGetAttribute");
  find(table.cuFuncSetAttribute, "cuFuncSetAttribute");
  find(table.cuLaunchKernelEx, "cuLaunchKernelEx");
  find(table.cuPointerGetAttributes, "cuPointerGetAttributes");
  find(table.cuMemAlloc, "cuMemAlloc_v2");
  find(table.cuMemFree, "cuMemFree_v2");
  find(table.cuMemcpyHtoD, "cuMemcpyHtoD_v2");
  find(table.cuMemcpyDtoH, "cuMemcpyDtoH_v2");
  find(table.cuMemsetD8Async, "cuMemsetD8Async");
  find(table.cuStreamCreate, "cuStreamCreate");
  find(table.cuStreamDestroy, "cuStreamDestroy_v2");
  find(table.cuStreamSynchronize, "cuStreamSynchronize");
  find(table.cuEventCreate, "cuEventCreate");
  find(table.cuEventDestroy, "cuEventDestroy_v2");
  find(table.cuEventRecord, "cuEventRecord");
  find(table.cuEventElapsedTime, "cuEventElapsedTime");
  find(table.cuFuncLoad, "cuFuncLoad", false);
  find(table.cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", false);
  find(table.cuOccupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters", false);
  if (missing.empty())
    return {};
  return no_driver("'" + path + "' lacks " + missing + ", expected a driver for CUDA 11.8 or later");
}

} // namespace

Result<const Driver *> Driver::get() {
  State &driver = state();
  std::lock_guard lock(driver.mutex);
  if (driver.ready)
    return &driver.table;
  std::string path = driver.library;
  if (const char *variable = std::getenv("TILEFOLD_CUDA_LIBRARY"); path.empty() && variable && *variable)
    path = variable;
  if (path.empty())
    path = "libcuda.so.1";
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); // never closed: the driver does not survive that
  if (!library) {
    const char *reason = dlerror();
    return no_driver(reason ? reason : "'" + path + "' cannot be opened");
  }
  Driver table{};
  if (Status status = load_symbols(library, path, table); !status)
    return status;
  if (Status status = TILEFOLD_CUDA(table, cuInit(0)); !status)
    return no_driver(status.message(), status.cuda());
  driver.table = table;
  driver.ready = true;
  return &driver.table;
}

Status Driver::set_library(const std::string &path) {
  State &driver = state();
  std::lock_guard lock(driver.mutex);
  if (driver.ready)
    return {TILEFOLD_ERROR_STATE, "the driver is already in use, expected its library to be set before the first call"};
  driver.library = path;
  return {};
}

Status cuda_failure(const Driver &driver, cuda::Result result, const char *expression, const char *file, int line) {
  const char *name = nullptr, *text = nullptr;
  if (driver.cuGetErrorName(result, &name) != cuda::success || !name)
    name = "unknown error";
  if (driver.cuGetErrorString(result, &text) != cuda::success || !text)
    text = "no description";
  const char *relative = std::strstr(file, "runtime/"); // paths of the build machine mean nothing to a user
  return {TILEFOLD_ERROR_CUDA,
          std::string(expression) + " failed with " + name + " (" + std::to_string(result) + "): " + text + " [" +
              (relative ? relative : file) + ":" + std::to_string(line) + "]",
          {},
          result};
}

ContextScope::ContextScope(const Driver &driver, cuda::Context context) : driver_(driver) {
  cuda::Context current = nullptr;
  if (driver.cuCtxGetCurrent(&current) == cuda::success && current == context)
    return;
  status_ = TILEFOLD_CUDA(driver, cuCtxPushCurrent(context));
  pushed_ = status_.ok();
}

ContextScope::~ContextScope() {
  cuda::Context popped = nullptr;
  if (pushed_)
    (void)driver_.cuCtxPopCurrent(&popped); // fails only if somebody else unbalanced the stack
}

} // namespace tilefold::runtime
