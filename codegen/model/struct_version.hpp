// SPDX-License-Identifier: Apache-2.0
// The version words of NVML's versioned structs: sizeof(struct) | number << 24, as the macro NVML_STRUCT_VERSION(X, N)
// builds them. Covered by tests/unit/codegen/facts_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "codegen/model/facts.hpp"

namespace nvmlab::codegen {

struct StructVersion {
  std::string record;  // nvmlMemory_v2_t
  std::uint32_t number = 0;

  std::uint32_t word(std::uint64_t size) const { return static_cast<std::uint32_t>(size) | number << 24U; }
};

// What a macro of kind struct_version stands for; nothing for other macros.
std::optional<StructVersion> struct_version_of(const Macro& macro);

}  // namespace nvmlab::codegen
