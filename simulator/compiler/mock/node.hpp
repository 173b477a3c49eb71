// SPDX-License-Identifier: Apache-2.0
//
// The blocks of a Go mock configuration that are not a device's: nvlink and pcie_topology. Internal to mock_config.
// Tests: mock_config_test.cpp.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "compiler/layers.hpp"

namespace nvmlab::compiler {

void apply_mock_nvlink(const yaml::Node& block, std::vector<GpuDraft>& gpus, Problems& problems, Problems& notes,
                       std::set<std::string>& unheeded);
void apply_mock_topology(const yaml::Node& block, std::vector<GpuDraft>& gpus, Problems& problems, Problems& notes);

}  // namespace nvmlab::compiler
