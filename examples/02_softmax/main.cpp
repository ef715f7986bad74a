// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Tool/tool.h"
#include "examples/02_softmax/softmax.h"
#include <algorithm>
#include <cmath>

using namespace tilefold;

static std::map<std::string, std::vector<double>> reference(const Tensors &inputs) {
  const auto &x = inputs.at("x");
  auto y = x.to_f64();
  const size_t n = size_t(x.size(1));
  for (size_t row = 0; row < y.size(); row += n) {
    const double m = *std::max_element(&y[row], &y[row] + n);
    double sum = 0;
    for (size_t i = row; i < row + n; ++i)
      sum += y[i] = std::exp(y[i] - m);
    for (size_t i = row; i < row + n; ++i)
      y[i] /= sum;
  }
  return {{"y", y}};
}

int main(int argc, char **argv) {
  auto make = [](const Config &config) { return for_dtype(config.dtype, []<class T>(T) { return Softmax<T>(); }); };
  return tool(argc, argv, {{"softmax", make, {.summary = "along the rows of x", .random = "x=100x1000", .outputs = reference}}});
}
