// SPDX-License-Identifier: Apache-2.0
//
// The simulated driver as a library that the binding opens, and child processes for what must not happen in ours.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "nvmlab/nvml/library.hpp"

namespace nvmlab::binding_test {

// The library with every function, as it was built.
std::filesystem::path simulated_library();

// Those with the exports of one driver each: lib/drivers/340/libnvidia-ml.so.1, ... as far as they are built.
std::vector<std::filesystem::path> libraries_of_drivers();

nvml::Library open_simulated();

// One call through the table.
nvml::Result<unsigned> gpus(const nvml::Library& library);

// Runs `body` in a fork of this process, without its exit handlers, and says how that ended: "exit 0", "signal 6",
// "too slow".
std::string in_child(const std::function<int()>& body);

constexpr auto code(nvml::abi::nvmlReturn_t value) { return static_cast<nvml::Return>(value); }

}  // namespace nvmlab::binding_test
