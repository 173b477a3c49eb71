// SPDX-License-Identifier: Apache-2.0
#include "command/play/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/nearest.hpp"
#include "command/play/reader.hpp"

namespace nvmlab::tool {

std::expected<Scenario, compiler::Problems> load_scenario(const std::string& name_or_file) {
  std::error_code failed;
  const bool is_file = name_or_file.contains('/') || name_or_file.ends_with(".yaml") ||
                       name_or_file.ends_with(".yml") || std::filesystem::exists(name_or_file, failed);
  if (is_file) return read_scenario_file(name_or_file);
  const auto shipped = shipped_scenarios();
  const auto found = std::ranges::find(shipped, name_or_file, &ShippedScenario::name);
  if (found != shipped.end()) return read_scenario(found->text, std::string(found->file));
  std::vector<std::string> names;
  for (const ShippedScenario& each : shipped)
    names.emplace_back(each.name);
  const std::string like = did_you_mean(similar(name_or_file, names));
  return std::unexpected(compiler::Problems{
      {.message =
           fmt::format("there is no scenario {}; {}{}`nvmlab play --list` lists those that are shipped; a file's "
                       "name has a slash or ends in .yaml",
                       in_quotes(name_or_file), like, like.empty() ? "" : " ")}});
}

}  // namespace nvmlab::tool
