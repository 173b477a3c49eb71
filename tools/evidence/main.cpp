// SPDX-License-Identifier: Apache-2.0
//
// profile-evidence ROOT [--check]: writes tools/evidence/evidence.tsv and docs/reference/profiles.md below ROOT. With
// --check it writes nothing and exits with 1 when a file is not current. What profiles agree with is measured where the
// captures are (NVMLAB_CAPTURES names their folder) and taken from the table where they are not.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "evidence/load_captures.hpp"
#include "evidence/page.hpp"

namespace {

using namespace nvmlab::evidence;

std::string text_at(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int complain(const std::string& message) {
  fmt::print(stderr, "profile-evidence: {}\n", message);
  return 1;
}

// False when the file is not what it should be and nothing may be written.
bool keep(const std::filesystem::path& path, const std::string& text, bool check) {
  if (text_at(path) == text) return true;
  if (check) {
    fmt::print(stderr, "profile-evidence: {} is not current; run `make profiles`\n", path.string());
    return false;
  }
  std::ofstream(path, std::ios::binary) << text;
  fmt::print("profile-evidence: {} is written\n", path.string());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string(argv[2]) == "--check";
  if (argc != 2 && !check) return complain("usage: profile-evidence ROOT [--check]");
  const std::filesystem::path root = argv[1];
  const char* const named = std::getenv("NVMLAB_CAPTURES");
  const auto profiles = shipped_profiles();
  if (!profiles) return complain(profiles.error());

  Measured measured;
  if (named != nullptr && *named != '\0') {
    const std::filesystem::path captures = named;
    if (!std::filesystem::is_directory(captures))
      return complain("NVMLAB_CAPTURES: " + captures.string() + " is no folder");
    for (const Profile& profile : *profiles) {
      if (profile.main_capture.empty()) continue;
      auto agreement = agreement_of(profile, captures);
      if (!agreement) return complain(agreement.error());
      measured[profile.name] = std::move(*agreement);
    }
  } else {
    auto table = read_table(text_at(root / "tools/evidence/evidence.tsv"));
    if (!table) return complain("tools/evidence/evidence.tsv:" + table.error());
    measured = std::move(*table);
  }
  std::vector<std::string> boards;
  for (const Profile& profile : *profiles) {
    if (!profile.machine) boards.push_back(profile.name);
  }
  const auto load = load_page(boards);
  if (!load) return complain(load.error());
  const bool table = keep(root / "tools/evidence/evidence.tsv", table_of(measured), check);
  const bool page = keep(root / "docs" / "reference" / "profiles.md", page_of(*profiles, measured, *load), check);
  return table && page ? 0 : 1;
}
