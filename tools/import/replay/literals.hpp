// SPDX-License-Identifier: Apache-2.0
//
// Outputs of a recording as values for the state: numbers, texts, records.
#pragma once

#include <optional>
#include <string_view>

#include "compiler/literal.hpp"
#include "import/replay/call_index.hpp"
#include "import/replay/rows.hpp"

namespace nvmlab::importer::replay {

using compiler::Literal;

// One item of a list of records, by its members.
using Record = compiler::LiteralRecord;

// Whether a return code says something of the board, and not of who asked or how.
bool of_the_board(std::string_view code);

// A number, also a negative one; a text, also as bytes that spell one. None where it is none.
std::optional<Literal> number_literal(const Json* value);
std::optional<Literal> text_literal(const Json* value);
// What the output says of the field; none where it cannot be a value of it.
std::optional<Literal> literal_for(const Field& field, const Json& output, As as, std::uint32_t per = 1);

// Puts an output of the call into a record, or the code in its place. A value counts for more than a code, and what is
// there stays.
void put(Record& record, std::string_view member, const Call* call, std::string_view output);
void put(Record& record, const Field& member, const Call& call, std::string_view output, As as);
// Likewise of an item in a list of the call's outputs, where it has that column.
void put_column(Record& record, std::string_view member, const Json& item, std::string_view column);
void put_text(Record& record, std::string_view member, const Call* call, std::string_view output);

// A member's number.
std::optional<std::uint64_t> number_of(const Record& record, std::string_view member);

}  // namespace nvmlab::importer::replay
