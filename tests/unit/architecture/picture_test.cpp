// SPDX-License-Identifier: Apache-2.0
// The picture in docs/pipeline.md shows the table of components, and each component has a README.
#include "tests/unit/architecture/picture.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/unit/architecture/components.hpp"
#include "tests/unit/architecture/sources.hpp"

namespace {

using namespace nvmlab::architecture;

constexpr std::string_view kBegin =
    "<!-- components: drawn by architecture_picture_test, NVMLAB_APPROVE=1 redraws -->\n";
constexpr std::string_view kEnd = "<!-- end of components -->\n";

std::string read(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(PictureOfComponents, ShowsTheTable) {
  const auto file = project_root() / "docs" / "pipeline.md";
  std::string page = read(file);
  const std::size_t begin = page.find(kBegin);
  const std::size_t end = page.find(kEnd);
  ASSERT_NE(begin, std::string::npos) << file;
  ASSERT_NE(end, std::string::npos) << file;
  const std::size_t from = begin + kBegin.size();
  if (std::getenv("NVMLAB_APPROVE") != nullptr) {
    std::ofstream(file) << page.replace(from, end - from, picture_of_components());
    return;
  }
  EXPECT_EQ(page.substr(from, end - from), picture_of_components())
      << "the picture shows another table; NVMLAB_APPROVE=1 ctest -R architecture_picture redraws it";
}

TEST(PictureOfComponents, HasArrowsToWhatIsUsed) {
  const std::string picture = picture_of_components();
  EXPECT_NE(picture.find("  compiler --> engine\n"), std::string::npos) << picture;
  EXPECT_NE(picture.find("  drivers -.-> compiler\n"), std::string::npos) << picture;
  EXPECT_EQ(picture.find("  engine --> drivers\n"), std::string::npos) << picture;
  EXPECT_EQ(picture.find("tests"), std::string::npos) << picture;
}

TEST(Components, HaveAReadme) {
  std::set<std::string> folders{"cmake", "model", "profiles", "scripts"};
  for (const Component& component : components()) {
    folders.insert(component.name.substr(0, component.name.find('/')));
    const bool in_include_root = component.name.starts_with("simulator/") || component.name.starts_with("tools/");
    if (in_include_root)
      folders.insert(component.name.substr(0, component.name.find('/', component.name.find('/') + 1)));
  }
  for (const auto& entry : std::filesystem::directory_iterator(project_root() / "tests")) {
    if (entry.is_directory()) folders.insert("tests/" + entry.path().filename().string());
  }
  for (const std::string& folder : folders)
    EXPECT_GT(read(project_root() / folder / "README.md").size(), 100U) << folder << "/README.md";
}

}  // namespace
