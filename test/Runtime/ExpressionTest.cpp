// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/artifact/expression.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tilefold::runtime {
namespace {

using nlohmann::json;

class ExpressionTest : public ::testing::Test {
protected:
  ExpressionTest() {
    symbols.tensors = {{"q", 2, true}, {"part", 1, false}};
    symbols.scalars = {{"n", false}, {"scale", true}};
    environment.tensors = {{true, 4096, {8, 128}, {128, 1}}, {true, 0, {7}, {1}}};
    environment.scalars = {{true, 5, 0}, {true, 0, 0.5}};
    environment.device = {9, 0, 132, 232448};
  }

  Result<int64_t> evaluate(const char *text) {
    Result<Expression> expression = Expression::parse(json::parse(text), symbols);
    if (!expression)
      return expression.status();
    return expression->evaluate(environment);
  }
  int64_t value(const char *text) {
    Result<int64_t> result = evaluate(text);
    EXPECT_TRUE(result.ok()) << text << ": " << result.status().message();
    return result ? *result : -999;
  }
  std::string error(const char *text) { return evaluate(text).status().message(); }

  SymbolTable symbols;
  FormulaEnvironment environment;
};

TEST_F(ExpressionTest, Leaves) {
  EXPECT_EQ(value("7"), 7);
  EXPECT_EQ(value("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(value("true"), 1);
  EXPECT_EQ(value(R"({"size":["q",1]})"), 128);
  EXPECT_EQ(value(R"({"stride":["q",0]})"), 128);
  EXPECT_EQ(value(R"({"size":["part",0]})"), 7);
  EXPECT_EQ(value(R"({"address":"q"})"), 4096);
  EXPECT_EQ(value(R"({"scalar":"n"})"), 5);
  EXPECT_EQ(value(R"({"device":"multiprocessor_count"})"), 132);
  EXPECT_EQ(value(R"({"device":"compute_capability"})"), 90);
  EXPECT_EQ(value(R"({"device":"max_shared_memory"})"), 232448);
}

TEST_F(ExpressionTest, DivisionRoundsTowardsMinusInfinity) {
  const struct {
    int64_t a, b, floor, ceil, mod;
  } rows[] = {{7, 2, 3, 4, 1},    {-7, 2, -4, -3, 1},  {7, -2, -4, -3, -1}, {-7, -2, 3, 4, -1},
              {6, 3, 2, 2, 0},    {-6, 3, -2, -2, 0},  {0, 5, 0, 0, 0},     {INT64_MIN, 3, -3074457345618258603, -3074457345618258602, 1},
              {5, -1, -5, -5, 0}, {INT64_MAX, 1, INT64_MAX, INT64_MAX, 0}};
  for (const auto &row : rows) {
    auto apply = [&](const char *op) { return value(json{{op, {row.a, row.b}}}.dump().c_str()); };
    EXPECT_EQ(apply("floordiv"), row.floor) << row.a << " / " << row.b;
    EXPECT_EQ(apply("ceildiv"), row.ceil) << row.a << " / " << row.b;
    EXPECT_EQ(apply("mod"), row.mod) << row.a << " % " << row.b;
  }
}

TEST_F(ExpressionTest, ArithmeticAndLogic) {
  EXPECT_EQ(value(R"({"add":[1,2,3]})"), 6);
  EXPECT_EQ(value(R"({"sub":[1,2]})"), -1);
  EXPECT_EQ(value(R"({"mul":[2,3,7]})"), 42);
  EXPECT_EQ(value(R"({"min":[2,-3]})"), -3);
  EXPECT_EQ(value(R"({"max":[2,-3]})"), 2);
  EXPECT_EQ(value(R"({"and":[]})"), 1);
  EXPECT_EQ(value(R"({"or":[]})"), 0);
  EXPECT_EQ(value(R"({"and":[3,{"lt":[1,2]}]})"), 1);
  EXPECT_EQ(value(R"({"not":[{"le":[2,2]}]})"), 0);
  EXPECT_EQ(value(R"({"select":[{"ge":[1,2]},10,20]})"), 20);
}

TEST_F(ExpressionTest, WhatIsNotNeededIsNotEvaluated) {
  EXPECT_EQ(value(R"({"or":[{"eq":[0,0]},{"eq":[{"mod":[1,0]},0]}]})"), 1);
  EXPECT_EQ(value(R"({"and":[0,{"mod":[1,0]}]})"), 0);
  EXPECT_EQ(value(R"({"select":[1,4,{"mod":[1,0]}]})"), 4);
}

TEST_F(ExpressionTest, FloatsMayOnlyBeCompared) {
  EXPECT_EQ(value(R"({"gt":[{"scalar":"scale"},{"float":0.0}]})"), 1);
  EXPECT_EQ(value(R"({"gt":[{"scalar":"scale"},1]})"), 0);
  EXPECT_NE(error(R"({"add":[{"scalar":"scale"},1]})").find("floats may only be compared"), std::string::npos);
  EXPECT_NE(error(R"({"scalar":"scale"})").find("is a float"), std::string::npos);
}

TEST_F(ExpressionTest, ComparisonsWithNanAreFalseExceptNe) {
  environment.scalars[1].floating = std::numeric_limits<double>::quiet_NaN();
  for (const char *op : {"lt", "le", "gt", "ge", "eq"})
    EXPECT_EQ(value(json{{op, {{{"scalar", "scale"}}, 0}}}.dump().c_str()), 0) << op;
  EXPECT_EQ(value(R"({"ne":[{"scalar":"scale"},{"scalar":"scale"}]})"), 1);
}

TEST_F(ExpressionTest, OverflowIsAnErrorThatShowsTheFormula) {
  EXPECT_NE(error(R"({"mul":[{"size":["q",0]},9223372036854775807]})").find("formula 'size(q, 0) * 9223372036854775807'"),
            std::string::npos);
  for (const char *text : {R"({"add":[9223372036854775807,1]})", R"({"sub":[-9223372036854775808,1]})",
                           R"({"floordiv":[-9223372036854775808,-1]})", R"({"ceildiv":[-9223372036854775808,-1]})"})
    EXPECT_NE(error(text).find("overflows 64 bits"), std::string::npos) << text;
  EXPECT_EQ(value(R"({"mod":[-9223372036854775808,-1]})"), 0);
  for (const char *text : {R"({"floordiv":[1,0]})", R"({"ceildiv":[1,0]})", R"({"mod":[1,0]})"})
    EXPECT_NE(error(text).find("divided by zero"), std::string::npos) << text;
}

TEST_F(ExpressionTest, MalformedFormulasAreRefused) {
  for (const char *text :
       {"null", "\"q\"", "1.5", "[]", "{}", R"({"add":[1,2],"sub":[1,2]})", R"({"plus":[1,2]})", R"({"sub":[1]})",
        R"({"sub":[1,2,3]})", R"({"add":[]})", R"({"add":3})", R"({"size":["q",2]})", R"({"size":["q",-1]})",
        R"({"size":["z",0]})", R"({"size":"q"})", R"({"address":"part"})", R"({"address":3})", R"({"scalar":"q"})",
        R"({"device":"colour"})", R"({"float":"x"})", R"({"select":[1,2,{"float":1}]})", "18446744073709551615",
        R"({"size":["q",18446744073709551615]})"})
    EXPECT_EQ(evaluate(text).status().code(), TILEFOLD_ERROR_ARTIFACT_FORMAT) << text;
}

TEST_F(ExpressionTest, DeepFormulasAreRefusedNotRecursedInto) {
  json deep = 1;
  for (int i = 0; i < 5000; ++i)
    deep = json{{"not", json::array({std::move(deep)})}};
  EXPECT_NE(Expression::parse(deep, symbols).status().message().find("nested deeper"), std::string::npos);
}

TEST_F(ExpressionTest, TextReadsLikeSource) {
  Result<Expression> expression =
      Expression::parse(json::parse(R"({"and":[{"eq":[{"mod":[{"address":"q"},16]},0]},{"le":[{"scalar":"scale"},{"float":0.5}]}]})"), symbols);
  ASSERT_TRUE(expression.ok());
  EXPECT_EQ(expression->text(), "((address(q) % 16) == 0) and (scale <= 0.5)");
}

} // namespace
} // namespace tilefold::runtime
