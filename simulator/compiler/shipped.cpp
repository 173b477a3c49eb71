// SPDX-License-Identifier: Apache-2.0
#include "compiler/shipped.hpp"

namespace nvmlab::compiler {

const ShippedProfile* find_shipped(std::string_view name) {
  for (const ShippedProfile& profile : shipped_profiles()) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const ShippedProfile& profile : shipped_profiles())
    names.emplace_back(profile.name);
  return names;
}

}  // namespace nvmlab::compiler
