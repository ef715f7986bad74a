// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header is C, and this is how a C program uses it.
#include "runtime/tilefold.h"

int tilefold_test_from_c(const void *bytes, size_t size, const void *x, void *y);

int tilefold_test_from_c(const void *bytes, size_t size, const void *x, void *y) {
  const int64_t n = 4;
  const tilefold_tensor tensors[] = {
      {.name = "x", .data = x, .dtype = TILEFOLD_F32, .rank = 1, .sizes = &n},
      {.name = "y", .data = y, .dtype = TILEFOLD_F32, .rank = 1, .sizes = &n},
  };
  const tilefold_scalar scalars[] = {{.name = "factor", .dtype = TILEFOLD_F32, .floating = 3}};
  const tilefold_arguments arguments = {tensors, 2, scalars, 1};

  tilefold_artifact *artifact = NULL;
  tilefold_call *call = NULL;
  tilefold_status status = tilefold_artifact_from_memory(bytes, size, &artifact);
  if (!status)
    status = tilefold_call_create(&call);
  if (!status)
    status = tilefold_prepare(artifact, &arguments, NULL, call);
  if (!status)
    status = tilefold_launch(call, NULL);
  tilefold_call_destroy(call);
  tilefold_artifact_destroy(artifact);
  return status;
}
