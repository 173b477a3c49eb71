// SPDX-License-Identifier: Apache-2.0
//
// What newer drivers refuse as deprecated, they refuse on every board (model/drivers.yaml). So where a profile was
// captured on such a driver and says {answer: DEPRECATED}, that tells nothing of the board: the value that it inherits
// stands, and an older driver that is played on the board answers it. Tests:
// tests/unit/compiler/deprecations_test.cpp.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/yaml/tree.hpp"
#include "compiler/layers.hpp"

namespace nvmlab::compiler {

inline constexpr std::uint32_t kDeprecatedCode = 26;

// {answer: DEPRECATED}, whatever else stands there.
bool answers_deprecated(const yaml::Node& value);

// Returns true for a field that some driver deprecates.
bool can_be_deprecated(std::string_view field);

// {answer: DEPRECATED} of such a field.
bool is_deprecation(const yaml::Node& value, std::string_view field);

// A capture may show a field deprecated on a driver that is not known to do so: then what it says counts.
void keep_unexplained_deprecations(const Text<80>& driver, GpuDraft& gpu);

// Where that driver refuses a field and no capture of the board says so, the refusal is derived.
void mark_deprecated(const Text<80>& driver, GpuDraft& gpu);

}  // namespace nvmlab::compiler
