// SPDX-License-Identifier: Apache-2.0
//
// Checked values into the bytes of a field. What a profile says (values.cpp) and what a program says (literal.cpp) pass
// the same checks here; an error names the field and what it takes. Tests: tests/unit/compiler/values_test.cpp,
// tests/unit/import/observation_test.cpp.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "compiler/numbers.hpp"
#include "engine/state/field.hpp"

namespace nvmlab::compiler {

// `spelled` is how the number was written, for the message.
std::expected<void, std::string> check_range(const Number& number, std::string_view spelled, const Field& field,
                                             std::string_view name);

// The bare number, without a return code; also for an item of a list.
void put_number(const Number& number, FieldType type, std::byte* at);

void store_number(const Number& number, const Field& field, std::byte* at);
std::expected<void, std::string> store_text(std::string_view text, const Field& field, std::string_view name,
                                            std::byte* at);
// Hexadecimal digits, with dashes anywhere.
std::expected<void, std::string> store_hex(std::string_view digits, const Field& field, std::string_view name,
                                           std::byte* at);

}  // namespace nvmlab::compiler
