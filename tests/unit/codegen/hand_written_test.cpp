// SPDX-License-Identifier: Apache-2.0
// What the generator reads in the binding's hand-written headers.
#include "codegen/emit/nvml/hand_written.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

HandWritten read(std::string_view text) {
  HandWritten all;
  EXPECT_TRUE(read_hand_written(text, "nvmlab/nvml/x.hpp", all));
  return all;
}

TEST(HandWritten, ABodyIsAFunctionBelowItsCName) {
  const HandWritten all = read(
      "// C: nvmlDeviceGetThings. Into the caller's memory;\n"
      "// nothing is allocated.\n"
      "Result<std::vector<Result<Thing>>> things(const State& state, abi::nvmlDevice_t device,\n"
      "                                          std::span<const Pair<A, B>> wanted, Thing* room = nullptr);\n");
  ASSERT_TRUE(all.bodies.contains("nvmlDeviceGetThings"));
  const HandWritten::Body& body = all.bodies.at("nvmlDeviceGetThings").front();
  EXPECT_EQ(body.name, "things");
  EXPECT_EQ(body.result, "std::vector<Result<Thing>>");
  EXPECT_EQ(body.parameters, (std::vector<std::string>{"const State& state", "abi::nvmlDevice_t device",
                                                       "std::span<const Pair<A, B>> wanted", "Thing* room = nullptr"}));
  EXPECT_EQ(body.remark, "Into the caller's memory; nothing is allocated.");
  EXPECT_EQ(body.header, "nvmlab/nvml/x.hpp");
  EXPECT_EQ(body.line, 1U);
}

TEST(HandWritten, OneFunctionMayHaveSeveral) {
  const HandWritten all = read(
      "// C: nvmlA\nResult<void> a(const State& state);\n\n"
      "// C: nvmlA\nResult<int> a(const State& state, int which);\n");
  EXPECT_EQ(all.bodies.at("nvmlA").size(), 2U);
}

TEST(HandWritten, AMethodOfAClassLeavesNothingToDo) {
  const HandWritten all =
      read("class X {\n  /// Frees it.\n  ///\n  /// C: nvmlA, else nvmlB\n  Result<void> free();\n};\n");
  EXPECT_TRUE(all.bodies.empty());
  EXPECT_EQ(all.methods, (std::set<std::string, std::less<>>{"nvmlA", "nvmlB"}));
}

TEST(HandWritten, ANameWithoutItsFunctionIsAnError) {
  for (const char* text :
       {"// C: nvmlA\n", "// C: nvmlA\nint a(const State& state);\n", "// C: nvmlA\nResult<int> a();\n"}) {
    HandWritten all;
    const auto read = read_hand_written(text, "x.hpp", all);
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().text(),
              "x.hpp:1:1: below 'C: nvmlA' no function follows; `Result<T> name(const State& "
              "state, ...);` would");
  }
}

}  // namespace
}  // namespace nvmlab::codegen
