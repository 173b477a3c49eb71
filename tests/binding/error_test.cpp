// SPDX-License-Identifier: Apache-2.0
// Errors as values: what they say, how they compare, and what they become.
#include "nvmlab/loader/error.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include "nvmlab/abi/generated/return_texts.hpp"
#include "nvmlab/nvml/fmt.hpp"
#include "nvmlab/nvml/generated/return.hpp"
#include "tests/binding/support/simulated.hpp"
#include "tests/support/files.hpp"

namespace nvml {
namespace {

using nvmlab::binding_test::code;

TEST(Error, SaysFunctionMeaningAndOrigin) {
  const Error error{code(abi::NVML_ERROR_GPU_IS_LOST), Origin::driver, "nvmlDeviceGetPowerUsage"};
  EXPECT_EQ(error.summary(), "nvmlDeviceGetPowerUsage: GPU is lost (the driver's answer)");
  EXPECT_EQ(error.message(), error.summary() + "\n" + error.advice());
  EXPECT_EQ(error.function(), "nvmlDeviceGetPowerUsage");
  EXPECT_EQ(error.detail(), "");
}

TEST(Error, DetailComesBelow) {
  const Error error{code(abi::NVML_ERROR_LIBRARY_NOT_FOUND), Origin::loader, "", "a: b\nc: d"};
  EXPECT_EQ(error.message(), "NVML Shared Library Not Found (no library was opened)\na: b\nc: d\n" + error.advice());
}

TEST(Error, IsEqualByCodeOriginAndFunction) {
  const Error error{code(abi::NVML_ERROR_TIMEOUT), Origin::driver, "nvmlShutdown"};
  EXPECT_EQ(error, (Error{code(abi::NVML_ERROR_TIMEOUT), Origin::driver, "nvmlShutdown", "more"}));
  EXPECT_FALSE(error == (Error{code(abi::NVML_ERROR_TIMEOUT), Origin::binding, "nvmlShutdown"}));
  EXPECT_FALSE(error == (Error{code(abi::NVML_ERROR_UNKNOWN), Origin::driver, "nvmlShutdown"}));
  EXPECT_FALSE(error == (Error{code(abi::NVML_ERROR_TIMEOUT), Origin::driver, "nvmlInit_v2"}));
}

TEST(Error, IsEqualToItsCode) {
  const Error lost{Return::gpu_is_lost, Origin::driver, "nvmlDeviceGetFanSpeed"};
  EXPECT_TRUE(lost == Return::gpu_is_lost);
  EXPECT_TRUE(Return::gpu_is_lost == lost);
  EXPECT_TRUE(lost != Return::not_supported);
  const Result<int> result = unexpected(lost);
  EXPECT_EQ(result.error(), Return::gpu_is_lost);
}

TEST(Error, BecomesAnErrorCode) {
  const std::error_code made = Error{code(abi::NVML_ERROR_NOT_SUPPORTED), Origin::driver, "nvmlDeviceGetFanSpeed"};
  EXPECT_EQ(made.value(), 3);
  EXPECT_STREQ(made.category().name(), "nvml");
  EXPECT_EQ(made.message(), "Not Supported");
  EXPECT_EQ(made, code(abi::NVML_ERROR_NOT_SUPPORTED));
  EXPECT_NE(made, code(abi::NVML_ERROR_NOT_FOUND));
  EXPECT_EQ(make_error_code(code(abi::NVML_ERROR_NOT_SUPPORTED)), made);
}

TEST(Error, EveryOriginHasItsText) {
  std::string seen;
  for (const Origin origin : {Origin::driver, Origin::symbol, Origin::loader, Origin::fork, Origin::binding}) {
    const std::string text{to_string(origin)};
    EXPECT_EQ(seen.find("[" + text + "]"), std::string::npos) << text;
    seen += "[" + text + "]";
  }
  EXPECT_EQ(to_string(static_cast<Origin>(77)), "of unknown origin");
}

// tests/drivers/oracle/error_strings.tsv: code, text, range of drivers. The last driver that was asked has the most
// texts.
TEST(ErrorText, IsWhatTheNewestMeasuredDriverSays) {
  std::ifstream file{nvmlab::test::source_folder() / "tests/drivers/oracle" / "error_strings.tsv"};
  ASSERT_TRUE(file.is_open());
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#' || !line.ends_with("..555.58.02")) continue;
    std::istringstream columns{line};
    int number = 0;
    std::string text;
    columns >> number;
    columns.get();
    std::getline(columns, text, '\t');
    if (number == abi::NVML_ERROR_RESET_TYPE_NOT_SUPPORTED) continue;  // later than that driver
    const bool known = text != "Unknown Error" || number == abi::NVML_ERROR_UNKNOWN;
    if (!known) text += " (return code " + std::to_string(static_cast<unsigned>(number)) + ")";
    EXPECT_EQ(error_text(static_cast<Return>(number)), text) << number;
    ++compared;
  }
  EXPECT_GE(compared, 40);
}

TEST(ErrorText, IsThereForEveryCode) {
  for (const auto& row : abi::return_texts) {
    EXPECT_EQ(error_text(code(row.code)) == "Unknown Error", row.code == abi::NVML_ERROR_UNKNOWN) << row.code;
  }
  EXPECT_EQ(error_text(static_cast<Return>(777)), "Unknown Error (return code 777)");
}

TEST(Error, OfACodeThatNobodyKnowsHasItsNumber) {
  const Error error{static_cast<Return>(777), Origin::driver, "nvmlDeviceGetPowerUsage"};
  EXPECT_EQ(error.message(), "nvmlDeviceGetPowerUsage: Unknown Error (return code 777) (the driver's answer)");
  EXPECT_EQ(std::error_code{error}.message(), "Unknown Error (return code 777)");
}

TEST(Error, IsWrittenToAStreamAsItsMessage) {
  const Error error{code(abi::NVML_ERROR_NOT_SUPPORTED), Origin::driver, "nvmlDeviceGetFanSpeed"};
  std::ostringstream stream;
  stream << error;
  EXPECT_EQ(stream.str(), error.message());
}

TEST(Error, IsFormattedAsItsMessage) {
  const Error error{code(abi::NVML_ERROR_NOT_SUPPORTED), Origin::driver, "nvmlDeviceGetFanSpeed"};
  EXPECT_EQ(fmt::format("{}", error), error.message());
  EXPECT_EQ(fmt::format("{:>8}|{:.1f}|{}", Return::timeout, Quantity<unit::watt, double>{70.21}, Milliwatts{5}),
            " timeout|70.2 W|5 mW");
}

TEST(Error, IsWhatTheSystemCallsTheSame) {
  const auto made = [](abi::nvmlReturn_t value) { return Error{code(value), Origin::driver, "nvmlX"}; };
  EXPECT_TRUE(made(abi::NVML_ERROR_NO_PERMISSION) == std::errc::permission_denied);
  EXPECT_TRUE(made(abi::NVML_ERROR_NOT_SUPPORTED) == std::errc::not_supported);
  EXPECT_TRUE(made(abi::NVML_ERROR_GPU_IS_LOST) == std::errc::no_such_device);
  EXPECT_TRUE(std::error_code{made(abi::NVML_ERROR_TIMEOUT)} == std::errc::timed_out);
  EXPECT_FALSE(made(abi::NVML_ERROR_TIMEOUT) == std::errc::permission_denied);
  EXPECT_FALSE(made(abi::NVML_ERROR_UNKNOWN) == std::errc::operation_not_permitted) << "999, which is no errno";
}

}  // namespace
}  // namespace nvml
