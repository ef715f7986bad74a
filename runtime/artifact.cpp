// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/artifact/manifest.h"
#include "runtime/driver/module_cache.h"
#include "runtime/plan/plan.h"
#include "runtime/tilefold.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>

namespace tilefold::runtime {

namespace {

Result<std::vector<uint8_t>> read_file(const std::string &path) {
  struct stat about;
  if (stat(path.c_str(), &about) == 0 && !S_ISREG(about.st_mode)) // a device may never end, a pipe never begin
    return Status(TILEFOLD_ERROR_IO, "cannot read '" + path + "': not a regular file");
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file)
    return Status(TILEFOLD_ERROR_IO, "cannot open '" + path + "': " + std::strerror(errno));
  std::vector<uint8_t> bytes;
  uint8_t chunk[65536];
  while (const size_t count = std::fread(chunk, 1, sizeof chunk, file.get()))
    bytes.insert(bytes.end(), chunk, chunk + count);
  if (std::ferror(file.get()))
    return Status(TILEFOLD_ERROR_IO, "cannot read '" + path + "': " + std::strerror(errno));
  return bytes;
}

} // namespace

Result<Artifact> Artifact::from_memory(const void *bytes, size_t size) {
  Result<Manifest> manifest = Manifest::parse(static_cast<const uint8_t *>(bytes), size);
  if (!manifest)
    return manifest.status();
  return Artifact(std::make_shared<const Manifest>(*std::move(manifest)));
}

Result<Artifact> Artifact::open(const std::string &path) {
  Result<std::vector<uint8_t>> bytes = read_file(path);
  if (!bytes)
    return bytes.status();
  Result<Artifact> artifact = from_memory(bytes->data(), bytes->size());
  if (!artifact)
    return Status(artifact.status().code(), "'" + path + "': " + artifact.status().message());
  return artifact;
}

const std::string &Artifact::program() const { return manifest_->program; }

std::string Artifact::to_json_text(bool include_code) const { return manifest_to_json_text(*manifest_, include_code); }

Result<Plan> Artifact::plan(const tilefold_arguments &arguments, const DeviceProperties &device, uint64_t workspace) const {
  return make_plan(*manifest_, arguments, device, workspace);
}

Result<uint64_t> Artifact::workspace_bytes(const tilefold_arguments &arguments, const DeviceProperties &device) const {
  return runtime::workspace_bytes(*manifest_, arguments, device);
}

Result<std::vector<int64_t>> Artifact::expected_shape(const tilefold_arguments &arguments, const DeviceProperties &device,
                                                      std::string_view name) const {
  return runtime::expected_shape(*manifest_, arguments, device, name);
}

Status Artifact::verify(const DeviceProperties &device) const { return runtime::verify(*manifest_, device); }

std::string Artifact::jit_log(int device) const { return runtime::jit_log(*manifest_, device); }

Result<int> device_count() {
  Result<const Driver *> driver = Driver::get();
  if (!driver)
    return driver.status();
  return count_devices(**driver);
}

Result<DeviceProperties> device_properties(int device) {
  Result<const Driver *> driver = Driver::get();
  if (!driver)
    return driver.status();
  return query_device(**driver, device);
}

Status set_driver_library(const std::string &path) { return Driver::set_library(path); }

} // namespace tilefold::runtime
