// SPDX-License-Identifier: Apache-2.0
// Headers that lie on this machine.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>

#include "codegen/fetch/source.hpp"
#include "codegen/io/files.hpp"
#include "codegen/parser/header_parser.hpp"

namespace nvmlab::codegen {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_in(const fs::path& parent, std::string_view begins) {
  std::vector<fs::path> folders;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, code)) {
    if (entry.path().filename().string().starts_with(begins)) folders.push_back(entry.path());
  }
  std::ranges::sort(folders);
  return folders;
}

std::vector<fs::path> include_folders(const fs::path& prefix) {
  std::vector<fs::path> folders{prefix / "usr/include", prefix / "usr/local/include"};
  std::vector<fs::path> toolkits = folders_in(prefix / "usr/local", "cuda");
  for (const fs::path& toolkit : folders_in(prefix / "opt", "cuda"))
    toolkits.push_back(toolkit);
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') toolkits.emplace_back(value);
  }
  for (const fs::path& toolkit : toolkits) {
    folders.push_back(toolkit / "include");
    for (const fs::path& target : folders_in(toolkit / "targets", ""))
      folders.push_back(target / "include");
  }
  return folders;
}

// A toolkit is often reachable by several names; each file counts once.
std::vector<fs::path> headers(const fs::path& prefix) {
  std::vector<fs::path> found;
  std::set<fs::path> seen;
  for (const fs::path& folder : include_folders(prefix)) {
    std::error_code code;
    const fs::path header = folder / "nvml.h";
    if (fs::is_regular_file(header, code) && seen.insert(fs::canonical(header, code)).second) found.push_back(header);
  }
  return found;
}

}  // namespace

Source installed_source(const fs::path& prefix) {
  const auto list = [prefix](const std::string&) -> Result<std::vector<Offer>> {
    std::vector<Offer> offers;
    for (const fs::path& header : headers(prefix)) {
      const auto text = read_file(header);
      if (text) offers.push_back({stated_version(*text), header.string(), header.string(), {}});
    }
    return offers;
  };
  return {"installed", "headers on this machine: the system's include folder, CUDA toolkits", list,
          [](const Offer& offer) { return read_file(offer.key); }};
}

}  // namespace nvmlab::codegen
