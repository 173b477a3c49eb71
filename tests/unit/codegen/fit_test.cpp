// SPDX-License-Identifier: Apache-2.0
// Generated code on lines that fit.
#include "codegen/emit/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace nvmlab::codegen::test {
namespace {

const std::string kLongName(60, 'a');

TEST(Fit, LeavesAShortLineAlone) { EXPECT_EQ(fit("return call(a, b);", 2), "return call(a, b);"); }

TEST(Fit, GivesEachArgumentALine) {
  EXPECT_EQ(fit("call(" + kLongName + ", " + kLongName + ");", 2),
            "call(\n      " + kLongName + ",\n      " + kLongName + ");");
}

// A call that is the only argument of another one stays beside it.
TEST(Fit, BreaksTheInnermostOfNestedCalls) {
  EXPECT_EQ(fit("return outer(inner(" + kLongName + ", " + kLongName + "));", 0),
            "return outer(inner(\n    " + kLongName + ",\n    " + kLongName + "));");
}

TEST(Fit, KeepsTemplatesAndBracesTogether) {
  const std::string code =
      "call(At<List<Thermal::Fan, 8>>{offsetof(Gpu, thermal.fans)}, [](const auto& made) { return f(made, 1); }, " +
      kLongName + ")";
  EXPECT_EQ(fit(code, 0),
            "call(\n    At<List<Thermal::Fan, 8>>{offsetof(Gpu, thermal.fans)},\n    [](const auto& made) { return "
            "f(made, 1); },\n    " +
                kLongName + ")");
}

}  // namespace
}  // namespace nvmlab::codegen::test
