// SPDX-License-Identifier: Apache-2.0
#include "command/cli/driver_branches.hpp"

#include <fmt/format.h>

namespace nvmlab::tool {

std::vector<const DriverRelease*> driver_branches() {
  std::vector<const DriverRelease*> branches;
  for (std::uint32_t row = 0; row < driver_release_count(); ++row) {
    const DriverRelease& release = driver_release(row);
    if (release.release[0] == '\0') continue;
    // A branch that changed on its way has several rows; its number means the newest.
    if (!branches.empty() && branches.back()->major == release.major) branches.pop_back();
    branches.push_back(&release);
  }
  return branches;
}

std::string driver_branch_names() {
  std::string names;
  for (const DriverRelease* branch : driver_branches())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", branch->major);
  return names;
}

}  // namespace nvmlab::tool
