// SPDX-License-Identifier: Apache-2.0
#include "control/fields.hpp"

#include <fmt/format.h>

#include <cstring>

namespace nvmlab::control {
namespace {

using compiler::FieldRef;

class Collector {
 public:
  explicit Collector(const LengthOf& length_of) : length_of_(length_of) {}

  void add(const std::string& path, const Field& field) {
    if (field.type == FieldType::record) {
      for (std::uint32_t i = 0; i < field.record->field_count; ++i) {
        const Field& member = field.record->fields[i];
        add(fmt::format("{}.{}", path, member.name), member);
      }
    } else if (field.type == FieldType::list_record) {
      add_items(path);
    } else {
      add_one(path);
    }
  }

  std::vector<FieldRef> take() { return std::move(refs_); }

 private:
  void add_items(const std::string& path) {
    const auto list = compiler::find_field(path);
    const std::uint32_t count = list ? length_of_(*list) : 0;
    if (count == 0) add_one(path);
    for (std::uint32_t i = 0; i < count; ++i)
      add_one(fmt::format("{}[{}]", path, i));
  }

  // Every path comes from the tables, so there is none that is not found.
  void add_one(const std::string& path) {
    if (auto ref = compiler::find_field(path)) refs_.push_back(std::move(*ref));
  }

  const LengthOf& length_of_;
  std::vector<FieldRef> refs_;
};

}  // namespace

std::vector<FieldRef> fields_of(const Topic& topic, const LengthOf& length_of) {
  Collector collector(length_of);
  for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
    const Field& field = topic.table.fields[i];
    collector.add(fmt::format("{}.{}", topic.table.name, field.name), field);
  }
  return collector.take();
}

bool same_field(const FieldRef& ref, const std::byte* before, const std::byte* after) {
  if (compiler::is_there(ref, before) != compiler::is_there(ref, after)) return false;
  const std::uint32_t size = ref.item ? compiler::item_size(*ref.field) : ref.field->size;
  return std::memcmp(before + ref.offset, after + ref.offset, size) == 0;
}

}  // namespace nvmlab::control
