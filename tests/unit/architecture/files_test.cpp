// SPDX-License-Identifier: Apache-2.0
// House rules that a machine can check in every source file: the licence line, a length that can be read in one
// sitting, and no copy of NVIDIA's header.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

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

// The command and the examples change and read machines through the functions of simulator/control.
TEST(Files, OfTheCommandTakeNoStore) {
  const std::regex taken(R"((\.|->)(store|file)\(\))");
  unsigned checked = 0;
  for (const auto& source : read_sources(project_root())) {
    if (!source.path.starts_with("tools/command/") && !source.path.starts_with("examples/")) continue;
    ++checked;
    std::ifstream file(project_root() / source.path);
    unsigned number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      EXPECT_FALSE(std::regex_search(line, taken)) << source.path << ":" << number << ": " << line;
    }
  }
  EXPECT_GE(checked, 100U);
}

// Scripts, documents, CMake's files and descriptions.
bool says_paths(const std::filesystem::path& path) {
  const std::string kind = path.extension().string();
  constexpr std::array kinds = {"", ".md", ".txt", ".cmake", ".sh", ".py", ".yaml", ".yml", ".json", ".in"};
  return std::ranges::find(kinds, kind) != kinds.end();
}

// Whether the word that ends before `end` is a variable's: "$root", "${root}", "$(dirname "$0")".
bool ends_in_variable(std::string_view text, std::size_t end) {
  if (end > 0 && text[end - 1] == '"') --end;
  if (end > 0 && (text[end - 1] == '}' || text[end - 1] == ')')) return true;
  while (end > 0 && (std::isalnum(static_cast<unsigned char>(text[end - 1])) != 0 || text[end - 1] == '_'))
    --end;
  return end > 0 && text[end - 1] == '$';
}

// Each "../NAME" of a text, from where the file lies or from where a variable says.
std::vector<std::string> ways_up(const std::string& text) {
  constexpr const char* of_paths = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-";
  std::vector<std::string> found;
  for (std::size_t at = text.find("../"), end = 0; at != text.npos; at = text.find("../", end)) {
    end = std::min(text.find_first_not_of(of_paths, at), text.size());
    const char before = at == 0 ? ' ' : text[at - 1];
    const bool of_something = before == '.' || std::isalnum(static_cast<unsigned char>(before)) != 0;
    if (of_something || (before == '/' && !ends_in_variable(text, at - 1))) continue;
    found.push_back(text.substr(at, end - at));
    while (found.back().ends_with('.') || found.back().ends_with('/'))
      found.back().pop_back();
  }
  return found;
}

// Links that a build makes in its own folder.
constexpr std::array kInTheBuild = {"../../libnvmlab-kernels.so", "../../libnvmlab-compiler.so"};

// Who has the repository has all that it takes: captures and clients are named by the user, or fetched into build/.
// What lies beside the folder, its author alone has.
TEST(Files, LeadNowhereOutsideTheRepository) {
  namespace fs = std::filesystem;
  const fs::path root = fs::absolute(project_root()).lexically_normal();
  unsigned ways = 0;
  for (auto at = fs::recursive_directory_iterator(root); at != fs::recursive_directory_iterator(); ++at) {
    const std::string name = at->path().filename().string();
    if (at->is_directory() && (name == ".git" || name == "build" || name == "corpus")) at.disable_recursion_pending();
    if (!at->is_regular_file() || name == ".git" || !says_paths(at->path())) continue;
    std::ifstream file(at->path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const std::string& way : ways_up(text)) {
      ++ways;
      if (std::ranges::find(kInTheBuild, way) != kInTheBuild.end()) continue;
      const fs::path target = (at->path().parent_path() / way).lexically_normal();
      const bool inside = !target.lexically_relative(root).generic_string().starts_with("..");
      EXPECT_TRUE(inside && fs::exists(target)) << at->path().lexically_relative(root) << " names " << way;
    }
  }
  EXPECT_GT(ways, 100U);
}

TEST(Files, NvidiasHeaderIsNotAmongThem) {
  for (const auto& source : read_sources(project_root())) {
    const auto name = std::filesystem::path(source.path).filename().string();
    EXPECT_TRUE(name != "nvml.h" && name != "cuda.h")
        << source.path << ": facts are kept (model/facts), headers are not";
  }
}

}  // namespace
