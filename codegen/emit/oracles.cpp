// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/oracles.hpp"

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "codegen/io/files.hpp"

namespace nvmlab::codegen {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    parts.push_back(part);
  return parts;
}

// The rows of a table, without its comments.
Result<std::vector<std::vector<std::string>>> rows(const std::filesystem::path& file, std::size_t columns) {
  auto text = read_file(file);
  if (!text) return std::unexpected(text.error());
  std::vector<std::vector<std::string>> table;
  std::size_t number = 0;
  for (const std::string& line : split(*text, '\n')) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    table.push_back(split(line, '\t'));
    if (table.back().size() != columns)
      return fail_at(file.string(), number, 1, fmt::format("{} columns, {} expected", table.back().size(), columns));
  }
  return table;
}

// "535.261.03..555.58.02" -> "535", "555"
std::pair<std::string, std::string> branches(const std::string& drivers) {
  const auto dots = drivers.find("..");
  const std::string last = dots == std::string::npos ? drivers : drivers.substr(dots + 2);
  return {drivers.substr(0, drivers.find('.')), last.substr(0, last.find('.'))};
}

// "nvidia-smi-470 nvidia-smi-535 nvtop" -> "nvidia-smi 470 535, nvtop"
std::string programs(const std::string& clients) {
  std::string text;
  std::string last;
  for (const std::string& client : split(clients, ' ')) {
    const auto dash = client.find_last_of('-');
    const bool numbered =
        dash != std::string::npos && client.find_first_not_of("0123456789", dash + 1) == std::string::npos;
    const std::string program = numbered ? client.substr(0, dash) : client;
    if (program != last) text += (text.empty() ? "" : ", ") + program;
    if (numbered) text += " " + client.substr(dash + 1);
    last = program;
  }
  return text;
}

}  // namespace

std::string Oracle::text() const {
  std::string all = clients;
  if (!no_driver.empty()) all += (all.empty() ? "library " : "; library ") + no_driver;
  return all;
}

Result<std::map<std::string, Oracle>> load_oracles(const std::filesystem::path& folder) {
  std::map<std::string, Oracle> oracles;
  auto measured = rows(folder / "no_driver.tsv", 6);
  if (!measured) return std::unexpected(measured.error());
  std::map<std::string, std::pair<std::string, std::string>> spans;
  for (const auto& row : *measured) {
    if (row[3] == "not called") continue;
    const auto [first, last] = branches(row[5]);
    auto [span, added] = spans.try_emplace(row[0], first, last);
    span->second.first = std::min(span->second.first, first);
    span->second.second = std::max(span->second.second, last);
  }
  for (const auto& [function, span] : spans)
    oracles[function].no_driver = span.first == span.second ? span.first : span.first + " to " + span.second;
  auto called = rows(folder / "clients.tsv", 2);
  if (!called) return std::unexpected(called.error());
  for (const auto& row : *called)
    oracles[row[0]].clients = programs(row[1]);
  return oracles;
}

Result<std::map<std::string, std::size_t>> load_tested_clients(const std::filesystem::path& folder) {
  auto called = rows(folder / "clients.tsv", 2);
  if (!called) return std::unexpected(called.error());
  std::map<std::string, std::size_t> clients;
  for (const auto& row : *called) {
    for (const std::string& client : split(row[1], ' '))
      ++clients[client];
  }
  return clients;
}

}  // namespace nvmlab::codegen
