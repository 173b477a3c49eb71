// SPDX-License-Identifier: Apache-2.0
#include "codegen/binding/members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace nvmlab::codegen {
namespace {

using MemberShape = TypedMember::Shape;

const Field* field_named(const Record& record, const std::string& name) {
  const auto found = std::ranges::find(record.fields, name, &Field::name);
  return found == record.fields.end() ? nullptr : &*found;
}

// Objects need a library, which a value has not: handles stay C's, numbers get a type of their own.
Typed in_a_struct(Typed type, const Type& c) {
  if (type.category != Category::handle) return type;
  if (c.base == "nvmlVgpuTypeId_t") return {"VgpuTypeId", Category::enumeration, "nvmlab/nvml/ids.hpp"};
  if (c.base == "nvmlVgpuInstance_t") return {"VgpuInstanceId", Category::enumeration, "nvmlab/nvml/ids.hpp"};
  return {"abi::" + c.base, Category::handle, "nvmlab/abi/generated/types.hpp"};
}

class Members {
 public:
  Members(const BindingTypes& types, const TypedStruct& from) : types_(types), from_(from) {}

  Result<std::vector<TypedMember>> all() {
    for (const auto& [c_name, row] : from_.rows) {
      if (auto checked = check(c_name, row); !checked) return std::unexpected(checked.error());
    }
    for (const CLayout& layout : from_.layouts) {
      for (const Field& field : layout.record.fields) {
        const bool version = &field == &layout.record.fields.front() && !layout.version_word.empty();
        if (version || known(field.name) || left_out(field)) continue;
        auto made = member(field);
        if (!made) return std::unexpected(made.error());
        members_.push_back(std::move(*made));
      }
    }
    return std::move(members_);
  }

 private:
  const MemberRow* row_of(const std::string& c_name) const {
    const auto found = std::ranges::find_if(from_.rows, [&](const auto& each) {
      return each.first == c_name || std::ranges::find(each.second.also, c_name) != each.second.also.end();
    });
    return found == from_.rows.end() ? nullptr : &found->second;
  }

  Result<void> check(const std::string& c_name, const MemberRow& row) const {
    std::vector<std::string> names{c_name};
    names.insert(names.end(), row.also.begin(), row.also.end());
    names.insert(names.end(), row.count_of.begin(), row.count_of.end());
    for (const std::string& name : names) {
      const bool found = std::ranges::any_of(
          from_.layouts, [&](const CLayout& layout) { return field_named(layout.record, name) != nullptr; });
      if (!found) return fail(fmt::format("{}: no layout has a member {}", from_.name, name));
    }
    return {};
  }

  bool left_out(const Field& field) const {
    const MemberRow* row = row_of(field.name);
    return row == nullptr ? field.name.starts_with("reserved") : row->kind == "skip" || !row->count_of.empty();
  }

  bool known(const std::string& c_name) const {
    return std::ranges::any_of(members_, [&](const TypedMember& each) {
      return std::ranges::find(each.c_names, c_name) != each.c_names.end();
    });
  }

  std::string count_of(const std::string& c_name) const {
    for (const auto& [counter, row] : from_.rows) {
      if (std::ranges::find(row.count_of, c_name) != row.count_of.end()) return counter;
    }
    return {};
  }

  Result<TypedMember> member(const Field& field) const {
    const MemberRow row = row_of(field.name) == nullptr ? MemberRow{} : *row_of(field.name);
    TypedMember made;
    made.name = row.name.empty() ? snake_case(field.name) : row.name;
    if (row.says.empty())
      return fail(fmt::format("{}.{} needs `says` in model/binding/types/{}.yaml, what it holds in a sentence",
                              from_.name, field.name, from_.topic));
    if (!row.nothing.empty() && row.says.find("othing") == std::string::npos)
      return fail(fmt::format("{}.{}: its sentence in model/binding/types/{}.yaml does not say what nothing means",
                              from_.name, field.name, from_.topic));
    made.says = row.says;
    made.nothing = row.nothing;
    made.otherwise = row.otherwise;
    if (!field.nested.empty() || field.extents.size() > 1 || field.type.pointers != 0)
      return fail(
          fmt::format("{}.{}: no member of a typed struct; its row needs `shape: hand`", from_.name, field.name));
    auto element = types_.typed(field.type, row.kind == "list" ? "" : row.kind);
    if (!element) return fail(fmt::format("{}.{}: {}", from_.name, field.name, element.error().message));
    made.element = in_a_struct(std::move(*element), field.type);
    const std::string count = count_of(field.name);
    if (!field.extents.empty()) {
      made.extent = field.extents.front().count;
      made.shape = field.type.base == "char" ? MemberShape::text
                   : !count.empty()          ? MemberShape::counted
                   : row.kind == "list"      ? MemberShape::list
                                             : MemberShape::array;
    }
    bool lacking = false;
    for (const CLayout& layout : from_.layouts) {
      std::vector<std::string> names = row.also;
      names.push_back(field.name);
      for (const auto& [main, other] : from_.rows) {
        if (std::ranges::find(other.also, field.name) != other.also.end()) names.push_back(main);
      }
      const auto has = std::ranges::find_if(
          names, [&](const std::string& name) { return field_named(layout.record, name) != nullptr; });
      lacking |= has == names.end();
      made.c_names.push_back(has == names.end() ? std::string{} : *has);
      made.counts.push_back(field_named(layout.record, count) == nullptr ? std::string{} : count);
    }
    made.optional = !made.nothing.empty() || (lacking && made.shape != MemberShape::counted);
    return made;
  }

  const BindingTypes& types_;
  const TypedStruct& from_;
  std::vector<TypedMember> members_;
};

}  // namespace

std::string TypedMember::type() const {
  std::string text = element.name;
  if (shape == MemberShape::text) text = "std::string";
  if (shape == MemberShape::array) text = fmt::format("std::array<{}, {}>", element.name, extent);
  if (shape == MemberShape::counted || shape == MemberShape::list) text = fmt::format("std::vector<{}>", element.name);
  return optional ? fmt::format("std::optional<{}>", text) : text;
}

Result<std::vector<TypedMember>> members_of(const BindingTypes& types, const TypedStruct& from) {
  return Members(types, from).all();
}

}  // namespace nvmlab::codegen
