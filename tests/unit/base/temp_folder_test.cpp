// SPDX-License-Identifier: Apache-2.0
#include "base/temp_folder.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <optional>

namespace nvmlab {
namespace {

TEST(TempFolder, GoesWithWhatIsInIt) {
  std::optional<TempFolder> folder(std::in_place, "nvmlab-base-test");
  const std::filesystem::path path = folder->path();
  ASSERT_TRUE(std::filesystem::is_directory(path));
  EXPECT_TRUE(path.filename().string().starts_with("nvmlab-base-test-"));
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
  std::ofstream(path / "a file") << "with text";
  folder.reset();
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace nvmlab
