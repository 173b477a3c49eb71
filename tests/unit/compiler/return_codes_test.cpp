// SPDX-License-Identifier: Apache-2.0
#include "compiler/return_codes.hpp"

#include <gtest/gtest.h>

namespace nvmlab::compiler {
namespace {

TEST(ReturnCodes, ByEitherName) {
  EXPECT_EQ(find_return_code("DEPRECATED"), 26u);
  EXPECT_EQ(find_return_code("NVML_ERROR_DEPRECATED"), 26u);
  EXPECT_EQ(find_return_code("UNKNOWN"), 999u);
  EXPECT_EQ(find_return_code("1234"), 1234u);  // a code that NVML has no name for
}

TEST(ReturnCodes, EveryNameLeadsBack) {
  int named = 0;
  for (std::uint32_t code = 1; code < 1000; ++code) {
    const std::string name = return_code_name(code);
    ASSERT_EQ(find_return_code(name), code) << name;
    if (name != std::to_string(code)) ++named;
  }
  EXPECT_EQ(named, 31);  // nvmlReturn_t of release 13.3 without NVML_SUCCESS
}

TEST(ReturnCodes, WhatIsNone) {
  EXPECT_EQ(find_return_code("DEPRECATD").error(), "'DEPRECATD' is no return code of NVML; did you mean 'DEPRECATED'?");
  EXPECT_EQ(find_return_code("NVML_ERROR_GPU_LOST").error(),
            "'NVML_ERROR_GPU_LOST' is no return code of NVML; did you mean 'GPU_IS_LOST'?");
  for (const char* success : {"SUCCESS", "NVML_SUCCESS", "0"}) {
    EXPECT_EQ(find_return_code(success).error(), "SUCCESS stands for a value; write the value itself");
  }
  EXPECT_TRUE(find_return_code("qqqqqqqqqq")
                  .error()
                  .starts_with("'qqqqqqqqqq' is no return code of NVML; its codes are: UNINITIALIZED, "));
  EXPECT_FALSE(find_return_code("4294967296"));
  EXPECT_FALSE(find_return_code("-1"));
}

}  // namespace
}  // namespace nvmlab::compiler
