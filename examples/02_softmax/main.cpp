// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/tool.h"
#include "examples/02_softmax/softmax.h"
#include "examples/references.h"

using namespace tilefold;

static std::map<std::string, std::vector<double>> reference(const Tensors &inputs) {
  const auto &x = inputs.at("x");
  return {{"y", references::softmax(x.to_f64(), size_t(x.size(1)))}};
}

int main(int argc, char **argv) {
  auto make = [](const Config &config) { return for_dtype(config.dtype, []<class T>(T) { return Softmax<T>(); }); };
  return tool(argc, argv, {{"softmax", make, {.summary = "along the rows of x", .random = "x=100x1000", .outputs = reference}}});
}
