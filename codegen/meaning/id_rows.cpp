// SPDX-License-Identifier: Apache-2.0
#include "codegen/meaning/id_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace nvmlab::codegen {
namespace {

std::string value_type(const StateField& field) {
  if (field.type == FieldType::u64) return "u64";
  return field.type == FieldType::i32 ? "i32" : "u32";
}

// Lists of records that ids reach into.
struct RecordList {
  const char* path;
  const char* topic;
  const char* record;
  const char* type;
};
constexpr RecordList kRecordLists[] = {
    {"nvlink.links", "nvlink", "link", "Nvlink::Link"},
    {"nvlink_ports.ports", "nvlink_ports", "port", "NvlinkPorts::Port"},
    {"c2c.links", "c2c", "link", "C2c::Link"},
    {"power.smoothing_profiles", "power", "smoothing_profile", "Power::SmoothingProfile"},
    {"gpm.graphics_engines", "gpm", "graphics_engine", "Gpm::GraphicsEngine"},
};

}  // namespace

unsigned number_of(const std::string& text) {
  unsigned number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool fits(const std::string& pattern, const std::string& name, unsigned& number) {
  const auto star = pattern.find('*');
  if (star == std::string::npos) return pattern == name;
  const std::string head = pattern.substr(0, star);
  const std::string tail = pattern.substr(star + 1);
  if (name.size() <= head.size() + tail.size() || !name.starts_with(head) || !name.ends_with(tail)) return false;
  const std::string digits = name.substr(head.size(), name.size() - head.size() - tail.size());
  if (digits.find_first_not_of("0123456789") != std::string::npos) return false;
  number = number_of(digits);
  return true;
}

Result<Offset> offset_of(const Vocabulary& vocabulary, const yaml::Node& path) {
  const auto found = find_field(vocabulary, path.scalar);
  if (!found) return fail_at(path, found.error().message);
  return Offset{fmt::format("offsetof(Gpu, {})", path.scalar), value_type(*found->field)};
}

Result<Offset> offset_in_record(const Vocabulary& vocabulary, const std::string& list, const yaml::Node& field) {
  const auto* known = std::ranges::find(kRecordLists, list, &RecordList::path);
  const StateTopic* topic = known == std::end(kRecordLists) ? nullptr : vocabulary.find(known->topic);
  const StateRecord* record = topic == nullptr ? nullptr : topic->record(known->record);
  if (record == nullptr) return fail_at(field, fmt::format("no list of records '{}'", list));
  const auto found = std::ranges::find(record->fields, field.scalar, &StateField::name);
  if (found == record->fields.end())
    return fail_at(field, fmt::format("'{}' is not a field of the records in '{}'", field.scalar, list));
  return Offset{fmt::format("offsetof({}, {})", known->type, field.scalar), value_type(*found)};
}

std::string padded_offsets(const std::vector<std::string>& offsets, std::size_t room) {
  std::vector<std::string> all = offsets;
  all.resize(room, "kNoField");
  return fmt::format("{{{}}}", fmt::join(all, ", "));
}

}  // namespace nvmlab::codegen
