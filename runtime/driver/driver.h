// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "runtime/driver/cuda_abi.h"
#include "runtime/status.h"

#include <string>

namespace tilefold::runtime {

/// The driver's functions, found by dlopen at run time: a program that links the runtime starts on any machine. Members
/// have the driver's names without version suffixes; the suffixes that dlsym needs are in driver.cpp.
struct Driver {
  cuda::Result (*cuInit)(unsigned flags);
  cuda::Result (*cuDriverGetVersion)(int *version);
  cuda::Result (*cuGetErrorName)(cuda::Result error, const char **text);
  cuda::Result (*cuGetErrorString)(cuda::Result error, const char **text);
  cuda::Result (*cuDeviceGetCount)(int *count);
  cuda::Result (*cuDeviceGet)(cuda::Device *device, int ordinal);
  cuda::Result (*cuDeviceGetName)(char *name, int length, cuda::Device device);
  cuda::Result (*cuDeviceGetAttribute)(int *value, cuda::DeviceAttribute attribute, cuda::Device device);
  cuda::Result (*cuDevicePrimaryCtxRetain)(cuda::Context *context, cuda::Device device);
  cuda::Result (*cuCtxGetCurrent)(cuda::Context *context);
  cuda::Result (*cuCtxGetDevice)(cuda::Device *device);
  cuda::Result (*cuCtxPushCurrent)(cuda::Context context);
  cuda::Result (*cuCtxPopCurrent)(cuda::Context *context);
  cuda::Result (*cuModuleLoadDataEx)(cuda::ModuleHandle *module, const void *image, unsigned count,
                                     cuda::JitOption *options, void **values);
  cuda::Result (*cuModuleUnload)(cuda::ModuleHandle module);
  cuda::Result (*cuModuleGetFunction)(cuda::Function *function, cuda::ModuleHandle module, const char *name);
  cuda::Result (*cuFuncGetAttribute)(int *value, cuda::FunctionAttribute attribute, cuda::Function function);
  cuda::Result (*cuFuncSetAttribute)(cuda::Function function, cuda::FunctionAttribute attribute, int value);
  cuda::Result (*cuLaunchKernelEx)(const cuda::LaunchConfig *config, cuda::Function function, void **parameters,
                                   void **extra);
  cuda::Result (*cuPointerGetAttributes)(unsigned count, cuda::PointerAttribute *attributes, void **values,
                                         cuda::DevicePointer pointer);
  cuda::Result (*cuMemAlloc)(cuda::DevicePointer *pointer, size_t bytes);
  cuda::Result (*cuMemFree)(cuda::DevicePointer pointer);
  cuda::Result (*cuMemcpyHtoD)(cuda::DevicePointer to, const void *from, size_t bytes);
  cuda::Result (*cuMemcpyDtoH)(void *to, cuda::DevicePointer from, size_t bytes);
  cuda::Result (*cuMemsetD8Async)(cuda::DevicePointer to, unsigned char value, size_t bytes, cuda::Stream stream);
  cuda::Result (*cuStreamCreate)(cuda::Stream *stream, unsigned flags);
  cuda::Result (*cuStreamDestroy)(cuda::Stream stream);
  cuda::Result (*cuStreamSynchronize)(cuda::Stream stream);
  cuda::Result (*cuEventCreate)(cuda::Event *event, unsigned flags);
  cuda::Result (*cuEventDestroy)(cuda::Event event);
  cuda::Result (*cuEventRecord)(cuda::Event event, cuda::Stream stream);
  cuda::Result (*cuEventElapsedTime)(float *milliseconds, cuda::Event begin, cuda::Event end);

  // Null with drivers that lack them.
  cuda::Result (*cuFuncLoad)(cuda::Function function);
  cuda::Result (*cuThreadExchangeStreamCaptureMode)(cuda::CaptureMode *mode);
  cuda::Result (*cuOccupancyMaxActiveClusters)(int *count, cuda::Function function, const cuda::LaunchConfig *config);

  /// The initialised driver; found once, then kept for the life of the process. Errors: NO_DRIVER, with the reason.
  static Result<const Driver *> get();
  /// See tilefold_set_driver_library.
  static Status set_library(const std::string &path);
};

/// The failure of a driver call: expression, CUresult, the driver's name and text for it, file and line.
Status cuda_failure(const Driver &driver, cuda::Result result, const char *expression, const char *file, int line);

inline Status cuda_status(const Driver &driver, cuda::Result result, const char *expression, const char *file, int line) {
  return result == cuda::success ? Status() : cuda_failure(driver, result, expression, file, line);
}

/// Calls a driver function and carries its result: `if (Status status = TILEFOLD_CUDA(driver, cuInit(0)); !status) return status;`
#define TILEFOLD_CUDA(driver, call)                                                                                    \
  ::tilefold::runtime::cuda_status((driver), (driver).call, #call, __FILE__, __LINE__)

/// Makes a context current for a scope, on whatever thread this is, and leaves the thread's stack as it was.
class ContextScope {
public:
  ContextScope(const Driver &driver, cuda::Context context);
  ~ContextScope();
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;
  const Status &status() const { return status_; }

private:
  const Driver &driver_;
  bool pushed_ = false;
  Status status_;
};

} // namespace tilefold::runtime
