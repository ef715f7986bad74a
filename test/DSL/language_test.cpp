// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the language's functions turn into. Values are bound to names, because compilers differ in the order in which they
// evaluate arguments.
#include "test/DSL/expect.h"

using namespace tilefold;

/// A kernel of one instance whose body is `f(p, x, y)`: two 64 x 32 tiles of f32, of which the result is stored.
template <class F> static std::string body(F f) {
  return traced([&](Program &p) {
    auto X = p.input<f32, 2>("x"), Y = p.input<f32, 2>("y");
    auto Z = p.output<f32, 2>("z", X.shape());
    p.grid({1});
    auto x = load(X, {0, 0}, {64, 32});
    auto y = load(Y, {0, 0}, {64, 32});
    store(Z, {0, 0}, f(p, x, y));
  });
}

TEST(Elementwise, ArithmeticContractsAndNothingElse) {
  auto text = body([](Program &, auto x, auto y) { return -(x + y) * 2 - x / y; });
  for (auto op : {"addf", "negf", "mulf", "subf", "divf"})
    EXPECT_HAS(text, std::string("arith.") + op + " .*fastmath<contract> : tensor<64x32xf32>");
  EXPECT_LACKS(text, "fastmath<[^c]|fastmath<contract,");
  EXPECT_HAS(text, "arith.constant dense<2.000000e\\+00> : tensor<64x32xf32>");
}

TEST(Elementwise, MaximumKeepsNaN) {
  auto text = body([](Program &, auto x, auto y) {
    auto a = max(x, y);
    return min(a, 0);
  });
  EXPECT_HAS(text, "arith.maximumf");
  EXPECT_HAS(text, "arith.minimumf");
}

TEST(Elementwise, NaNDiffersFromEverythingAndComparesToNothing) {
  auto text = body([](Program &, auto x, auto y) {
    auto a = where(x < y, x, 0), b = where(x != y, a, 1);
    return where(x == y && !(x >= 1), b, y);
  });
  EXPECT_HAS(text, "cmpf olt");
  EXPECT_HAS(text, "cmpf une");
  EXPECT_HAS(text, "cmpf oeq");
  EXPECT_HAS(text, "cmpf oge");
  EXPECT_HAS(text, "arith.xori .* : tensor<64x32xi1>");
  EXPECT_HAS(text, "arith.andi .* : tensor<64x32xi1>");
}

TEST(Elementwise, FunctionsBecomeMath) {
  auto text = body([](Program &, auto x, auto) { return exp(exp2(log(tanh(sqrt(abs(x)))))); });
  for (auto op : {"exp", "exp2", "log", "tanh", "sqrt", "absf"})
    EXPECT_HAS(text, std::string("math.") + op + " %[a-z0-9_]+ fastmath<contract> : tensor<64x32xf32>");
}

TEST(Elementwise, SubtractingZeroIsFree) {
  EXPECT_LACKS(body([](Program &, auto x, auto) { return x - 0.f; }), "subf");
}

TEST(Elementwise, RunTimeScalarsAreSplat) {
  auto text = body([](Program &p, auto x, auto) { return x * p.scalar<f32>("scale", 0.5); });
  EXPECT_HAS(text, "tile.default = 5.000000e-01 : f32, tile.name = \"scale\", tile.role = \"scalar\"");
  EXPECT_HAS(text, "tile.splat %[a-z0-9]+ : f32 -> tensor<64x32xf32>");
}

TEST(Elementwise, CastsBetweenAllTypes) {
  auto text = body([](Program &, auto x, auto y) {
    auto h = cast<f16>(x);
    auto b = cast<bf16>(h); // by way of f32
    auto i = cast<i32>(b);
    return cast<f32>(i) + cast<f32>(x < y);
  });
  EXPECT_HAS(text, "truncf .* tensor<64x32xf32> to tensor<64x32xf16>");
  EXPECT_HAS(text, "extf .* tensor<64x32xf16> to tensor<64x32xf32>");
  EXPECT_HAS(text, "fptosi .* tensor<64x32xbf16> to tensor<64x32xi32>");
  EXPECT_HAS(text, "sitofp .* tensor<64x32xi32> to tensor<64x32xf32>");
  EXPECT_HAS(text, "uitofp .* tensor<64x32xi1> to tensor<64x32xf32>");
}

TEST(Shape, ColumnsAndRowsBroadcast) {
  auto text = body([](Program &, auto x, auto) {
    auto m = rowmax(x), s = rowsum(x), c = colsum(x);
    return x - col(m) + col(s) * row(c);
  });
  EXPECT_HAS(text, "tile.reduce max .*, 1 : tensor<64x32xf32> -> tensor<64xf32>");
  EXPECT_HAS(text, "tile.reduce sum .*, 0 : tensor<64x32xf32> -> tensor<32xf32>");
  EXPECT_HAS(text, "tile.expand .*, 1 : tensor<64xf32> -> tensor<64x1xf32>");
  EXPECT_HAS(text, "tile.broadcast .* : tensor<1x32xf32> -> tensor<64x32xf32>");
}

TEST(Shape, VectorsReduceToScalars) {
  auto text = body([](Program &, auto x, auto) {
    auto largest = max(rowmax(x)), total = sum(rowsum(x));
    return where(any(x > 0), x * largest, total);
  });
  EXPECT_HAS(text, "tile.reduce max .*, 0 : tensor<64xf32> -> f32");
  EXPECT_HAS(text, "tile.reduce sum .*, 0 : tensor<64xf32> -> f32");
  EXPECT_HAS(text, "tile.any");
}

TEST(Index, DividesDownwards) {
  auto text = traced([](Program &p) {
    auto X = p.inout<i32, 1>("x");
    auto [i] = p.grid({X.size(0)});
    auto q = i / 3, r = i % 3;
    store(X, {i}, p.full<i32>(q + r, {1}));
  });
  EXPECT_HAS(text, "arith.floordivsi %[0-9]+, %c3_i32 : i32");
  EXPECT_LACKS(text, "arith.(remsi|divsi|divui)");
}

TEST(Views, AtAndNarrow) {
  auto text = traced([](Program &p) {
    auto X = p.inout<f16, 4>("x");
    auto [b, i] = p.grid({X.size(0), X.size(2)});
    auto heads = X.at(b, all, i).narrow(0, 4, X.size(1) - 4);
    auto x = load(heads, {0, 0}, {16, 32}, -inf);
    store(heads, {0, 0}, x);
  });
  EXPECT_HAS(text, "tile.slice .* at \\[0, 2\\] : !tile.view<4xf16> -> !tile.view<2xf16>");
  EXPECT_HAS(text, "tile.narrow .*, 0 ?\\[%c4_i32, ");
  EXPECT_HAS(text, "pad 0xFC00 : f16");
}

TEST(Program, WorkspacesMayBeZero) {
  auto text = traced([](Program &p) {
    auto X = p.inout<f32, 1>("x");
    auto W = p.workspace<f32, 1>("scratch", {X.size(0)});
    auto Z = p.workspace<i32, 1>("counts", {X.size(0)}, zero_once);
    p.grid({1});
    auto w = load(W, {0}, {8});
    auto z = load(Z, {0}, {8});
    store(X, {0}, w + cast<f32>(z));
  });
  EXPECT_HAS(text, "tile.workspace \"scratch\" any");
  EXPECT_HAS(text, "tile.workspace \"counts\" zero_once");
}

TEST(Program, HostValuesBecomeArguments) {
  auto text = traced([](Program &p) {
    auto X = p.input<f32, 1>("x");
    auto Y = p.output<f32, 1>("y", X.shape());
    auto factor = p.scalar<i32>("factor", 2);
    auto n = X.size(0), length = ceil_div(n, 8) * factor;
    auto W = p.workspace<f32, 1>("w", {length});
    p.launch("fill", {1}, [&](Index) { store(W.narrow(0, 0, length), {0}, p.full<f32>(cast<f32>(n), {64})); });
    p.launch("copy", {ceil_div(n, 64)}, [&](Index i) {
      auto w = load(W, {i * factor}, {64});
      store(Y, {i * 64}, w);
    });
  });
  // A size is asked for again inside, a formula is passed, a scalar keeps its name.
  EXPECT_HAS(text, "tile.kernel @program_fill\\(%arg0: !tile.view<1xf32> .tile.name = \"x\", tile.role = \"input\"., "
                   "%arg1: i32 .tile.name = \"formula0\", tile.role = \"scalar\"., "
                   "%arg2: !tile.view<1xf32> .tile.name = \"w\", tile.role = \"workspace\"");
  EXPECT_HAS(text, "tile.size %arg0, 0 : !tile.view<1xf32> -> i32");
  EXPECT_HAS(text, "tile.kernel @program_copy\\(%arg0: !tile.view<1xf32> .tile.name = \"y\", tile.role = \"output\"., "
                   "%arg1: i32 .tile.name = \"factor\", tile.role = \"scalar\"");
  EXPECT_HAS(text, "arith.extsi %arg2 : i32 to i64");
  EXPECT_HAS(text, "tile.launch @program_fill [^]*tile.launch @program_copy");
}

TEST(Program, ArgumentsMayBeDeclaredInsideAKernel) {
  auto text = body([](Program &p, auto x, auto) { return x + row(load(p.input<f32, 1>("bias"), {0}, {32})); });
  EXPECT_HAS(text, "tile.program .*tile.name = \"bias\", tile.role = \"input\"");
}

TEST(Fold, StateIsAnyAggregateOfTiles) {
  struct Inner {
    Tile<f32, 1> a;
    Index steps;
  };
  struct Outer {
    Inner inner;
    Tile<f32, 2> b;
  };
  auto text = body([](Program &p, auto x, auto) {
    Outer start{{p.zeros<f32>({64}), Index(0)}, x};
    auto end = p.fold({0, 10, 2}, start, [&](Index i, Outer s) {
      return Outer{{s.inner.a + cast<f32>(i), s.inner.steps + 1}, s.b + col(s.inner.a)};
    });
    return end.b * cast<f32>(end.inner.steps);
  });
  EXPECT_HAS(text, "scf.for .* -> \\(tensor<64xf32>, i32, tensor<64x32xf32>\\) +: i32");
}

TEST(Fold, LoopsNest) {
  auto text = body([](Program &p, auto x, auto) {
    return p.fold({0, 4}, x, [&](Index i, Tile<f32, 2> x) {
      return p.fold({0, i}, x, [&](Index, Tile<f32, 2> x) { return x * x; });
    });
  });
  EXPECT_EQ(count(text, "scf.for"), 2);
}

TEST(Fold, LongRangesOfWhatCanBeSummedAreStretches) {
  struct Sum {
    Tile<f32, 2> x;
    Sum total() const { return *this; }
    Sum add(const Sum &next) const { return {x + next.x}; }
    static Sum of(const Sum &sum) { return sum; }
  };
  auto text = body([](Program &p, auto x, auto) {
    return p.fold({0, p.input<f32, 2>("x").size(0), 48}, Sum{x}, [&](Index, Sum s) { return Sum{s.x * s.x}; }).x;
  });
  EXPECT_EQ(count(text, "scf.for"), 2);
  EXPECT_HAS(text, "arith.constant 65520 : i32"); // the multiple of 48 below 65536
  EXPECT_EQ(count(text, "scf.if"), 1);
}

TEST(Branch, ComputesOneArm) {
  struct Pair {
    Tile<f32, 2> a;
    Index n;
  };
  auto text = body([](Program &p, auto x, auto y) {
    Index n = p.input<f32, 2>("x").size(0);
    auto pair = p.branch(n > 3, [&] { return Pair{exp(x), n}; }, [&] { return Pair{y, n + 1}; });
    return pair.a * cast<f32>(pair.n);
  });
  EXPECT_HAS(text, "scf.if %[0-9]+ -> \\(tensor<64x32xf32>, i32\\)");
  EXPECT_EQ(count(text, "math.exp"), 1);
}

/// How many operations of the printed IR lie on a line of this file, in whichever column the compiler sees them.
int operations_on(unsigned line, const std::string &text) {
  const std::regex alias("(#loc[0-9]*) = loc\\(\"[^\"]*language_test.cpp\":" + std::to_string(line) + ":");
  int operations = 0;
  for (std::sregex_iterator found(text.begin(), text.end(), alias), end; found != end; ++found)
    operations += count(text, " loc\\(" + found->str(1) + "\\)\n");
  return operations;
}

TEST(Locations, EveryOperationKnowsItsLine) {
  unsigned line = 0;
  tilefold::Traced t = trace([&](Program &p) {
    auto X = p.inout<f32, 1>("x");
    auto [i] = p.grid({X.size(0)});
    auto x = load(X, {i}, {64});
    line = std::source_location::current().line() + 1;
    auto y = x * 3 + exp(x);
    store(X, {i}, y);
  }, "located");
  ASSERT_TRUE(t.ok()) << t.diagnostics();
  std::string text = t.text(/*with_locations=*/true);
  EXPECT_EQ(operations_on(line, text), 4) << text; // the product and its number, the function, the sum
  EXPECT_LACKS(text, "loc\\(unknown\\)");
}

// No conversion brings the line to `!`, which competes with the one to bool: of a name as of a value it is its own.
TEST(Locations, NotKnowsItsLine) {
  unsigned line = 0;
  tilefold::Traced t = trace([&](Program &p) {
    auto X = p.inout<f32, 1>("x");
    p.grid({1});
    auto x = load(X, {0}, {64});
    auto small = x < 3;
    auto y = x * 2;
    line = std::source_location::current().line() + 1;
    auto both = where(!small && !(y < 5), x, y);
    store(X, {0}, both);
  }, "located");
  ASSERT_TRUE(t.ok()) << t.diagnostics();
  const std::string text = t.text(/*with_locations=*/true);
  EXPECT_EQ(count(text, "arith.xori"), 2) << text;
  EXPECT_EQ(operations_on(line, text), 7) << text; // two complements, the comparison between them, two numbers, the mask, the choice
}

TEST(Trace, TracesAreIndependent) {
  Tile<f32, 1> leaked;
  auto good = [&](Program &p) {
    p.grid({1});
    leaked = p.zeros<f32>({8});
  };
  EXPECT_TRUE(trace(good, "first").ok());
  auto second = trace([&](Program &p) {
    p.grid({1});
    exp(leaked);
  }, "second");
  EXPECT_FALSE(second.ok());
  EXPECT_HAS(second.diagnostics(), "uses a value of another trace");
}
