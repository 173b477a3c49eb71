// SPDX-License-Identifier: Apache-2.0
#include "command/profile/summary.hpp"

#include <algorithm>
#include <vector>

#include "compiler/summary.hpp"

namespace nvmlab::tool {
namespace {

template <std::uint32_t N>
std::string known_text(const Text<N>& text) {
  return text.has_value() ? std::string(text.data, std::min(text.length, N - 1)) : "";
}

std::vector<std::string> names_of(const compiler::Machine& machine) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < machine.gpu_count(); ++i)
    names.push_back(known_text(machine.gpu(i).identity.name));
  return names;
}

}  // namespace

std::string boards_of(const compiler::Machine& machine) { return compiler::count_boards(names_of(machine)); }

std::string driver_of(const compiler::Machine& machine) { return known_text(machine.node().system.driver_version); }

std::string summary_of(const compiler::Machine& machine) {
  return compiler::summary(names_of(machine), driver_of(machine));
}

}  // namespace nvmlab::tool
