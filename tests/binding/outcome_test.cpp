// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/outcome.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "nvmlab/nvml/generated/return.hpp"

namespace nvml {
namespace {

const Error kRefused{Return::not_supported, Origin::driver, "nvmlDeviceGetFanSpeed"};

TEST(OrThrow, GivesTheValue) {
  EXPECT_EQ(or_throw(Result<int>{7}), 7);
  EXPECT_NO_THROW(or_throw(Result<void>{}));
  const auto owner = or_throw(Result<std::unique_ptr<int>>{std::make_unique<int>(3)});
  EXPECT_EQ(*owner, 3) << "a value that can only be moved is moved";
}

TEST(OrThrow, ThrowsTheError) {
  try {
    or_throw(Result<int>{unexpected(kRefused)});
    FAIL() << "nothing was thrown";
  } catch (const Exception& thrown) {
    EXPECT_EQ(thrown.error(), kRefused);
    EXPECT_EQ(thrown.code(), make_error_code(Return::not_supported));
    EXPECT_NE(std::string{thrown.what()}.find("nvmlDeviceGetFanSpeed"), std::string::npos) << thrown.what();
  }
  EXPECT_THROW(or_throw(Result<void>{unexpected(kRefused)}), std::system_error);
}

TEST(OrNothing, IsTheValueOrNothing) {
  EXPECT_EQ(or_nothing(Result<int>{7}), 7);
  EXPECT_EQ(or_nothing(Result<int>{unexpected(kRefused)}), std::nullopt);
}

TEST(OrNothing, DoesNotNestWhatMayBeUnknown) {
  using Maybe = std::optional<int>;
  const std::optional<int> known = or_nothing(Result<Maybe>{Maybe{7}});
  EXPECT_EQ(known, 7);
  EXPECT_EQ(or_nothing(Result<Maybe>{Maybe{}}), std::nullopt);
  EXPECT_EQ(or_nothing(Result<Maybe>{unexpected(kRefused)}), std::nullopt);
}

// A loop over the temporary: under the address sanitizer (`make check-all`) it shows that what it runs over is there.
TEST(OrEmpty, IsAListToRunOver) {
  int sum = 0;
  for (const int each : or_empty(Result<std::vector<int>>{std::vector{1, 2, 3}}))
    sum += each;
  EXPECT_EQ(sum, 6);
  EXPECT_TRUE(or_empty(Result<std::vector<int>>{unexpected(kRefused)}).empty());
  EXPECT_EQ(or_empty(Result<std::string>{unexpected(kRefused)}), "");
}

}  // namespace
}  // namespace nvml
