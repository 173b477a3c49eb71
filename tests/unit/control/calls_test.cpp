// SPDX-License-Identifier: Apache-2.0
#include "control/calls.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/unit/machine/folder.hpp"

namespace nvmlab::control {
namespace {

TEST(RecordedCall, HasArgumentsAndMembersByTheirNames) {
  const auto call = read_call(
      "4711 0 nvmlDeviceGetMemoryInfo_v2(device=GPU 3, memory={version=33554472, total=85520809984, used=0})");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->pid, 4711U);
  EXPECT_EQ(call->code, 0U);
  EXPECT_EQ(call->function, "nvmlDeviceGetMemoryInfo_v2");
  ASSERT_NE(call->find("device"), nullptr);
  EXPECT_EQ(*call->find("device"), "GPU 3");
  EXPECT_EQ(*call->find("memory.total"), "85520809984");
  EXPECT_EQ(call->find("memory"), nullptr);
}

TEST(RecordedCall, KeepsTextsWithCommasWhole) {
  const auto call = read_call("1 15 nvmlX(name=\"a, b (c)\", length=96, out=NULL)");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->code, 15U);
  EXPECT_EQ(*call->find("name"), "a, b (c)");
  EXPECT_EQ(*call->find("length"), "96");
  EXPECT_EQ(*call->find("out"), "NULL");
}

TEST(RecordedCall, MayBeCutAndHasItsCodeAllTheSame) {
  const auto call = read_call("1 7 nvmlX(a=1, b={c=2, d=");
  ASSERT_TRUE(call);
  EXPECT_EQ(*call->find("a"), "1");
  EXPECT_TRUE(read_call("1 0 nvmlInit_v2()")->arguments.empty());
}

TEST(RecordedCall, IsNoOtherLine) {
  for (const char* line : {"", "nvmlInit_v2()", "1 nvmlInit_v2()", "x 0 nvmlInit_v2()", "1 0 nvmlInit", "1 0 ()"})
    EXPECT_FALSE(read_call(line)) << line;
}

std::vector<Call> some_calls() {
  std::vector<Call> calls;
  for (const char* line : {"1 0 nvmlInit_v2()", "1 0 nvmlDeviceGetTemperature(device=GPU 0, sensorType=0, temp=30)",
                           "1 15 nvmlDeviceGetTemperature(device=GPU 3, sensorType=0, temp=...)",
                           "2 0 nvmlDeviceGetName(device=GPU 3, name=\"H100\", length=96)"})
    calls.push_back(*read_call(line));
  return calls;
}

bool holds(const std::string& text) {
  const auto expected = read_expectation(text);
  EXPECT_TRUE(expected) << (expected ? "" : expected.error());
  return expected && expected->holds(some_calls());
}

TEST(ExpectedCall, IsMadeOnceAtLeast) {
  EXPECT_TRUE(holds("nvmlInit"));
  EXPECT_TRUE(holds("nvmlInit_v2"));
  EXPECT_FALSE(holds("nvmlShutdown"));
  EXPECT_TRUE(holds("nvmlDeviceGet*"));
}

TEST(ExpectedCall, HasANumberArgumentsAndAnAnswer) {
  EXPECT_TRUE(holds("nvmlDeviceGetTemperature = 2"));
  EXPECT_FALSE(holds("nvmlDeviceGetTemperature=3"));
  EXPECT_TRUE(holds("nvmlDeviceGet* >= 3"));
  EXPECT_FALSE(holds("nvmlDeviceGet* >= 4"));
  EXPECT_TRUE(holds("nvmlShutdown <= 1"));
  EXPECT_TRUE(holds("nvmlShutdown = 0"));
  EXPECT_TRUE(holds("nvmlDeviceGetTemperature(device=GPU 3) = 1"));
  EXPECT_FALSE(holds("nvmlDeviceGetTemperature(device=GPU 3, sensorType=1)"));
  EXPECT_TRUE(holds("nvmlDeviceGetTemperature(device=GPU 3) -> GPU_IS_LOST"));
  EXPECT_FALSE(holds("nvmlDeviceGetTemperature(device=GPU 0) -> GPU_IS_LOST"));
  EXPECT_TRUE(holds("* -> GPU_IS_LOST = 1"));
  EXPECT_TRUE(holds("nvmlDeviceGetTemperature -> SUCCESS = 1"));
  EXPECT_TRUE(holds("*(name=\"H100\")"));
}

TEST(ExpectedCall, RefusesWhatMakesNoSense) {
  for (const char* text : {"", "a b", "nvmlInit = many", "nvmlInit -> NO_SUCH_CODE", "nvmlInit(a=1", "(a=1)"}) {
    const auto expected = read_expectation(text);
    ASSERT_FALSE(expected) << text;
    EXPECT_NE(expected.error().find("an expectation is FUNCTION"), std::string::npos) << expected.error();
  }
}

TEST(CallRecord, IsBegunAnewAndNeverOverSomethingElse) {
  const test::Folder folder;
  const std::string path = folder.file("calls");
  ASSERT_TRUE(begin_record(path));
  std::ofstream(path) << "1 0 nvmlInit_v2()\n";
  EXPECT_EQ(read_calls(path)->size(), 1U);
  ASSERT_TRUE(begin_record(path));
  EXPECT_EQ(read_calls(path)->size(), 0U);
  std::ofstream(path) << "my thesis\n";
  const auto refused = begin_record(path);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().find("something else"), std::string::npos);
  EXPECT_NE(read_calls(path).error().find("calls:1: "), std::string::npos);
  EXPECT_FALSE(read_calls(folder.file("none")));
}

}  // namespace
}  // namespace nvmlab::control
