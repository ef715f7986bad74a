// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface of the Tilefold runtime: open an artifact, prepare a call, launch it.
//
// Every function is `noexcept` in effect: nothing throws, aborts or exits across this interface. Each returns a status;
// the message of the last failure on the calling thread is in `tilefold_last_error()`. Output parameters are written
// only on success. All functions may be called from any thread; an artifact is immutable and may be shared freely, a
// call may be launched by several threads at once but must not be prepared or destroyed meanwhile. A handle ends with its
// `destroy` function; using it afterwards is undefined, as it is for memory that was freed.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tilefold_status {
  TILEFOLD_OK = 0,
  TILEFOLD_ERROR_ARGUMENT = 1,         ///< an argument of the program is wrong (contract C7); nothing was launched
  TILEFOLD_ERROR_UNSUPPORTED = 2,      ///< no alternative or module of the artifact fits these arguments or this device
  TILEFOLD_ERROR_ARTIFACT_MAGIC = 3,   ///< not a Tilefold artifact
  TILEFOLD_ERROR_ARTIFACT_VERSION = 4, ///< written by a version that this runtime does not read
  TILEFOLD_ERROR_ARTIFACT_LENGTH = 5,  ///< truncated, or followed by other bytes
  TILEFOLD_ERROR_ARTIFACT_HASH = 6,    ///< the body's hash differs from the header's
  TILEFOLD_ERROR_ARTIFACT_FORMAT = 7,  ///< the body does not follow the schema of docs/artifact.md
  TILEFOLD_ERROR_IO = 8,               ///< a file could not be read or written
  TILEFOLD_ERROR_NO_DRIVER = 9,        ///< no usable NVIDIA driver on this machine
  TILEFOLD_ERROR_CUDA = 10,            ///< a driver call failed; see tilefold_last_error_cuda()
  TILEFOLD_ERROR_STATE = 11,           ///< wrong order of calls, such as launching a call that was never prepared
  TILEFOLD_ERROR_USAGE = 12,           ///< a null pointer or impossible value handed to a function of this interface
  TILEFOLD_ERROR_MEMORY = 13,          ///< out of host memory
  TILEFOLD_ERROR_INTERNAL = 14         ///< a broken invariant of the runtime: please report
} tilefold_status;

/// Element types of tensors and scalars. `I1` occupies one byte that is 0 or 1.
typedef enum tilefold_dtype {
  TILEFOLD_F16 = 1,
  TILEFOLD_BF16 = 2,
  TILEFOLD_F32 = 3,
  TILEFOLD_F64 = 4,
  TILEFOLD_I1 = 5,
  TILEFOLD_I8 = 6,
  TILEFOLD_U8 = 7,
  TILEFOLD_I16 = 8,
  TILEFOLD_I32 = 9,
  TILEFOLD_I64 = 10
} tilefold_dtype;

/// A device tensor by name. `data` addresses element [0, ..., 0]. Strides count elements, may be 0 (inputs only) or
/// negative; `strides == NULL` means contiguous row-major. `data` may be null when the tensor has no elements.
typedef struct tilefold_tensor {
  const char *name;
  const void *data;
  tilefold_dtype dtype;
  int32_t rank;
  const int64_t *sizes;
  const int64_t *strides;
} tilefold_tensor;

/// A scalar by name. `dtype` must be the declared one: F32 uses `floating`, I32 and I64 use `integer`.
typedef struct tilefold_scalar {
  const char *name;
  tilefold_dtype dtype;
  double floating;
  int64_t integer;
} tilefold_scalar;

/// All arguments of one call, in any order. Scalars that have a default may be left out.
typedef struct tilefold_arguments {
  const tilefold_tensor *tensors;
  size_t tensor_count;
  const tilefold_scalar *scalars;
  size_t scalar_count;
} tilefold_arguments;

/// What formulas and the choice of a module may depend on. Fill it by hand to plan for a device that is not there.
typedef struct tilefold_device_properties {
  int32_t capability_major;
  int32_t capability_minor;
  int32_t multiprocessor_count;
  int32_t max_shared_memory; ///< bytes a block may have after opt-in
} tilefold_device_properties;

typedef struct tilefold_artifact tilefold_artifact;
typedef struct tilefold_call tilefold_call;

/// The device is found from the tensors' addresses.
#define TILEFOLD_DEVICE_OF_ARGUMENTS (-1)
/// Required alignment of a workspace, bytes.
#define TILEFOLD_WORKSPACE_ALIGNMENT 256

// --- Errors ------------------------------------------------------------------------------------------------------

/// Message of the last failure on this thread ("" if none); valid until the next failing call on this thread.
const char *tilefold_last_error(void);
/// Name of the program's argument that the last failure on this thread is about, or "".
const char *tilefold_last_error_argument(void);
/// CUresult of the last failure on this thread, or 0.
int tilefold_last_error_cuda(void);
/// "argument", "no driver", ...: the status as a word.
const char *tilefold_status_name(tilefold_status status);
/// Version of the runtime, such as "0.1.0".
const char *tilefold_version(void);

// --- Artifacts ---------------------------------------------------------------------------------------------------

tilefold_status tilefold_artifact_open(const char *path, tilefold_artifact **artifact);
/// The bytes are copied.
tilefold_status tilefold_artifact_from_memory(const void *bytes, size_t size, tilefold_artifact **artifact);
/// Calls prepared from the artifact stay valid: GPU modules live as long as the process. NULL is allowed.
void tilefold_artifact_destroy(tilefold_artifact *artifact);
/// The manifest as JSON text; PTX and cubins are summarised unless `include_code`. Free with tilefold_free().
tilefold_status tilefold_artifact_json(const tilefold_artifact *artifact, int include_code, char **text);
void tilefold_free(void *memory);

typedef enum tilefold_role {
  TILEFOLD_INPUT = 1,
  TILEFOLD_OUTPUT = 2,
  TILEFOLD_INOUT = 3,
  TILEFOLD_SCALAR = 4
} tilefold_role;

typedef struct tilefold_argument_info {
  const char *name; ///< lives as long as the artifact
  tilefold_role role;
  tilefold_dtype dtype;
  int32_t rank;        ///< 0 for scalars
  int32_t has_default; ///< scalars only
  double default_floating;
  int64_t default_integer;
} tilefold_argument_info;

size_t tilefold_argument_count(const tilefold_artifact *artifact);
tilefold_status tilefold_argument_at(const tilefold_artifact *artifact, size_t index, tilefold_argument_info *info);

/// OK if the artifact can run on such a device; else UNSUPPORTED and every hole is listed in the message.
tilefold_status tilefold_verify(const tilefold_artifact *artifact, const tilefold_device_properties *device);

// --- Planning: pure functions, no driver needed --------------------------------------------------------------------

/// Size in bytes of the workspace that these arguments need. Addresses are not looked at and may be null; outputs may be
/// left out as long as no formula needs them.
tilefold_status tilefold_workspace_size(const tilefold_artifact *artifact, const tilefold_device_properties *device,
                                        const tilefold_arguments *arguments, uint64_t *bytes);
/// The shape that tensor argument `name` must have, computed from the other arguments (as above): `*rank` extents are
/// written to `sizes`, which has room for `capacity`. Outputs are allocated by it.
tilefold_status tilefold_expected_shape(const tilefold_artifact *artifact, const tilefold_device_properties *device,
                                        const tilefold_arguments *arguments, const char *name, int64_t *sizes,
                                        int32_t capacity, int32_t *rank);
/// Checks the arguments as `tilefold_prepare` does and describes the launches they lead to, as JSON text. Free with tilefold_free().
tilefold_status tilefold_plan_json(const tilefold_artifact *artifact, const tilefold_device_properties *device,
                                   const tilefold_arguments *arguments, char **text);

// --- Running -----------------------------------------------------------------------------------------------------

/// File name of the driver library; must come before the first use of the driver. The environment variable
/// TILEFOLD_CUDA_LIBRARY has the same effect; the default is libcuda.so.1.
tilefold_status tilefold_set_driver_library(const char *path);
tilefold_status tilefold_device_count(int *count);
tilefold_status tilefold_device_query(int device, tilefold_device_properties *properties);

/// A call is owned by the caller and may be prepared again and again.
tilefold_status tilefold_call_create(tilefold_call **call);
void tilefold_call_destroy(tilefold_call *call);

typedef struct tilefold_prepare_options {
  int device;               ///< ordinal, or TILEFOLD_DEVICE_OF_ARGUMENTS
  void *workspace;          ///< device memory aligned to TILEFOLD_WORKSPACE_ALIGNMENT; NULL if none is needed
  uint64_t workspace_bytes; ///< at least tilefold_workspace_size()
} tilefold_prepare_options;

/// Checks the arguments, evaluates every formula, loads the code on the device and fills the call. On failure the call
/// is what it was before. `options` may be NULL: device of the arguments, no workspace.
tilefold_status tilefold_prepare(const tilefold_artifact *artifact, const tilefold_arguments *arguments,
                                 const tilefold_prepare_options *options, tilefold_call *call);

/// Zeroes, on `stream`, those parts of the call's workspace that kernels expect zero and leave zero. Needed once for
/// each new workspace; the rest of a workspace may hold anything. `stream` is a CUstream or cudaStream_t.
tilefold_status tilefold_workspace_init(const tilefold_call *call, void *stream);

/// Launches only: no allocation, no synchronisation, no module load. Works inside stream capture.
tilefold_status tilefold_launch(const tilefold_call *call, void *stream);

/// What the driver's JIT said about the artifact's code on a device ("" if it was not loaded there).
/// Free with tilefold_free().
tilefold_status tilefold_jit_log(const tilefold_artifact *artifact, int device, char **text);

#ifdef __cplusplus
} // extern "C"
#endif
