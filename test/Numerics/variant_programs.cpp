// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs that only tests want, behind the whole command line: the attention programs with the variants of variants.h, and
// smaller ones. `tilefold-variants list` prints the names of those with a variant, `tilefold-variants head-dims` what tests and packs
// of all programs go through.
#include "codegen/Tool/tool.h"
#include "examples/attention_programs.h"
#include "test/Numerics/head_dims.h"
#include "test/Numerics/operand_programs.h"
#include "test/Numerics/variants.h"

#include <cstdio>
#include <cstring>

using namespace tilefold;
using numerics::NamedVariant;

namespace {

template <template <class> class Kernel> NamedKernel with_variant(const std::string &program, const NamedVariant &named, int block = 0) {
  auto make = [=](const Config &c) {
    return for_dtype(c.dtype, [&]<class T>(T) {
      auto kernel = in_fitting_blocks<Kernel, T>(c);
      if (block > 0)
        kernel.block_m = kernel.block_n = block;
      kernel.variant = c.causal ? named.variant & causal() : named.variant;
      return kernel;
    });
  };
  auto reference = [name = named.name](const Config &c) {
    auto options = *numerics::variant_reference(name);
    options.causal |= c.causal;
    return options;
  };
  return {program + "-with-" + named.name, make, {.attention = reference}};
}

/// Every variant in FlashAttention-2, and in each other program one whose blocks of keys depend on the query or whose scores do.
std::vector<NamedKernel> programs_with_variants() {
  std::vector<NamedKernel> programs;
  for (const NamedVariant &named : numerics::named_variants()) {
    programs.push_back(with_variant<FlashAttention2>("fa2", named));
    if (named.name == "window")
      programs.push_back(with_variant<FlashAttention1>("fa1", named));
    if (named.name == "softcap_alibi")
      programs.push_back(with_variant<FlashAttention1Rows>("fa1-rows", named));
    if (named.name == "alibi" || named.name == "causal_window")
      programs.push_back(with_variant<FlashDecoding>("decode", named));
  }
  return programs;
}

/// d = (a b^T) c, the first product rounded to T: two products in a chain and nothing else.
template <class T> struct ChainedDots {
  int rows = 64, columns = 128;

  void operator()(Program &p) const {
    auto A = p.input<T, 2>("a"), B = p.input<T, 2>("b"), C = p.input<T, 2>("c");
    auto D = p.output<T, 2>("d", {A.size(0), C.size(1)});
    p.require(B.size(0) <= rows && C.size(0) == B.size(0), "b", "at most " + std::to_string(rows) + " rows, as c has, got {0}", {B.size(0)});
    p.require(A.size(1) <= columns && B.size(1) == A.size(1), "b", "a's {0} columns, got {1}", {A.size(1), B.size(1)});

    auto [i, j] = p.grid({ceil_div(A.size(0), rows), ceil_div(C.size(1), columns)});
    auto a = load(A, {i * rows, 0}, {rows, columns});
    auto b = load(B, {0, 0}, {rows, columns});
    auto c = load(C, {0, j * columns}, {rows, columns});
    store(D, {i * rows, j * columns}, cast<T>(dot(cast<T>(dot(a, trans(b))), c)));
  }
};

/// y = tanh(scale x).
struct Tanh {
  int block = 1024;

  void operator()(Program &p) const {
    auto X = p.input<f16, 1>("x");
    auto Y = p.output<f32, 1>("y", X.shape());
    auto scale = p.scalar<f32>("scale", 1);
    auto [i] = p.grid({ceil_div(X.size(0), block)});
    store(Y, {i * block}, tanh(cast<f32>(load(X, {i * block}, {block})) * scale));
  }
};

} // namespace

int main(int argc, char **argv) {
  std::vector<NamedKernel> programs = programs_with_variants();
  if (argc == 2 && !std::strcmp(argv[1], "list")) {
    for (const NamedKernel &program : programs)
      std::printf("%s\n", program.name.c_str());
    return 0;
  }
  if (argc == 2 && !std::strcmp(argv[1], "head-dims")) {
    for (int head_dim : numerics::head_dims)
      std::printf("%d\n", head_dim);
    return 0;
  }
  programs.push_back(with_variant<FlashAttention2>("fa2", {"small_blocks"}, 16));
  programs.push_back({"chained_dots", [](const Config &c) { return for_dtype(c.dtype, []<class T>(T) { return ChainedDots<T>(); }); }});
  programs.push_back({"stored_operands", numerics::StoredOperands<f16>()});
  programs.push_back({"shared_operands", numerics::SharedOperands<f16>()});
  programs.push_back({"orders_and_places", numerics::OrdersAndPlaces<f16>()});
  programs.push_back({"numbers_at_edges", numerics::NumbersAtEdges<f16>()});
  programs.push_back({"tanh", Tanh()});
  return tool(argc, argv, std::move(programs));
}
