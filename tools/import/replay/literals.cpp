// SPDX-License-Identifier: Apache-2.0
#include "import/replay/literals.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "compiler/return_codes.hpp"
#include "compiler/texts.hpp"

namespace nvmlab::importer::replay {
namespace {

// Bytes that spell a text, up to the first NUL.
std::string spelled(const Json* hex) {
  std::string text;
  for (const unsigned byte : bytes_of(hex)) {
    if (byte == 0) break;
    text += static_cast<char>(byte);
  }
  return text;
}

std::optional<Literal> sound_text(std::string text) {
  if (compiler::text_flaw(text) != nullptr) return std::nullopt;
  return Literal(std::move(text));
}

bool all_ones(std::uint64_t value) { return value == ~std::uint64_t{0} || value == 0xFFFFFFFF; }

// Whether the code of a refused call is the member's: these two say that the question was wrong.
bool speaks_of_member(const Call& call) {
  return of_the_board(call.code) && call.code != "NOT_SUPPORTED" && call.code != "INVALID_ARGUMENT";
}

void put_literal(Record& record, std::string_view member, std::optional<Literal> value) {
  if (!value) return;
  const auto known = record.find(member);
  if (known == record.end()) {
    record.emplace(member, std::move(*value));
  } else if (known->second.is_error() && !value->is_error()) {
    known->second = std::move(*value);
  }
}

void put_code(Record& record, std::string_view member, const Call& call) {
  const auto code = compiler::find_return_code(call.code);
  if (speaks_of_member(call) && code) put_literal(record, member, Literal(compiler::ErrorCode{*code}));
}

}  // namespace

bool of_the_board(std::string_view code) {
  // About the caller, the library or the call.
  constexpr std::array<std::string_view, 12> others{
      "SUCCESS",           "FUNCTION_NOT_FOUND",      "ARGUMENT_VERSION_MISMATCH",
      "UNINITIALIZED",     "INSUFFICIENT_SIZE",       "DRIVER_NOT_LOADED",
      "LIBRARY_NOT_FOUND", "LIB_RM_VERSION_MISMATCH", "MEMORY",
      "TIMEOUT",           "ALREADY_INITIALIZED",     "INSUFFICIENT_RESOURCES"};
  return std::ranges::find(others, code) == others.end();
}

std::optional<Literal> number_literal(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_number_integer() && !value->is_number_unsigned()) return Literal(value->get<std::int64_t>());
  const auto whole = number(value);
  return whole ? std::optional<Literal>(*whole) : std::nullopt;
}

std::optional<Literal> text_literal(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return sound_text(value->get<std::string>());
  const Json* hex = member(*value, "hex");
  return hex != nullptr && hex->is_string() ? sound_text(spelled(hex)) : std::nullopt;
}

std::optional<Literal> literal_for(const Field& field, const Json& output, As as, std::uint32_t per) {
  if (field.type == FieldType::bytes && output.is_string()) return Literal(output.get<std::string>());
  if (field.type == FieldType::text && as == As::text) return sound_text(spelled(&output));
  if (field.type == FieldType::text || field.type == FieldType::bytes) return text_literal(&output);
  const auto whole = number(&output);
  if (as == As::positive && whole == 0) return Literal();
  if (as == As::or_unknown && whole && all_ones(*whole)) return std::nullopt;
  if (as == As::bit) return Literal(whole.value_or(0) & 1);
  return whole && per != 1 ? Literal(*whole / per) : number_literal(&output);
}

void put(Record& record, std::string_view name, const Call* call, std::string_view output) {
  if (call == nullptr) return;
  if (!call->succeeded()) return put_code(record, name, *call);
  put_literal(record, name, number_literal(member(call->out, output)));
}

void put(Record& record, const Field& field, const Call& call, std::string_view output, As as) {
  if (call.succeeded()) {
    const Json* value = member(call.out, output);
    if (value != nullptr) put_literal(record, field.name, literal_for(field, *value, as));
  } else if (as == As::same) {  // the others have a number for what is not there
    put_code(record, field.name, call);
  }
}

void put_column(Record& record, std::string_view name, const Json& item, std::string_view column) {
  put_literal(record, name, number_literal(member(item, column)));
}

void put_text(Record& record, std::string_view name, const Call* call, std::string_view output) {
  if (call != nullptr && call->succeeded()) put_literal(record, name, text_literal(member(call->out, output)));
}

std::optional<std::uint64_t> number_of(const Record& record, std::string_view name) {
  const auto found = record.find(name);
  if (found == record.end()) return std::nullopt;
  const auto* value = found->second.get_if<compiler::Number>();
  return value == nullptr || value->negative ? std::nullopt : std::optional(value->magnitude);
}

}  // namespace nvmlab::importer::replay
