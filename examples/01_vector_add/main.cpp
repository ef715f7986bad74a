// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/tool.h"
#include "examples/01_vector_add/vector_add.h"
#include "examples/references.h"

using namespace tilefold;

static std::map<std::string, std::vector<double>> reference(const Tensors &inputs) {
  return {{"c", references::sum(inputs.at("a").to_f64(), inputs.at("b").to_f64())}};
}

int main(int argc, char **argv) {
  auto make = [](const Config &config) { return for_dtype(config.dtype, []<class T>(T) { return VectorAdd<T>(); }); };
  return tool(argc, argv, {{"vector_add", make, {.summary = "c = a + b", .random = "a=100003,b=100003", .outputs = reference}}});
}
