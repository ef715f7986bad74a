// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/driver/device.h"

#include <map>
#include <memory>
#include <mutex>

namespace tilefold::runtime {

Result<int> count_devices(const Driver &driver) {
  int count = 0;
  if (Status status = TILEFOLD_CUDA(driver, cuDeviceGetCount(&count)); !status)
    return status;
  return count;
}

namespace {

Result<cuda::Device> device_handle(const Driver &driver, int ordinal) {
  Result<int> count = count_devices(driver);
  if (!count)
    return count.status();
  if (ordinal < 0 || ordinal >= *count)
    return Status(TILEFOLD_ERROR_USAGE, "device " + std::to_string(ordinal) + " does not exist, " +
                                            (*count == 0 ? "the driver sees none" : "expected 0 to " + std::to_string(*count - 1)));
  cuda::Device device = 0;
  if (Status status = TILEFOLD_CUDA(driver, cuDeviceGet(&device, ordinal)); !status)
    return status;
  return device;
}

Result<tilefold_device_properties> read_properties(const Driver &driver, cuda::Device device) {
  tilefold_device_properties properties{};
  const std::pair<cuda::DeviceAttribute, int32_t *> wanted[] = {
      {cuda::compute_capability_major, &properties.capability_major},
      {cuda::compute_capability_minor, &properties.capability_minor},
      {cuda::multiprocessor_count, &properties.multiprocessor_count},
      {cuda::max_shared_memory_per_block_optin, &properties.max_shared_memory},
  };
  for (auto [attribute, value] : wanted)
    if (Status status = TILEFOLD_CUDA(driver, cuDeviceGetAttribute(value, attribute, device)); !status)
      return status;
  return properties;
}

struct Devices {
  std::mutex mutex;
  std::map<int, std::unique_ptr<DeviceContext>> by_ordinal;
};

Devices &devices() {
  static Devices *devices = new Devices; // never destroyed: calls point into it
  return *devices;
}

} // namespace

Result<tilefold_device_properties> query_device(const Driver &driver, int ordinal) {
  Result<cuda::Device> device = device_handle(driver, ordinal);
  if (!device)
    return device.status();
  return read_properties(driver, *device);
}

Result<const DeviceContext *> get_device(const Driver &driver, int ordinal) {
  Devices &known = devices();
  std::lock_guard lock(known.mutex);
  if (auto it = known.by_ordinal.find(ordinal); it != known.by_ordinal.end())
    return it->second.get();
  Result<cuda::Device> device = device_handle(driver, ordinal);
  if (!device)
    return device.status();
  Result<tilefold_device_properties> properties = read_properties(driver, *device);
  if (!properties)
    return properties.status();
  auto entry = std::make_unique<DeviceContext>();
  entry->ordinal = ordinal;
  entry->properties = *properties;
  int pageable = 0;
  if (Status status = TILEFOLD_CUDA(driver, cuDeviceGetAttribute(&pageable, cuda::pageable_memory_access, *device)); !status)
    return status;
  entry->reads_pageable_memory = pageable != 0;
  if (Status status = TILEFOLD_CUDA(driver, cuDevicePrimaryCtxRetain(&entry->context, *device)); !status)
    return status;
  return (known.by_ordinal[ordinal] = std::move(entry)).get();
}

Result<PointerFacts> query_pointer(const Driver &driver, uint64_t address) {
  // The plural form answers with zeros for an address that CUDA does not know, where the singular one fails.
  unsigned memory_type = 0;
  unsigned managed = 0;
  int ordinal = -1;
  cuda::PointerAttribute attributes[] = {cuda::pointer_memory_type, cuda::pointer_is_managed, cuda::pointer_device_ordinal};
  void *values[] = {&memory_type, &managed, &ordinal};
  if (Status status = TILEFOLD_CUDA(driver, cuPointerGetAttributes(3, attributes, values, address)); !status)
    return status;
  PointerFacts facts;
  facts.known = memory_type != 0;
  facts.any_device = managed != 0 || memory_type == cuda::memory_type_host;
  facts.ordinal = facts.known ? ordinal : -1;
  return facts;
}

} // namespace tilefold::runtime
