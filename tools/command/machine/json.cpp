// SPDX-License-Identifier: Apache-2.0
#include "command/machine/json.hpp"

#include <variant>

#include "compiler/return_codes.hpp"

namespace nvmlab::tool {
namespace {

Json json_of(const Field& field, const std::byte* at);

Json json_of(compiler::NoValue none) {
  if (none.code == kNotSupported) return nullptr;
  return {{"answer", compiler::return_code_name(none.code)}};
}
Json json_of(compiler::Word word) { return std::string(word.name); }
template <class Value>
Json json_of(const Value& value) {
  return value;
}

bool says_nothing(const Json& value) { return value.is_null() || (value.is_structured() && value.empty()); }

// Leaves out members that NVML does not support.
Json json_of(const RecordTable& record, const std::byte* at) {
  Json object = Json::object();
  for (std::uint32_t i = 0; i < record.field_count; ++i) {
    const Field& member = record.fields[i];
    if (Json value = json_of(member, at + member.offset); !says_nothing(value)) object[member.name] = std::move(value);
  }
  return object;
}

Json json_of_item(const Field& list, const std::byte* at) {
  return list.type == FieldType::list_record ? json_of(*list.record, at) : Json(compiler::number_in(list, at));
}

Json json_of(const Field& field, const std::byte* at) {
  if (field.type == FieldType::record) return json_of(*field.record, at);
  if (!compiler::is_list(field.type))
    return std::visit([](const auto& value) { return json_of(value); }, compiler::scalar_of(field, at));
  Json list = Json::array();
  for (std::uint32_t i = 0; i < compiler::list_count(field, at); ++i)
    list.push_back(json_of_item(field, at + compiler::kListHead + std::size_t{i} * compiler::item_size(field)));
  return list;
}

}  // namespace

Json json_of(const compiler::FieldRef& ref, const std::byte* owner) {
  if (!compiler::is_there(ref, owner)) return nullptr;  // an item that this GPU does not have
  return ref.item ? json_of_item(*ref.field, owner + ref.offset) : json_of(*ref.field, owner + ref.offset);
}

Json json_of(const Listing& listing, const control::MachineView& view, const LineOptions& options) {
  const auto collect = [&](const std::byte* owner, bool of_node) {
    Json values = Json::object();
    for (const Listing::Entry& entry : listing.entries) {
      if (entry.ref.topic->of_node != of_node) continue;
      Json value = json_of(entry.ref, owner);
      if (entry.named || options.unsupported || !says_nothing(value)) {
        values[entry.ref.name] = std::move(value);
      }
    }
    return values;
  };
  Json all = {{"node", collect(reinterpret_cast<const std::byte*>(view.node.get()), true)}, {"gpus", Json::array()}};
  for (std::size_t i = 0; i < view.gpus.size(); ++i) {
    const Gpu& gpu = view.gpus[i];
    all["gpus"].push_back({{"index", view.indices[i]},
                           {"uuid", control::uuid_of(gpu)},
                           {"values", collect(reinterpret_cast<const std::byte*>(&gpu), false)}});
    Json pinned = Json::array();
    for (const Listing::Entry& entry : listing.entries) {
      if (!entry.ref.topic->of_node && view.pinned(entry.ref, i)) pinned.push_back(entry.ref.name);
    }
    if (!pinned.empty()) all["gpus"].back()["pinned"] = std::move(pinned);
  }
  return all;
}

std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace nvmlab::tool
