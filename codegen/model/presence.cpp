// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/presence.hpp"

#include <fmt/format.h>

#include <bit>

#include "codegen/model/version.hpp"

namespace nvmlab::codegen {

std::map<std::string, std::uint64_t, std::less<>> presence_of_all(const Inputs& inputs) {
  std::map<std::string, std::uint64_t, std::less<>> table;
  for (std::size_t row = 0; row < inputs.releases.size(); ++row) {
    for (const std::string& name : exports_of(inputs.releases, row, inputs.registry, inputs.drivers))
      table[name] |= std::uint64_t{1} << row;
  }
  return table;
}

std::uint64_t presence(const Inputs& inputs, const std::string& function) {
  const auto at = inputs.presence.find(function);
  return at == inputs.presence.end() ? 0 : at->second;
}

std::string first_driver(const Inputs& inputs, const std::string& function) {
  const std::uint64_t rows = presence(inputs, function);
  return rows == 0 || (rows & 1) != 0 ? "" : inputs.releases[static_cast<std::size_t>(std::countr_zero(rows))].from;
}

std::string first_branch(const Inputs& inputs, const std::string& function) {
  const std::string from = first_driver(inputs, function);
  return from.substr(0, from.find('.'));
}

std::size_t driver_row(const std::vector<DriverRelease>& releases, std::string_view version) {
  std::size_t row = 0;
  while (row + 1 < releases.size() && compare_versions(releases[row + 1].from, version) <= 0)
    ++row;
  return row;
}

std::string presence_text(const Inputs& inputs, std::uint64_t presence) {
  std::string text;
  const std::size_t count = inputs.releases.size();
  for (std::size_t row = 0; row < count; ++row) {
    const auto has = [&](std::size_t at) { return at < count && (presence >> at & 1) != 0; };
    if (!has(row)) continue;
    const std::size_t first = row;
    while (has(row + 1))
      ++row;
    text += text.empty() ? "" : ", ";
    text += inputs.releases[first].from;
    if (row + 1 == count) {
      text += " on";
    } else if (row > first) {
      text += " to " + inputs.releases[row].from;
    }
  }
  return text.empty() ? "none" : text;
}

}  // namespace nvmlab::codegen
