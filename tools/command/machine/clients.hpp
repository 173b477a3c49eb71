// SPDX-License-Identifier: Apache-2.0
// Which processes have a machine open. Tests: tests/command/status_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/store/lock.hpp"

namespace nvmlab::tool {

struct Client {
  std::uint32_t pid;
  std::string name;
};

// Those whose memory this user may look at, but this one; by pid.
std::vector<Client> clients_of(const StoreFile& file);

}  // namespace nvmlab::tool
