// SPDX-License-Identifier: Apache-2.0
// The model that emitters read: NVML's header data and the driver releases.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "codegen/error.hpp"
#include "codegen/model/driver_releases.hpp"
#include "codegen/model/drivers.hpp"
#include "codegen/model/registry.hpp"

namespace nvmlab::codegen {

struct Inputs {
  std::filesystem::path root;  // of the source tree
  Registry registry;
  Drivers drivers;
  Release newest;                                                   // view(registry)
  std::vector<DriverRelease> releases;                              // model/drivers.yaml
  std::map<std::string, std::uint64_t, std::less<>> presence = {};  // function to one bit for each of them
};

Result<Inputs> load_inputs(const std::filesystem::path& root);

// The functions of NVML's library as clients may ask for them: every function that any known header release declared,
// every nvml* symbol that a known driver exports. Sorted, without duplicates.
std::vector<std::string> all_function_names(const Registry& registry, const Drivers& drivers);

}  // namespace nvmlab::codegen
