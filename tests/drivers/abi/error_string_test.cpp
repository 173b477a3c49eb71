// SPDX-License-Identifier: Apache-2.0
// nvmlErrorString gives the texts of a real library (555.58.02), before init as after it, from memory that stays.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>

#include "tests/drivers/abi/driver.hpp"

namespace {

using namespace nvmlab::abi_test;

// Index is the code.
constexpr std::array kTexts = {
    "Success",
    "Uninitialized",
    "Invalid Argument",
    "Not Supported",
    "Insufficient Permissions",
    "Already Initialized",
    "Not Found",
    "Insufficient Size",
    "Insufficient External Power",
    "Driver Not Loaded",
    "Timeout",
    "Interrupt Request Issue",
    "NVML Shared Library Not Found",
    "Function Not Found",
    "Corrupted infoROM",
    "GPU is lost",
    "GPU requires reset",
    "GPU access blocked by the operating system",
    "Driver/library version mismatch",
    "In use by another client",
    "Insufficient Memory",
    "No data",
    "vGPU ECC not supported",
    "Insufficient Resources",
    "Invalid Frequency",
    "Argument version mismatch",
    "Requested functionality has been deprecated",
    "System is not in ready state",
    "No supported GPUs were found",
    "Resource not in correct state to perform requested operation",
};

class ErrorString : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(driver_.open()) << driver_.error();
    text_ = reinterpret_cast<const char* (*)(int)>(driver_.address("nvmlErrorString"));
    ASSERT_NE(text_, nullptr);
  }
  Driver driver_;
  const char* (*text_)(int) = nullptr;
};

TEST_F(ErrorString, KnownCodesHaveTheRealTexts) {
  for (int code = 0; code < static_cast<int>(kTexts.size()); ++code)
    EXPECT_STREQ(text_(code), kTexts.at(static_cast<std::size_t>(code))) << code;
}

// No library newer than 555 could be asked, so codes that only newer headers know have no text of their own here
// either.
TEST_F(ErrorString, EveryOtherCodeIsUnknown) {
  for (int code = static_cast<int>(kTexts.size()); code <= 1100; ++code)
    EXPECT_STREQ(text_(code), "Unknown Error") << code;
  for (const int code : {-1, -2, -1000, 0x7fffffff, -0x7fffffff - 1, 1 << 16})
    EXPECT_STREQ(text_(code), "Unknown Error") << code;
}

TEST_F(ErrorString, TextsStayWhereTheyAre) {
  const char* before = text_(3);
  ASSERT_EQ(driver_.init(), kSuccess);
  EXPECT_EQ(text_(3), before);
  EXPECT_STREQ(text_(25), kTexts[25]);
  ASSERT_EQ(driver_.shutdown(), kSuccess);
  EXPECT_EQ(text_(3), before);
}

}  // namespace
