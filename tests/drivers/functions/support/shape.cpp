// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/functions/support/shape.hpp"

#include <algorithm>

namespace nvmlab::driver_test {
namespace {

constexpr std::size_t kItemsOfArray = 3;  // what holds for these holds for the others

bool counts_items(const std::string& name) {
  if (name.starts_with("num")) return true;
  return std::ranges::any_of(std::initializer_list<const char*>{"ount", "Entries", "Size"},
                             [&](const char* part) { return name.find(part) != std::string::npos; }) &&
         name.find("ounter") == std::string::npos;
}

std::size_t items_in(const codegen::Field& field) {
  std::size_t items = 1;
  for (const codegen::Extent& extent : field.extents)
    items *= extent.count;
  return std::max<std::size_t>(items, 1);
}

std::size_t pointed_size(const std::string& base) {
  return base == "void" || base.ends_with("char") ? 1 : Api::get().size_of(base);
}

void add(const codegen::Record& record, std::size_t base, std::vector<Member>& members) {
  for (const codegen::Field& field : record.fields) {
    const std::size_t offset = base + field.offset;
    Member member{field.name, offset, field.size};
    if (field.type.pointers > 0) {
      member.pointer = true;
      member.text = field.type.base == "char" && field.type.constant;
      member.item_size = pointed_size(field.type.base);
      members.push_back(member);
      continue;
    }
    const codegen::Record* inner = field.nested.empty() ? Api::get().record_of(field.type.base) : field.nested.data();
    if (inner == nullptr && field.type.base == "char") {
      member.text = true;
      members.push_back(member);
      continue;
    }
    member.handle = inner == nullptr && Api::get().is_handle(field.type.base);
    const std::size_t items = items_in(field);
    member.size /= items;
    member.counts = items == 1 && member.size == 4 && counts_items(field.name);
    member.waits = field.name.starts_with("timeout");
    for (std::size_t i = 0; i < std::min(items, kItemsOfArray); ++i, member.offset += member.size) {
      if (inner != nullptr) {
        add(*inner, member.offset, members);
      } else {
        members.push_back(member);
      }
    }
  }
}

}  // namespace

Shape shape_of(const codegen::Record& record, std::uint32_t version, std::size_t size) {
  Shape shape{version, size, {}, false};
  add(record, 0, shape.members);
  std::erase_if(shape.members, [&](const Member& member) {
    return member.offset + member.size > size || (version != 0 && member.offset == 0);
  });
  shape.points = std::ranges::any_of(shape.members, &Member::pointer);
  return shape;
}

}  // namespace nvmlab::driver_test
