// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/nvml/keys.hpp"

namespace nvmlab::codegen::methods {
namespace {

const Field* field_of(const Record& record, std::string_view name) {
  const auto at = std::ranges::find(record.fields, name, &Field::name);
  return at == record.fields.end() ? nullptr : &*at;
}

bool reserved(const Field& field) { return field.name == "version" || field.name.starts_with("reserved"); }

}  // namespace

bool Keys::has(std::string_view member) const { return std::ranges::find(all, member, &Key::member) != all.end(); }

std::string Keys::filled(std::string_view variable) const {
  std::string text;
  for (const Key& key : all)
    text += fmt::format(fmt::runtime(key.fill), fmt::arg("c", variable)) + " ";
  return text;
}

std::string member_kind(const Writing& writing, const Record& record, std::string_view member) {
  const TypedStruct* type = writing.types.struct_of(record.name);
  if (type == nullptr) return {};
  const auto row = type->rows.find(std::string(member));
  return row == type->rows.end() || row->second.kind == "skip" ? std::string{} : row->second.kind;
}

Result<Keys> keys_of(const Writing& writing, const Method& method) {
  Keys keys;
  if (method.row == nullptr) return keys;
  const auto holders = method.with(Role::inout);
  if (holders.size() != 1) return fail(fmt::format("{}: one struct with keys was expected", method.function->name));
  const Record& record = *holders.front()->record;
  for (const std::string& name : method.row->keys) {
    const Field* field = field_of(record, name);
    if (field == nullptr) return fail(fmt::format("{} has no member {}", record.name, name));
    MethodParameter parameter;
    parameter.c.type = field->type;
    parameter.c.name = name;
    parameter.name = snake_case(name);
    parameter.kind = member_kind(writing, record, name);
    if (const auto at = method.row->names.find(name); at != method.row->names.end()) parameter.name = at->second;
    if (const auto at = method.row->units.find(name); at != method.row->units.end()) parameter.kind = at->second;
    const auto typed = typed_of(writing, parameter);
    if (!typed) return std::unexpected(typed.error());
    Key key{name, {}, {}};
    if (typed->category == Category::handle && typed->name == method.class_name) {
      key.fill = fmt::format("{{c}}.{} = handle();", name);
    } else {
      auto text = declared(writing, parameter, keys.headers);
      if (!text) return std::unexpected(text.error());
      key.declared = std::move(*text);
      const bool handle = typed->category == Category::handle;
      const bool is_text = typed->category == Category::text && field->extents.empty();
      key.fill = handle    ? fmt::format("{{c}}.{} = {}.handle();", name, parameter.name)
                 : is_text ? fmt::format("{{c}}.{} = {}.c_str();", name, parameter.name)
                           : fmt::format("detail::give({}, {{c}}.{});", parameter.name, name);
      if (!field->extents.empty()) {
        key.declared =
            fmt::format("const std::array<std::uint8_t, sizeof(abi::{}::{})>& {}", record.name, name, parameter.name);
      }
    }
    keys.all.push_back(std::move(key));
  }
  return keys;
}

// One member that is no key: its value is the answer, else the struct.
Result<Pieces> write_keyed_record(const Writing& writing, const Method& method) {
  if (method.with(Role::inout).empty()) return write_scalar(writing, method);  // nvmlDeviceQueryDrainState
  auto all = given(writing, method);
  if (!all) return std::unexpected(all.error());
  auto keys = keys_of(writing, method);
  if (!keys) return std::unexpected(keys.error());
  const MethodParameter& holder = *method.with(Role::inout).front();
  const Record& record = *holder.record;
  Piece piece;
  piece.parameters = std::move(all->declared);
  piece.headers = std::move(all->headers);
  piece.headers.insert(keys->headers.begin(), keys->headers.end());
  for (const Key& key : keys->all) {
    if (!key.declared.empty()) piece.parameters.push_back(key.declared);
  }
  std::vector<const Field*> answers;
  for (const Field& field : record.fields) {
    if (!reserved(field) && !keys->has(field.name)) answers.push_back(&field);
  }
  const std::string fill = fmt::format("[&](abi::{}& c) {{ {}}}", record.name, keys->filled("c"));
  std::vector<std::string> passed = all->passed;
  if (answers.size() == 1) {
    const Field& answer = *answers.front();
    auto typed = writing.types.typed(answer.type, member_kind(writing, record, answer.name));
    if (!typed) return std::unexpected(typed.error());
    if (!typed->header.empty()) piece.headers.insert(typed->header);
    piece.result = typed->name;
    piece.body =
        fmt::format("detail::keyed_member<{}>({}, {}, &abi::{}::{}{}{})", typed->name, call_of(method, "state()", {}),
                    fill, record.name, answer.name, passed.empty() ? "" : ", ", joined(passed));
    return Pieces{std::move(piece)};
  }
  const auto typed = typed_of(writing, holder);
  if (!typed) return std::unexpected(typed.error());
  if (!typed->header.empty()) piece.headers.insert(typed->header);
  piece.result = typed->name;
  piece.body = fmt::format("detail::keyed_record<{}, abi::{}>({}, {}{}{})", typed->name, record.name,
                           call_of(method, "state()", {}), fill, passed.empty() ? "" : ", ", joined(passed));
  return Pieces{std::move(piece)};
}

}  // namespace nvmlab::codegen::methods
