// SPDX-License-Identifier: Apache-2.0
//
// What the environment asks for. docs/guide/environment.md is the user's view; the variables of NVIDIA's Go mock are
// taken where ours are not set. Read once per first nvmlInit. Tests: tests/drivers/functions/environment_test.cpp.
#pragma once

#include <cstdint>

#include "drivers/nvml/process.hpp"

namespace nvmlab::driver {

struct Config {
  const char* machine = nullptr;                   // NVMLAB_MACHINE: a shared machine, by name or path
  bool machine_of_library = false;                 // this copy of the library simulates that one (library_machine.h)
  const char* runtime_dir = nullptr;               // NVMLAB_RUNTIME_DIR
  const char* profile = nullptr;                   // NVMLAB_PROFILE: a shipped profile, a .machine file or a YAML file
  const char* mock_config = nullptr;               // MOCK_NVML_CONFIG: a YAML file of NVIDIA's Go mock
  const char* mock_overrides = nullptr;            // MOCK_NVML_OVERRIDES: what changes that machine while it is up
  std::uint64_t overrides_ttl_ns = 1'000'000'000;  // MOCK_NVML_OVERRIDES_TTL: how long it need not be looked at
  const char* driver = nullptr;                    // NVMLAB_DRIVER, MOCK_NVML_DRIVER_VERSION
  const char* log = nullptr;                       // NVMLAB_LOG; MOCK_NVML_DEBUG means trace
  bool strict = false;                             // MOCK_NVML_STRICT: a call that is not simulated ends the process
  Role role = Role::actual;                        // NVMLAB_ROLE: whom the process stands for
  std::int64_t gpus = -1;                          // NVMLAB_GPUS, MOCK_NVML_NUM_DEVICES; -1: as the profile says
  int init_error = 0;  // NVMLAB_INIT_ERROR: nvmlInit answers this, as if the driver refused; 0: it does not
  bool good = true;    // false: a variable makes no sense, which has been logged
};

Config read_config();

// Tells two configurations apart, so that a process that changes its environment between two uses gets the new machine.
std::uint64_t fingerprint(const Config& config);

}  // namespace nvmlab::driver
