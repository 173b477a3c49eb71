// SPDX-License-Identifier: Apache-2.0
#include "compiler/answers.hpp"

#include <gtest/gtest.h>

namespace nvmlab::compiler {
namespace {

TEST(Answers, ByEitherName) {
  EXPECT_EQ(find_answer("DEPRECATED"), 26u);
  EXPECT_EQ(find_answer("NVML_ERROR_DEPRECATED"), 26u);
  EXPECT_EQ(find_answer("UNKNOWN"), 999u);
  EXPECT_EQ(find_answer("1234"), 1234u);  // a code that NVML has no name for
}

TEST(Answers, EveryNameLeadsBack) {
  int named = 0;
  for (std::uint32_t code = 1; code < 1000; ++code) {
    const std::string name = answer_name(code);
    ASSERT_EQ(find_answer(name), code) << name;
    if (name != std::to_string(code)) ++named;
  }
  EXPECT_EQ(named, 31);  // nvmlReturn_t of release 13.3 without NVML_SUCCESS
}

TEST(Answers, WhatIsNone) {
  EXPECT_EQ(find_answer("DEPRECATD").error(), "'DEPRECATD' is no return code of NVML; did you mean 'DEPRECATED'?");
  EXPECT_EQ(find_answer("NVML_ERROR_GPU_LOST").error(),
            "'NVML_ERROR_GPU_LOST' is no return code of NVML; did you mean 'GPU_IS_LOST'?");
  for (const char* success : {"SUCCESS", "NVML_SUCCESS", "0"}) {
    EXPECT_EQ(find_answer(success).error(), "SUCCESS stands for a value; write the value itself");
  }
  EXPECT_TRUE(find_answer("qqqqqqqqqq")
                  .error()
                  .starts_with("'qqqqqqqqqq' is no return code of NVML; its codes are: UNINITIALIZED, "));
  EXPECT_FALSE(find_answer("4294967296"));
  EXPECT_FALSE(find_answer("-1"));
}

}  // namespace
}  // namespace nvmlab::compiler
