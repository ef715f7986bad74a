// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/artifact/manifest.h"
#include "runtime/plan/plan.h"
#include "runtime/tilefold.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace tilefold::runtime;

struct tilefold_artifact {
  Artifact artifact;
};
struct tilefold_call {
  Call call;
};

namespace {

/// Fixed buffers: recording that memory ran out must not need memory.
struct LastError {
  char message[8192] = "";
  char argument[256] = "";
  int cuda = 0;
};
thread_local LastError last_error;

template <size_t N> void copy(char (&to)[N], const char *from, size_t length) {
  length = std::min(length, N - 1);
  std::memcpy(to, from, length);
  to[length] = '\0';
}

tilefold_status record(const Status &status) {
  copy(last_error.message, status.message().data(), status.message().size());
  copy(last_error.argument, status.argument().data(), status.argument().size());
  last_error.cuda = status.cuda();
  return status.code();
}

tilefold_status record(tilefold_status code, const char *message) {
  copy(last_error.message, message, std::strlen(message));
  last_error.argument[0] = '\0';
  last_error.cuda = 0;
  return code;
}

/// Runs `body`, which gives a Status; nothing leaves but a code.
template <class Body> tilefold_status guarded(const Body &body) noexcept {
  try {
    const Status status = body();
    return status ? TILEFOLD_OK : record(status);
  } catch (const std::bad_alloc &) {
    return record(TILEFOLD_ERROR_MEMORY, "out of host memory");
  } catch (const std::exception &error) {
    return record(TILEFOLD_ERROR_INTERNAL, error.what());
  } catch (...) {
    return record(TILEFOLD_ERROR_INTERNAL, "unknown exception");
  }
}

tilefold_status null_argument(const char *function) noexcept {
  char message[160];
  std::snprintf(message, sizeof message, "%s: a pointer is null, expected an object", function);
  return record(TILEFOLD_ERROR_USAGE, message);
}

template <class... T> bool any_null(const T *...pointers) { return (... || !pointers); }

#define REFUSE_NULL(...)                                                                                               \
  do {                                                                                                                 \
    if (any_null(__VA_ARGS__))                                                                                         \
      return null_argument(__func__);                                                                                  \
  } while (false)

Status give_text(const std::string &text, char **out) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  *out = copy;
  return {};
}

template <class T> Status give(const Result<T> &result, T *out) {
  if (!result)
    return result.status();
  *out = *result;
  return {};
}

Status give_artifact(Result<Artifact> result, tilefold_artifact **out) {
  if (!result)
    return result.status();
  *out = new tilefold_artifact{*std::move(result)};
  return {};
}

} // namespace

extern "C" {

const char *tilefold_last_error(void) { return last_error.message; }
const char *tilefold_last_error_argument(void) { return last_error.argument; }
int tilefold_last_error_cuda(void) { return last_error.cuda; }
const char *tilefold_version(void) { return "0.1.0"; }

const char *tilefold_status_name(tilefold_status status) {
  switch (status) {
  case TILEFOLD_OK:
    return "ok";
  case TILEFOLD_ERROR_ARGUMENT:
    return "wrong argument";
  case TILEFOLD_ERROR_UNSUPPORTED:
    return "unsupported";
  case TILEFOLD_ERROR_ARTIFACT_MAGIC:
    return "not an artifact";
  case TILEFOLD_ERROR_ARTIFACT_VERSION:
    return "artifact of another version";
  case TILEFOLD_ERROR_ARTIFACT_LENGTH:
    return "artifact of wrong length";
  case TILEFOLD_ERROR_ARTIFACT_HASH:
    return "damaged artifact";
  case TILEFOLD_ERROR_ARTIFACT_FORMAT:
    return "malformed artifact";
  case TILEFOLD_ERROR_IO:
    return "input or output failed";
  case TILEFOLD_ERROR_NO_DRIVER:
    return "no driver";
  case TILEFOLD_ERROR_CUDA:
    return "driver call failed";
  case TILEFOLD_ERROR_STATE:
    return "wrong order of calls";
  case TILEFOLD_ERROR_USAGE:
    return "wrong use of a function";
  case TILEFOLD_ERROR_MEMORY:
    return "out of memory";
  case TILEFOLD_ERROR_INTERNAL:
    return "internal error";
  }
  return "unknown status";
}

void tilefold_free(void *memory) { std::free(memory); }

tilefold_status tilefold_artifact_open(const char *path, tilefold_artifact **artifact) {
  REFUSE_NULL(path, artifact);
  return guarded([&] { return give_artifact(Artifact::open(path), artifact); });
}

tilefold_status tilefold_artifact_from_memory(const void *bytes, size_t size, tilefold_artifact **artifact) {
  REFUSE_NULL(bytes, artifact);
  return guarded([&] { return give_artifact(Artifact::from_memory(bytes, size), artifact); });
}

void tilefold_artifact_destroy(tilefold_artifact *artifact) { delete artifact; }

tilefold_status tilefold_artifact_json(const tilefold_artifact *artifact, int include_code, char **text) {
  REFUSE_NULL(artifact, text);
  return guarded([&] { return give_text(artifact->artifact.to_json_text(include_code != 0), text); });
}

size_t tilefold_argument_count(const tilefold_artifact *artifact) {
  return artifact ? artifact->artifact.manifest().argument_order.size() : 0;
}

tilefold_status tilefold_argument_at(const tilefold_artifact *artifact, size_t index, tilefold_argument_info *info) {
  REFUSE_NULL(artifact, info);
  return guarded([&]() -> Status {
    const Manifest &manifest = artifact->artifact.manifest();
    if (index >= manifest.argument_order.size())
      return {TILEFOLD_ERROR_USAGE, "argument index " + std::to_string(index) + " is out of range, expected less than " +
                                        std::to_string(manifest.argument_order.size())};
    const auto [is_tensor, at] = manifest.argument_order[index];
    if (is_tensor) {
      const TensorDeclaration &tensor = manifest.tensors[size_t(at)];
      *info = {tensor.name.c_str(), tensor.role, tensor.dtype, int32_t(tensor.rank), 0, 0, 0};
    } else {
      const ScalarDeclaration &scalar = manifest.scalars[size_t(at)];
      const ScalarValue value = scalar.default_value.value_or(ScalarValue{});
      *info = {scalar.name.c_str(), TILEFOLD_SCALAR, scalar.dtype, 0, scalar.default_value.has_value(), value.floating,
               value.integer};
    }
    return {};
  });
}

tilefold_status tilefold_verify(const tilefold_artifact *artifact, const tilefold_device_properties *device) {
  REFUSE_NULL(artifact, device);
  return guarded([&] { return artifact->artifact.verify(*device); });
}

tilefold_status tilefold_workspace_size(const tilefold_artifact *artifact, const tilefold_device_properties *device,
                                        const tilefold_arguments *arguments, uint64_t *bytes) {
  REFUSE_NULL(artifact, device, arguments, bytes);
  return guarded([&] { return give(artifact->artifact.workspace_bytes(*arguments, *device), bytes); });
}

tilefold_status tilefold_expected_shape(const tilefold_artifact *artifact, const tilefold_device_properties *device,
                                        const tilefold_arguments *arguments, const char *name, int64_t *sizes,
                                        int32_t capacity, int32_t *rank) {
  REFUSE_NULL(artifact, device, arguments, name, rank);
  return guarded([&]() -> Status {
    const Result<std::vector<int64_t>> shape = artifact->artifact.expected_shape(*arguments, *device, name);
    if (!shape)
      return shape.status();
    if (int64_t(shape->size()) > capacity || (!sizes && !shape->empty()))
      return {TILEFOLD_ERROR_USAGE, "argument '" + std::string(name) + "' has rank " + std::to_string(shape->size()) +
                                        ", there is room for " + std::to_string(sizes ? capacity : 0) + " extents", name};
    std::copy(shape->begin(), shape->end(), sizes);
    *rank = int32_t(shape->size());
    return {};
  });
}

tilefold_status tilefold_plan_json(const tilefold_artifact *artifact, const tilefold_device_properties *device,
                                   const tilefold_arguments *arguments, char **text) {
  REFUSE_NULL(artifact, device, arguments, text);
  return guarded([&]() -> Status {
    const Result<Plan> plan = artifact->artifact.plan(*arguments, *device);
    return plan ? give_text(plan_to_json_text(artifact->artifact.manifest(), *plan), text) : plan.status();
  });
}

tilefold_status tilefold_set_driver_library(const char *path) {
  REFUSE_NULL(path);
  return guarded([&] { return set_driver_library(path); });
}

tilefold_status tilefold_device_count(int *count) {
  REFUSE_NULL(count);
  return guarded([&] { return give(device_count(), count); });
}

tilefold_status tilefold_device_query(int device, tilefold_device_properties *properties) {
  REFUSE_NULL(properties);
  return guarded([&] { return give(device_properties(device), properties); });
}

tilefold_status tilefold_call_create(tilefold_call **call) {
  REFUSE_NULL(call);
  return guarded([&]() -> Status {
    *call = new tilefold_call;
    return {};
  });
}

void tilefold_call_destroy(tilefold_call *call) { delete call; }

tilefold_status tilefold_prepare(const tilefold_artifact *artifact, const tilefold_arguments *arguments,
                                 const tilefold_prepare_options *options, tilefold_call *call) {
  REFUSE_NULL(artifact, arguments, call);
  return guarded([&] {
    PrepareOptions chosen;
    if (options)
      chosen = {options->device, options->workspace, options->workspace_bytes};
    return call->call.prepare(artifact->artifact, *arguments, chosen);
  });
}

tilefold_status tilefold_workspace_init(const tilefold_call *call, void *stream) {
  REFUSE_NULL(call);
  return guarded([&] { return call->call.init_workspace(stream); });
}

tilefold_status tilefold_launch(const tilefold_call *call, void *stream) {
  REFUSE_NULL(call);
  return guarded([&] { return call->call.launch(stream); });
}

tilefold_status tilefold_jit_log(const tilefold_artifact *artifact, int device, char **text) {
  REFUSE_NULL(artifact, text);
  return guarded([&] { return give_text(artifact->artifact.jit_log(device), text); });
}

} // extern "C"
