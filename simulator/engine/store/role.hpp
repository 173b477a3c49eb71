// SPDX-License-Identifier: Apache-2.0
//
// Whom a process stands for where NVML asks for root, whoever runs it (NVMLAB_ROLE). Beside root and user there are
// those whom an administrator gave a capability of MIG, by the files of /proc/driver/nvidia/capabilities/mig: `config`
// lets them change layouts, `monitor` lets them look at all instances. Tests: tests/unit/machine/role_test.cpp,
// tests/drivers/functions/mig_capabilities_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

// One bit for each of what a process may; a user has none.
enum class Role : std::uint32_t { actual = 0, user = 1, mig_config = 1 | 2, mig_monitor = 1 | 4, root = 1 | 2 | 4 | 8 };

inline constexpr const char* kExpectedRole = "root, user, mig-config, mig-monitor or mig-config,mig-monitor";

// False where the text is none of the words, nor capabilities with a comma between them.
bool find_role(const char* text, Role* role);

// Whether somebody in a role may what another role is there for.
constexpr bool covers(Role role, Role wanted) {
  const auto all = static_cast<std::uint32_t>(wanted);
  return (static_cast<std::uint32_t>(role) & all) == all;
}

}  // namespace nvmlab
