// SPDX-License-Identifier: Apache-2.0
// House rules that a machine can check in every source file: the licence line, a length that can be read in one
// sitting, and no copy of NVIDIA's header.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "tests/unit/architecture/sources.hpp"

namespace {

using namespace nvmlab::architecture;

TEST(Files, BeginWithTheLicence) {
  for (const auto& source : read_sources(project_root())) {
    const auto at = source.first_line.find("SPDX-License-Identifier: Apache-2.0");
    EXPECT_EQ(at, 3U) << source.path << " begins with \"" << source.first_line << '"';
  }
}

TEST(Files, AreShort) {
  constexpr unsigned kLongest = 450;
  for (const auto& source : read_sources(project_root())) {
    if (source.generated()) continue;
    EXPECT_LE(source.lines, kLongest) << source.path << ": one subject per file; is there a second one in here?";
  }
}

// The head of a file says which tests cover it; a test that has moved takes its name along.
TEST(Files, NameTestsThatExist) {
  const std::regex test("tests/[A-Za-z0-9_/]+_test\\.cpp");
  for (const auto& source : read_sources(project_root())) {
    std::ifstream file(project_root() / source.path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (std::sregex_iterator named(text.begin(), text.end(), test), end; named != end; ++named) {
      EXPECT_TRUE(std::filesystem::exists(project_root() / named->str())) << source.path << " names " << named->str();
    }
  }
}

TEST(Files, NvidiasHeaderIsNotAmongThem) {
  for (const auto& source : read_sources(project_root())) {
    const auto name = std::filesystem::path(source.path).filename().string();
    EXPECT_TRUE(name != "nvml.h" && name != "cuda.h")
        << source.path << ": facts are kept (model/facts), headers are not";
  }
}

}  // namespace
