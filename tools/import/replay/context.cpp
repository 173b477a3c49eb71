// SPDX-License-Identifier: Apache-2.0
#include "import/replay/context.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/paths.hpp"
#include "compiler/return_codes.hpp"

namespace nvmlab::importer::replay {
namespace {

// What a board is and how it is set is the same in every call; what it measures moves between two.
bool is_steady_field(std::string_view field) {
  const auto ref = compiler::find_field(field);
  return ref && (ref->field->kind == FieldKind::fixed || ref->field->kind == FieldKind::setting);
}

}  // namespace

std::string place_on_bus(const Call& call) {
  const auto domain = number(call, "pci.domain");
  const auto bus = number(call, "pci.bus");
  const auto device = number(call, "pci.device");
  return domain && bus && device ? fmt::format("{:08X}:{:02X}:{:02X}.0", *domain, *bus, *device) : std::string();
}

void Context::note(const Call& call, const std::string& text) const {
  evidence_.notes.push_back(fmt::format("{}:{}: {}", *file_, call.line, text));
}

void Context::keep(std::string_view field, std::expected<FieldValue, compiler::Problems> value,
                   const Call& call) const {
  // What is wrong with one value of many is no reason to refuse the recording.
  if (!value) return note(call, fmt::format("{}: {}; left out", call.function, value.error().back().message));
  const Observation* known = subject_.find(field);
  if (known != nullptr && known->origin.source == source_ && known->value.has_value() && value->has_value() &&
      known->value != *value && is_steady_field(field)) {
    note(call, fmt::format("{} says that {} of {} is {}, but line {} says {}; the first one stands", call.function,
                           field, subject_.who, value->yaml(), known->origin.place.line, known->value.yaml()));
  }
  evidence_.observe(subject_, field, std::move(*value), {source_, {file_, call.line, 1}});
}

void Context::set(std::string_view field, const Literal& value, const Call& call) const {
  keep(field, checked_value(field, value, {file_, call.line, 1}), call);
}

void Context::set_number(std::string_view field, const Call& call, std::string_view output) const {
  if (const auto value = number_literal(member(call.out, output))) set(field, *value, call);
}

void Context::set_fallback(std::string_view field, std::uint64_t number, const Call& call) const {
  const Origin origin{source_, {file_, call.line, 1}};
  if (auto value = checked_value(field, number, origin.place))
    subject_.fallbacks.emplace(std::string(field), Observation{std::move(*value), origin});
}

void Context::set(const OutputRow& row, const Json& output, const Call& call) const {
  const auto ref = compiler::find_field(row.field);
  if (!ref) return;
  const auto literal = literal_for(*ref->field, output, row.as, row.per);
  if (!literal) {
    const bool text = ref->field->type == FieldType::text || ref->field->type == FieldType::bytes;
    return note(call, text ? fmt::format("{}: {} is no text; left out", call.function, row.output)
                           : fmt::format("{}: {} is {}, which is no number; left out", call.function, row.output,
                                         in_quotes(output.dump(-1, ' ', true, Json::error_handler_t::replace))));
  }
  if (row.as == As::or_zero && *literal == Literal(0) && observed(row.field))
    return;  // it adds nothing to what is known
  set(row.field, *literal, call);
}

void Context::set_error(std::string_view field, const Call& call) const {
  if (!of_the_board(call.code)) return;
  const auto code = compiler::find_return_code(call.code);
  if (!code) return note(call, fmt::format("{}: {}; left out", call.function, code.error()));
  keep(field, checked_value(field, compiler::ErrorCode{*code}, {file_, call.line, 1}), call);
}

void Context::set(std::string_view list, const ListDraft& draft) const {
  const auto ref = compiler::find_field(list);
  if (!ref || draft.source == nullptr) return;
  std::uint64_t count = draft.count;
  if (count > ref->field->capacity) {
    note(*draft.source, fmt::format("{} items of {}, and {} are kept", count, list, ref->field->capacity));
    count = ref->field->capacity;
  }
  compiler::LiteralList items;
  if (draft.named) {
    for (const auto& [name, record] : draft.records)
      items.emplace_back(record);
  } else {
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto found = draft.records.find(i);
      items.emplace_back(found == draft.records.end() ? Record() : found->second);
    }
  }
  items.resize(std::min<std::size_t>(items.size(), count));
  set(list, items, *draft.source);
}

}  // namespace nvmlab::importer::replay
