// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/tool.h"
#include "examples/03_matmul/matmul.h"

using namespace tilefold;

static std::map<std::string, std::vector<double>> reference(const Tensors &inputs) {
  const auto a = inputs.at("a").to_f64(), b = inputs.at("b").to_f64();
  const size_t m = size_t(inputs.at("a").size(0)), k = size_t(inputs.at("b").size(0)), n = size_t(inputs.at("b").size(1));
  std::vector<double> c(m * n);
  for (size_t i = 0; i < m; ++i)
    for (size_t l = 0; l < k; ++l)
      for (size_t j = 0; j < n; ++j)
        c[i * n + j] += a[i * k + l] * b[l * n + j];
  return {{"c", c}};
}

int main(int argc, char **argv) {
  auto make = [](const Config &config) { return for_dtype(config.dtype, []<class T>(T) { return Matmul<T>(); }); };
  return tool(argc, argv, {{"matmul", make, {.summary = "c = a b", .random = "a=300x200,b=200x250", .outputs = reference}}});
}
