// SPDX-License-Identifier: Apache-2.0
// The numbers of fields (NVML_FI_*), which not all drivers agree on. Covered by
// tests/binding/field_values_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

// The newest header's ids proper: not their end mark, and not another name of one.
std::map<unsigned, std::string> field_names(const Inputs& inputs);

// The numbers that a name has had, each with the drivers that number it so (one bit for each of inputs.releases): those
// whose header has it, and those that knew it before their header did.
std::map<unsigned, std::uint64_t> field_numbers(const Inputs& inputs, const std::string& name);

}  // namespace nvmlab::codegen
