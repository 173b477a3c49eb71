// SPDX-License-Identifier: Apache-2.0
#include "command/machine/json.hpp"

#include <charconv>

namespace nvmlab::tool {
namespace {

using compiler::Style;

Json number_or_word(const std::string& text) {
  std::int64_t small = 0;
  std::uint64_t large = 0;
  const char* end = text.data() + text.size();
  if (const auto [at, error] = std::from_chars(text.data(), end, large); error == std::errc() && at == end)
    return large;
  if (const auto [at, error] = std::from_chars(text.data(), end, small); error == std::errc() && at == end)
    return small;
  return text;
}

// From the YAML form, which is the same for every kind of value; the tables say what its scalars are.
Json json_of(const yaml::Node& node, const Field& field, bool item) {
  if (node.is_null()) return nullptr;
  if (node.is_sequence()) {
    Json list = Json::array();
    for (const yaml::Node& each : node.items)
      list.push_back(json_of(each, field, true));
    return list;
  }
  if (node.is_mapping()) {
    Json object = Json::object();
    for (const auto& [key, value] : node.entries) {
      const Field* member = field.record == nullptr ? nullptr : compiler::find_member(*field.record, key.scalar);
      object[key.scalar] = member == nullptr ? Json(value.scalar) : json_of(value, *member, false);
    }
    return object;
  }
  const bool text = !item && (field.type == FieldType::text || field.type == FieldType::bytes);
  return text ? Json(node.scalar) : number_or_word(node.scalar);
}

}  // namespace

Json json_of(const compiler::FieldRef& ref, const std::byte* owner) {
  const auto text = compiler::format_field(ref, owner, Style::yaml);
  if (!text) return nullptr;  // an item that this GPU does not have
  const auto node = yaml::parse(*text, ref.name);
  return node ? json_of(*node, *ref.field, ref.item) : Json(*text);
}

Json json_of(const Listing& listing, const control::MachineView& view, const LineOptions& options) {
  const auto collect = [&](const std::byte* owner, bool of_node) {
    Json values = Json::object();
    for (const Listing::Entry& entry : listing.entries) {
      if (entry.ref.topic->of_node != of_node) continue;
      Json value = json_of(entry.ref, owner);
      if (entry.named || options.unsupported || !(value.is_null() || (value.is_structured() && value.empty()))) {
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
