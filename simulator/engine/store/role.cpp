// SPDX-License-Identifier: Apache-2.0
#include "engine/store/role.hpp"

#include <cstring>

namespace nvmlab {
namespace {

struct Capability {
  const char* word;
  Role role;
};
constexpr Capability kCapabilities[] = {{"mig-config", Role::mig_config}, {"mig-monitor", Role::mig_monitor}};

const Capability* find_capability(const char* text, std::size_t length) {
  for (const Capability& each : kCapabilities) {
    if (std::strlen(each.word) == length && std::memcmp(text, each.word, length) == 0) return &each;
  }
  return nullptr;
}

}  // namespace

bool find_role(const char* text, Role* role) {
  if (std::strcmp(text, "root") == 0) {
    *role = Role::root;
    return true;
  }
  if (std::strcmp(text, "user") == 0) {
    *role = Role::user;
    return true;
  }
  auto held = static_cast<std::uint32_t>(Role::user);
  for (;; ++text) {
    std::size_t length = 0;
    while (text[length] != '\0' && text[length] != ',')
      ++length;
    const Capability* const found = find_capability(text, length);
    if (found == nullptr) return false;
    held |= static_cast<std::uint32_t>(found->role);
    text += length;
    if (*text == '\0') break;
  }
  *role = static_cast<Role>(held);
  return true;
}

}  // namespace nvmlab
