// SPDX-License-Identifier: Apache-2.0
#include "engine/store/variables.hpp"

#include <gtest/gtest.h>

#include <string>

namespace nvmlab {
namespace {

std::string meant_by(const std::string& name) {
  const char* const near = misspelt_variable(name.c_str(), static_cast<std::uint32_t>(name.size()));
  return near == nullptr ? "" : near;
}

TEST(Variables, AreFoundWhereALetterOrTwoDiffer) {
  EXPECT_EQ(meant_by("NVMLAB_PROFIL"), "NVMLAB_PROFILE");
  EXPECT_EQ(meant_by("NVMLAB_PROFLIE"), "NVMLAB_PROFILE");
  EXPECT_EQ(meant_by("NVMLAB_GPU"), "NVMLAB_GPUS");
  EXPECT_EQ(meant_by("NVMLAB_DRIVERS"), "NVMLAB_DRIVER");
  EXPECT_EQ(meant_by("NVMLAB_LGO"), "") << "two of three letters";
}

TEST(Variables, OfOursAndOfOthersSayNothing) {
  for (const char* name : {"NVMLAB_PROFILE", "NVMLAB_LOG", "NVMLAB_INIT_ERROR", "NVMLAB_CLIENTS_DIR", "NVMLAB_APPROVE",
                           "NVMLAB_", "NVMLAB", "PROFIL", "MOCK_NVML_CONFIG", "NVMLAB_SOMETHING_QUITE_DIFFERENT"}) {
    EXPECT_EQ(meant_by(name), "") << name;
  }
}

}  // namespace
}  // namespace nvmlab
