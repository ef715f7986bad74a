// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/driver/module_cache.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace tilefold::runtime {

namespace {

struct LoadedFunction {
  cuda::Function handle = nullptr;
  uint32_t shared = 0; ///< opted into so far
  bool wide_cluster = false;
};

struct LoadedModule {
  std::mutex mutex; // one JIT at a time for a module, while others proceed
  cuda::ModuleHandle handle = nullptr;
  std::string log;
  std::map<std::string, LoadedFunction> functions;
};

using Key = std::tuple<Hash128, int, int, int>; // artifact, module, cubin, device

struct Cache {
  std::mutex mutex;
  std::map<Key, std::unique_ptr<LoadedModule>> modules;
};

Cache &cache() {
  static Cache *cache = new Cache; // never destroyed, as the modules in it
  return *cache;
}

LoadedModule &slot(const Key &key) {
  Cache &all = cache();
  std::lock_guard lock(all.mutex);
  std::unique_ptr<LoadedModule> &module = all.modules[key];
  if (!module)
    module = std::make_unique<LoadedModule>();
  return *module;
}

/// Lets this thread load code while another one captures a stream in global mode, which would otherwise forbid it.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver) : driver_(driver) { exchange(); }
  ~RelaxedCapture() { exchange(); }
  RelaxedCapture(const RelaxedCapture &) = delete;
  RelaxedCapture &operator=(const RelaxedCapture &) = delete;

private:
  void exchange() {
    if (driver_.cuThreadExchangeStreamCaptureMode)
      (void)driver_.cuThreadExchangeStreamCaptureMode(&mode_);
  }
  const Driver &driver_;
  cuda::CaptureMode mode_ = cuda::capture_mode_relaxed;
};

Status load_module(const Driver &driver, const Module &source, int cubin, LoadedModule &loaded) {
  constexpr size_t log_bytes = 16384;
  std::string info(log_bytes, '\0'), error(log_bytes, '\0');
  cuda::JitOption options[] = {cuda::jit_info_log_buffer, cuda::jit_info_log_buffer_size_bytes, cuda::jit_error_log_buffer,
                               cuda::jit_error_log_buffer_size_bytes, cuda::jit_log_verbose};
  void *values[] = {info.data(), reinterpret_cast<void *>(log_bytes), error.data(), reinterpret_cast<void *>(log_bytes),
                    reinterpret_cast<void *>(uintptr_t(1))};
  const void *image = cubin < 0 ? static_cast<const void *>(source.ptx.c_str()) : source.cubins[size_t(cubin)].data.data();
  cuda::ModuleHandle handle = nullptr;
  Status status = TILEFOLD_CUDA(driver, cuModuleLoadDataEx(&handle, image, 5, options, values));
  if (!status) {
    error.resize(std::min(error.find('\0'), error.size()));
    const std::string code = cubin < 0 ? "PTX for " + source.target.text() : "cubin for " + source.cubins[size_t(cubin)].arch.text();
    return {status.code(), "the driver does not load the " + code + ": " + status.message() +
                               (error.empty() ? std::string() : "\n" + error),
            {}, status.cuda()};
  }
  info.resize(std::min(info.find('\0'), info.size()));
  loaded.log = std::move(info);
  loaded.handle = handle;
  return {};
}

/// Kernels are loaded lazily by default: the first launch would take the context's lock and wait for running kernels.
Status load_eagerly(const Driver &driver, cuda::Function function) {
  if (driver.cuFuncLoad)
    return TILEFOLD_CUDA(driver, cuFuncLoad(function));
  int registers = 0; // older drivers load a function when asked about it
  return TILEFOLD_CUDA(driver, cuFuncGetAttribute(&registers, cuda::function_register_count, function));
}

Status opt_in(const Driver &driver, const PlannedLaunch &launch, LoadedFunction &function) {
  int max_threads = 0;
  if (Status status = TILEFOLD_CUDA(driver, cuFuncGetAttribute(&max_threads, cuda::function_max_threads_per_block, function.handle));
      !status)
    return status;
  if (launch.block > uint32_t(max_threads))
    return {TILEFOLD_ERROR_UNSUPPORTED, "kernel '" + launch.kernel + "' is launched with " + std::to_string(launch.block) +
                                            " threads, its code on this device takes at most " +
                                            std::to_string(max_threads)};
  if (launch.shared > function.shared) {
    if (Status status = TILEFOLD_CUDA(driver, cuFuncSetAttribute(function.handle, cuda::function_max_dynamic_shared_memory,
                                                                 int(launch.shared)));
        !status)
      return {status.code(), "kernel '" + launch.kernel + "' cannot have " + std::to_string(launch.shared) +
                                 " bytes of shared memory: " + status.message(), {}, status.cuda()};
    function.shared = launch.shared;
  }
  if (launch.cluster > 8 && !function.wide_cluster) { // 8 blocks are portable
    if (Status status = TILEFOLD_CUDA(driver, cuFuncSetAttribute(function.handle, cuda::function_non_portable_cluster_size_allowed, 1));
        !status)
      return status;
    function.wide_cluster = true;
  }
  return {};
}

/// A cluster must fit one processing cluster of the GPU together with its shared memory; the launch would only say "invalid".
Status check_cluster(const Driver &driver, const PlannedLaunch &launch, cuda::Function function) {
  if (launch.cluster <= 1 || launch.blocks == 0 || !driver.cuOccupancyMaxActiveClusters)
    return {};
  cuda::LaunchAttribute attribute{};
  attribute.id = cuda::launch_attribute_cluster_dimension;
  attribute.value.cluster = {launch.cluster, 1, 1};
  cuda::LaunchConfig config{launch.blocks, 1, 1, launch.block, 1, 1, launch.shared, nullptr, &attribute, 1};
  int clusters = 0;
  if (Status status = TILEFOLD_CUDA(driver, cuOccupancyMaxActiveClusters(&clusters, function, &config)); !status)
    return status;
  if (clusters > 0)
    return {};
  return {TILEFOLD_ERROR_UNSUPPORTED, "kernel '" + launch.kernel + "': no cluster of " + std::to_string(launch.cluster) +
                                          " blocks with " + std::to_string(launch.shared) +
                                          " bytes of shared memory each fits this device"};
}

} // namespace

Result<cuda::Function> load_kernel(const Driver &driver, const DeviceContext &device, const Manifest &manifest,
                                   const Plan &plan, const PlannedLaunch &launch) {
  LoadedModule &module = slot({manifest.hash, plan.module, plan.cubin, device.ordinal});
  std::lock_guard lock(module.mutex);
  RelaxedCapture relaxed(driver);
  if (!module.handle)
    if (Status status = load_module(driver, manifest.modules[size_t(plan.module)], plan.cubin, module); !status)
      return status;
  LoadedFunction function; // entered only when complete
  if (auto it = module.functions.find(launch.entry); it != module.functions.end())
    function = it->second;
  if (!function.handle) {
    if (Status status = TILEFOLD_CUDA(driver, cuModuleGetFunction(&function.handle, module.handle, launch.entry.c_str())); !status)
      return Status(status.code(), "kernel '" + launch.entry + "' is not in the loaded code: " + status.message(), {},
                    status.cuda());
    if (Status status = load_eagerly(driver, function.handle); !status)
      return status;
  }
  if (Status status = opt_in(driver, launch, function); !status)
    return status;
  if (Status status = check_cluster(driver, launch, function.handle); !status)
    return status;
  module.functions[launch.entry] = function;
  return function.handle;
}

std::string jit_log(const Manifest &manifest, int device) {
  Cache &all = cache();
  std::lock_guard lock(all.mutex);
  std::string text;
  for (const auto &[key, module] : all.modules) {
    if (std::get<0>(key) != manifest.hash || std::get<3>(key) != device)
      continue;
    std::lock_guard module_lock(module->mutex);
    text += module->log;
  }
  return text;
}

} // namespace tilefold::runtime
