// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string_view>

#include "tests/binding/all_methods/check.hpp"

namespace nvml::all_methods {

void report_missing(const Call&, const Failure& failure) {
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code(), static_cast<Return>(abi::NVML_ERROR_FUNCTION_NOT_FOUND));
  EXPECT_EQ(failure->origin(), Origin::symbol);
  EXPECT_TRUE(std::string_view(failure->function()).starts_with("nvml"));
}

void report_pattern(const Call& call, const Failure& failure, bool same) {
  ASSERT_FALSE(failure) << failure->message();
  EXPECT_GE(seen.calls, 1U);
  EXPECT_EQ(seen.strange, "") << "came differently";
  if (call.kind == Kind::value) {
    EXPECT_GE(seen.kept, 1U);
    EXPECT_TRUE(same) << "the answer is not what the function wrote";
  }
}

void report_allocations(const Call& call, unsigned long used, unsigned long kept) {
  if (call.kind == Kind::value) {
    // A list whose length nobody tells grows by trial.
    EXPECT_LE(used, kept + seen.untold) << "allocations, and those that the answer keeps";
  }
}

void report_other(const Call& call, const Failure& failure, bool same, bool same_as_before) {
  ASSERT_FALSE(failure) << failure->message();
  if (call.kind == Kind::value) {
    EXPECT_TRUE(same) << "the answer is not what the function wrote";
    EXPECT_FALSE(same_as_before) << "the comparison takes any answer";
  }
}

void report_refused(const Call& call, const Failure& failure) {
  ASSERT_TRUE(failure);
  EXPECT_EQ(*failure, (Error{Return::gpu_is_lost, Origin::driver, call.function}));
}

Real report_real(const Call& call, const Failure& failure, bool same) {
  if (seen.calls == 0) return Real::not_called;
  if (failure) {
    // A walk may have gone on to an older version.
    const bool passed_over =
        seen.answer == abi::NVML_ERROR_FUNCTION_NOT_FOUND || seen.answer == abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    if (!passed_over && failure->origin() == Origin::driver) {
      EXPECT_EQ(failure->code(), static_cast<Return>(seen.answer));
    }
    return Real::refused;
  }
  if (seen.answer != abi::NVML_SUCCESS) return Real::refused;  // an older version, or a code that means "none"
  if (call.kind == Kind::command) return Real::compared;
  if (seen.kept == 0) return Real::refused;  // it had nothing to list
  EXPECT_TRUE(same) << "the answer is not what the driver wrote";
  return Real::compared;
}

}  // namespace nvml::all_methods
