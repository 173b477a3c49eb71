// SPDX-License-Identifier: Apache-2.0
// The walk through the versions of a function: which answers make it go on, and which one it gives in the end.
#include "nvmlab/nvml/shapes/families.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace nvml::detail {
namespace {

Error said(abi::nvmlReturn_t code, Origin origin = Origin::driver) { return {Return{code}, origin, "nvmlX"}; }

class Families : public testing::Test {
 protected:
  // Version n answers answers[n - 1]; newest() asks 3, 2, 1.
  Result<int> ask(const std::vector<Result<int>>& answers) {
    asked.clear();
    const auto version = [&](unsigned number) {
      return [&, number] {
        asked.push_back(number);
        return answers[number - 1];
      };
    };
    return newest(version(3), version(2), version(1));
  }
  const Result<int> absent = unexpected(said(abi::NVML_ERROR_FUNCTION_NOT_FOUND, Origin::symbol));
  const Result<int> refused = unexpected(said(abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH));
  const Result<int> lost = unexpected(said(abi::NVML_ERROR_GPU_IS_LOST));
  std::vector<unsigned> asked;
};

TEST_F(Families, TheNewestAnswers) {
  EXPECT_EQ(ask({1, 2, 3}).value(), 3);
  EXPECT_EQ(asked, std::vector{3U});
}

TEST_F(Families, OlderOnesAreAskedWhereTheLibraryDoesNotKnowNewerOnes) {
  EXPECT_EQ(ask({1, 2, absent}).value(), 2);
  EXPECT_EQ(ask({1, refused, absent}).value(), 1);
  EXPECT_EQ(ask({1, 2, unexpected(said(abi::NVML_ERROR_FUNCTION_NOT_FOUND))}).value(), 2)
      << "a function that is there and says that it is not";
}

TEST_F(Families, AnErrorOfTheNewestIsTheAnswer) {
  EXPECT_EQ(ask({1, 2, lost}).error(), lost.error());
  EXPECT_EQ(asked, std::vector{3U});
  EXPECT_EQ(ask({1, lost, absent}).error(), lost.error());
  EXPECT_EQ(asked, (std::vector{3U, 2U}));
  const Result<int> forked = unexpected(said(abi::NVML_ERROR_UNINITIALIZED, Origin::fork));
  EXPECT_EQ(ask({1, 2, forked}).error(), forked.error());
}

TEST_F(Families, WhereNoVersionIsKnownTheNewestSaysSo) {
  EXPECT_EQ(ask({absent, absent, refused}).error(), refused.error());
  EXPECT_EQ(asked, (std::vector{3U, 2U, 1U}));
  EXPECT_EQ(newest([&] { return absent; }).error(), absent.error()) << "a family of one";
}

// The newest is not asked where the library lacks it, but for the error where no older one answers either.
TEST_F(Families, TheNewestIsPassedOverWhereTheLibraryLacksIt) {
  State state;
  const auto walk = [&](const Result<int>& older) {
    asked.clear();
    const auto version = [&](unsigned number, const Result<int>& answer) {
      return [&, number] {
        asked.push_back(number);
        return answer;
      };
    };
    return newest_of(state, &Functions::nvmlDeviceGetMemoryInfo_v2, version(2, absent), version(1, older));
  };
  EXPECT_EQ(walk(1).value(), 1);
  EXPECT_EQ(asked, std::vector{1U});
  EXPECT_EQ(walk(lost).error(), lost.error());
  EXPECT_EQ(asked, std::vector{1U});
  EXPECT_EQ(walk(absent).error(), absent.error());
  state.functions.nvmlDeviceGetMemoryInfo_v2 = [](abi::nvmlDevice_t, abi::nvmlMemory_v2_t*) {
    return abi::NVML_SUCCESS;
  };
  EXPECT_FALSE(walk(absent));
  EXPECT_EQ(asked, (std::vector{2U, 1U}));
}

}  // namespace
}  // namespace nvml::detail
