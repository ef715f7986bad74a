// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/tool.h"
#include "examples/03_matmul/matmul.h"
#include "examples/references.h"

using namespace tilefold;

static std::map<std::string, std::vector<double>> reference(const Tensors &inputs) {
  const auto &a = inputs.at("a"), &b = inputs.at("b");
  return {{"c", references::product(a.to_f64(), b.to_f64(), size_t(a.size(0)), size_t(a.size(1)), size_t(b.size(1)))}};
}

int main(int argc, char **argv) {
  auto make = [](const Config &config) { return for_dtype(config.dtype, []<class T>(T) { return Matmul<T>(); }); };
  return tool(argc, argv, {{"matmul", make, {.summary = "c = a b", .random = "a=300x200,b=200x250", .outputs = reference}}});
}
