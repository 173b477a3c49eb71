// SPDX-License-Identifier: Apache-2.0
// The processes that have a machine open. Tests: tests/command/status_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nvmlab {

class Machine;

namespace control {

struct Client {
  std::uint32_t pid;
  std::string name;
};

// Returns the clients whose memory maps this user may read, except the calling process, in the order of their PIDs.
std::vector<Client> clients_of(const Machine& machine);

}  // namespace control
}  // namespace nvmlab
