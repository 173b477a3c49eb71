// SPDX-License-Identifier: Apache-2.0
#include "compiler/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nvmlab::compiler {

std::string count_boards(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, unsigned>> boards;
  for (const std::string& each : names) {
    const std::string name = each.empty() ? "unnamed GPU" : each;
    const auto found = std::ranges::find(boards, name, &std::pair<std::string, unsigned>::first);
    if (found == boards.end()) {
      boards.emplace_back(name, 1);
    } else {
      ++found->second;
    }
  }
  std::string out;
  for (const auto& [name, count] : boards)
    out += fmt::format("{}{} x {}", out.empty() ? "" : " + ", count, name);
  return out.empty() ? "no GPU" : out;
}

std::string summary(const std::vector<std::string>& names, const std::string& driver) {
  return count_boards(names) + (driver.empty() ? "" : ", driver " + driver);
}

}  // namespace nvmlab::compiler
