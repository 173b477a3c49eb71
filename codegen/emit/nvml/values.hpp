// SPDX-License-Identifier: Apache-2.0
// Emitter of the typed values in binding/nvmlab/nvml/generated/: enumerations and sets of flags with their names,
// structs, and their conversions from and to each C layout. Covered by tests/unit/codegen/binding_types_test.cpp and
// tests/binding/values_*_test.cpp, which use what it makes.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "codegen/binding/types.hpp"
#include "codegen/io/output.hpp"

namespace nvmlab::codegen {

std::expected<void, Error> emit_values(const Inputs& inputs, Output& output);

namespace values {

inline constexpr std::string_view kFolder = "binding/nvmlab/nvml/generated/";

// Where the binding's names stand, with the number of its ABI (binding/CMakeLists.txt), and those of its tests.
inline constexpr std::string_view kSpace = "nvml::inline v1";
inline constexpr std::string_view kTestSpace = "nvml";

// A header of the binding: licence line, where it comes from, `about`, includes, and the namespace around `body`.
std::string header_text(std::string_view about, std::string_view includes, std::string_view body,
                        std::string_view space = kSpace);
std::string source_text(std::string_view about, std::string_view includes, std::string_view body,
                        std::string_view space = kSpace);

// The topics that have a typed struct.
std::set<std::string> topics_of(const BindingTypes& types);

// Includes of the conversions of other topics' structs that structs of this one have in them.
std::string nested_conversions(const BindingTypes& types, const std::string& topic);

std::expected<void, Error> emit_enums(const BindingTypes& types, Output& output);
std::expected<void, Error> emit_structs(const BindingTypes& types, Output& output);
std::expected<void, Error> emit_conversions(const BindingTypes& types, Output& output);
std::expected<void, Error> emit_leaves(const BindingTypes& types, Output& output);
std::expected<void, Error> emit_reflection(const BindingTypes& types, Output& output);

// The function that visits the members of a struct.
std::string visit_of(std::string_view type, const std::vector<std::string>& members);

}  // namespace values
}  // namespace nvmlab::codegen
