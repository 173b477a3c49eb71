// SPDX-License-Identifier: Apache-2.0
//
// From a configuration to a machine in memory: the shared store that is up, or a private one built from a machine file,
// from the profile embedded in the library, or from YAML by the compiler library, which is loaded for that alone.
// Tests: tests/drivers/functions/environment_test.cpp.
#pragma once

#include "drivers/nvml/config.hpp"
#include "engine/store/store_file.hpp"
#include "nvmlab/abi/abi.hpp"

namespace nvmlab::driver {

// Logs what is wrong and how to mend it. The code is what nvmlInit answers.
nvml::abi::nvmlReturn_t open_machine(const Config& config, AttachedStore* out);

}  // namespace nvmlab::driver
