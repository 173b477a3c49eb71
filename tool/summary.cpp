// SPDX-License-Identifier: Apache-2.0
#include "tool/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace nvmlab::tool {
namespace {

template <std::uint32_t N>
std::string known_text(const Text<N>& text, const char* otherwise) {
  return text.known() ? std::string(text.data, std::min(text.length, N - 1)) : otherwise;
}

}  // namespace

std::string boards_of(const workshop::Machine& machine) {
  std::vector<std::pair<std::string, unsigned>> boards;
  for (std::uint32_t i = 0; i < machine.gpu_count(); ++i) {
    const std::string name = known_text(machine.gpu(i).identity.name, "unnamed GPU");
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

std::string driver_of(const workshop::Machine& machine) { return known_text(machine.node().system.driver_version, ""); }

std::string summary_of(const workshop::Machine& machine) {
  const std::string driver = driver_of(machine);
  return boards_of(machine) + (driver.empty() ? "" : ", driver " + driver);
}

}  // namespace nvmlab::tool
