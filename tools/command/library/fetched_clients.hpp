// SPDX-License-Identifier: Apache-2.0
// Programs that scripts/fetch-clients fetched for the tests and the demo: below build/clients of the build that nvmlab
// belongs to, or where NVMLAB_CLIENTS_DIR says. Tests: tests/command/run_test.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace nvmlab::tool {

// Several releases of one program may be there (nvidia-smi-535, nvidia-smi-550): the newest that is not newer than the
// driver, else the oldest. Empty where there is none.
std::string find_fetched_client(const std::string& name, std::uint32_t driver_branch);

}  // namespace nvmlab::tool
