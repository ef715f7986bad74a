// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/tool.h"
#include "examples/01_vector_add/vector_add.h"

using namespace tilefold;

static std::map<std::string, std::vector<double>> reference(const Tensors &inputs) {
  auto c = inputs.at("a").to_f64(), b = inputs.at("b").to_f64();
  for (size_t i = 0; i < c.size(); ++i)
    c[i] += b[i];
  return {{"c", c}};
}

int main(int argc, char **argv) {
  auto make = [](const Config &config) { return for_dtype(config.dtype, []<class T>(T) { return VectorAdd<T>(); }); };
  return tool(argc, argv, {{"vector_add", make, {.summary = "c = a + b", .random = "a=100003,b=100003", .outputs = reference}}});
}
