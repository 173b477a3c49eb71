// SPDX-License-Identifier: Apache-2.0
#include "import/replay/context.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/paths.hpp"
#include "compiler/return_codes.hpp"
#include "compiler/texts.hpp"

namespace nvmlab::importer::replay {
namespace {

// What a board is and how it is set is the same in every call; what it measures moves between two.
bool lasts(std::string_view field) {
  const auto ref = compiler::find_field(field);
  return ref && (ref->field->kind == FieldKind::fixed || ref->field->kind == FieldKind::setting);
}

FieldType type_of(std::string_view field) {
  const auto ref = compiler::find_field(field);
  return ref ? ref->field->type : FieldType::u32;
}

// Bytes that spell a text, up to the first NUL.
std::string spelled(const Json* hex) {
  std::string text;
  for (const unsigned byte : bytes_of(hex)) {
    if (byte == 0) break;
    text += static_cast<char>(byte);
  }
  return text;
}

std::string spelled_yaml(const Json& hex) {
  const auto text = spelled(&hex);
  return compiler::text_flaw(text) == nullptr ? compiler::yaml_scalar(text) : std::string();
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

std::string yaml_of(const Json* value) {
  if (value == nullptr) return {};
  if (value->is_number_integer() && !value->is_number_unsigned()) return std::to_string(value->get<std::int64_t>());
  const auto whole = number(value);
  return whole ? std::to_string(*whole) : std::string();
}

std::string text_yaml(const Json* value) {
  if (value == nullptr) return {};
  std::string text;
  if (value->is_string()) {
    text = value->get<std::string>();
  } else if (const Json* hex = member(*value, "hex"); hex != nullptr && hex->is_string()) {
    text = spelled(hex);
  } else {
    return {};
  }
  return compiler::text_flaw(text) == nullptr ? compiler::yaml_scalar(text) : std::string();
}

std::string place_on_bus(const Call& call) {
  const auto domain = number(call, "pci.domain");
  const auto bus = number(call, "pci.bus");
  const auto device = number(call, "pci.device");
  return domain && bus && device ? fmt::format("{:08X}:{:02X}:{:02X}.0", *domain, *bus, *device) : std::string();
}

void put(Record& record, std::string_view name, const Call* call, std::string_view output) {
  if (call == nullptr || record.contains(name)) return;
  if (call->succeeded()) {
    const std::string yaml = yaml_of(member(call->out, output));
    if (!yaml.empty()) record.emplace(name, yaml);
  } else if (of_the_board(call->code) && call->code != "NOT_SUPPORTED" && call->code != "INVALID_ARGUMENT") {
    record.emplace(name, fmt::format("{{answer: {}}}", call->code));
  }
}

void Context::note(const Call& call, const std::string& text) const {
  evidence_.notes.push_back(fmt::format("{}:{}: {}", *file_, call.line, text));
}

void Context::state(std::string_view field, std::expected<FieldValue, compiler::Problems> value,
                    const Call& call) const {
  // What is wrong with one value of many is no reason to refuse the recording.
  if (!value) return note(call, fmt::format("{}: {}; left out", call.function, value.error().back().message));
  const Observation* known = subject_.find(field);
  if (known != nullptr && known->origin.source == source_ && known->value.has_value() && value->has_value() &&
      known->value != *value && lasts(field)) {
    note(call, fmt::format("{} says that {} of {} is {}, but line {} says {}; the first one stands", call.function,
                           field, subject_.who, value->yaml(), known->origin.place.line, known->value.yaml()));
  }
  evidence_.observe(subject_, field, std::move(*value), {source_, {file_, call.line, 1}});
}

void Context::tell(std::string_view field, const std::string& yaml, const Call& call) const {
  auto value = yaml::parse(yaml, *file_);
  if (!value) return note(call, fmt::format("{}: {}; left out", call.function, value.error().message));
  state(field, checked_value(field, *value), call);
}

void Context::tell_weakly(std::string_view field, std::uint64_t number, const Call& call) const {
  const Origin origin{source_, {file_, call.line, 1}};
  if (auto value = checked_value(field, number, origin.place))
    subject_.fallbacks.emplace(std::string(field), Observation{std::move(*value), origin});
}

void Context::tell(const OutputRow& row, const Json& output, const Call& call) const {
  const yaml::Place place{file_, call.line, 1};
  const auto type = type_of(row.field);
  if (type == FieldType::text || type == FieldType::bytes) {
    if (type == FieldType::bytes && output.is_string())
      return state(row.field, checked_value(row.field, output.get<std::string>(), place), call);
    const std::string text = row.as == As::text ? spelled_yaml(output) : text_yaml(&output);
    if (text.empty()) return note(call, fmt::format("{}: {} is no text; left out", call.function, row.output));
    return tell(row.field, text, call);
  }
  std::string yaml = yaml_of(&output);
  if (yaml.empty()) {
    return note(call, fmt::format("{}: {} is {}, which is no number; left out", call.function, row.output,
                                  in_quotes(output.dump(-1, ' ', true, Json::error_handler_t::replace))));
  }
  if (const auto whole = number(&output); whole && row.per != 1) yaml = std::to_string(*whole / row.per);
  if (row.as == As::positive && yaml == "0") yaml = "null";
  if (row.as == As::or_zero && yaml == "0" && told(row.field)) return;  // it adds nothing to what is known
  if (row.as == As::bit) yaml = std::to_string(number(&output).value_or(0) & 1);
  tell(row.field, yaml, call);
}

void Context::refuse(std::string_view field, const Call& call) const {
  if (!of_the_board(call.code)) return;
  const auto code = compiler::find_return_code(call.code);
  if (!code) return note(call, fmt::format("{}: {}; left out", call.function, code.error()));
  state(field, checked_value(field, compiler::ErrorCode{*code}, {file_, call.line, 1}), call);
}

void Context::tell(std::string_view list, const Records& records, std::uint64_t count, const Call& call) const {
  const auto ref = compiler::find_field(list);
  if (!ref) return;
  if (count > ref->field->capacity) {
    note(call, fmt::format("{} items of {}, and {} are kept", count, list, ref->field->capacity));
    count = ref->field->capacity;
  }
  std::string yaml = "[";
  for (std::uint64_t i = 0; i < count; ++i) {
    yaml += i == 0 ? "{" : ", {";
    const auto found = records.find(i);
    if (found != records.end()) {
      bool first = true;
      for (const auto& [name, value] : found->second) {
        yaml += fmt::format("{}{}: {}", first ? "" : ", ", name, value);
        first = false;
      }
    }
    yaml += "}";
  }
  tell(list, yaml + "]", call);
}

}  // namespace nvmlab::importer::replay
