// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/dtype.h"

namespace tilefold::runtime {

namespace {
struct Row {
  DType dtype;
  std::string_view name;
  int64_t size;
};
constexpr Row table[] = {
    {TILEFOLD_F16, "f16", 2}, {TILEFOLD_BF16, "bf16", 2}, {TILEFOLD_F32, "f32", 4}, {TILEFOLD_F64, "f64", 8},
    {TILEFOLD_I1, "i1", 1},   {TILEFOLD_I8, "i8", 1},     {TILEFOLD_U8, "u8", 1},   {TILEFOLD_I16, "i16", 2},
    {TILEFOLD_I32, "i32", 4}, {TILEFOLD_I64, "i64", 8},
};
const Row *find(DType dtype) {
  for (const Row &row : table)
    if (row.dtype == dtype)
      return &row;
  return nullptr;
}
} // namespace

std::string_view dtype_name(DType dtype) {
  const Row *row = find(dtype);
  return row ? row->name : "?";
}

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const Row &row : table)
    if (row.name == name)
      return row.dtype;
  return std::nullopt;
}

int64_t dtype_size(DType dtype) {
  const Row *row = find(dtype);
  return row ? row->size : 0;
}

} // namespace tilefold::runtime
