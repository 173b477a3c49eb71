// SPDX-License-Identifier: Apache-2.0
// Emitter of binding/nvmlab/abi/generated/: NVML's C declarations in namespace nvml::abi, from facts alone. One
// function per file, each in emit/abi/. What comes out must compile in a translation unit that included NVIDIA's nvml.h
// before, so no name that the header defines as a macro may appear. Covered by tests/unit/codegen/abi_emitter_test.cpp
// and tests/unit/codegen/abi/*.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/io/output.hpp"
#include "codegen/model/abi_names.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

std::expected<void, Error> emit_abi(const Inputs& inputs, Output& output);
std::expected<void, Error> emit_loader(const Inputs& inputs, Output& output);
std::expected<void, Error> emit_return_codes(const Inputs& inputs, Output& output);

namespace abi {

// The licence line, where the file comes from, `about`, #pragma once, includes, and the namespace around `body`.
std::string header_text(std::string_view about, std::string_view includes, std::string_view body);

// "char name[DEVICE_NAME_V2_BUFFER_SIZE]" without the semicolon. Extents are constants of `names` where it has them,
// else numbers.
std::string declarator(const Field& field, std::string_view type, const Release* names);

// The enum that has an enumerator; null if none has.
const Enum* enum_with(const Release& release, std::string_view enumerator);

std::string size_asserts(std::string_view name, const Record& record);

// The functions that functions.hpp has a type for: all that any release declared in types that there are still.
std::vector<std::string> function_types(const Inputs& inputs);

std::string types(const Inputs& inputs);
std::string enums(const Inputs& inputs);
Result<std::string> constants(const Inputs& inputs);
std::string field_ids(const Inputs& inputs);
std::string struct_versions(const Inputs& inputs);
std::string functions(const Inputs& inputs);
Result<std::string> historic(const Inputs& inputs);
Result<std::string> conversions(const Inputs& inputs);
std::string layout(const Inputs& inputs);

}  // namespace abi
}  // namespace nvmlab::codegen
