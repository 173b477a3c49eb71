// SPDX-License-Identifier: Apache-2.0
#include "codegen/binding/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "codegen/binding/letters.hpp"
#include "codegen/model/layouts.hpp"

namespace nvmlab::codegen {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array kNumbers{
    Pair{"unsigned int", "unsigned"},
    Pair{"int", "int"},
    Pair{"unsigned long long", "std::uint64_t"},
    Pair{"long long", "std::int64_t"},
    Pair{"unsigned long", "std::uint64_t"},
    Pair{"unsigned short", "std::uint16_t"},
    Pair{"unsigned char", "std::uint8_t"},
    Pair{"double", "double"},
    Pair{"char", "char"},
};

constexpr std::array kUnits{
    Pair{"milliwatts", "Milliwatts"},
    Pair{"watts", "Watts"},
    Pair{"millijoules", "Millijoules"},
    Pair{"amperes", "Amperes"},
    Pair{"volts", "Volts"},
    Pair{"kilohertz", "Kilohertz"},
    Pair{"megahertz", "Megahertz"},
    Pair{"megahertz_offset", "MegahertzOffset"},
    Pair{"bytes", "Bytes"},
    Pair{"kibibytes", "Kibibytes"},
    Pair{"mebibytes", "Mebibytes"},
    Pair{"celsius", "Celsius"},
    Pair{"percent", "Percent"},
    Pair{"rpm", "Rpm"},
    Pair{"kilobytes_per_second", "KilobytesPerSecond"},
    Pair{"megabytes_per_second", "MegabytesPerSecond"},
    Pair{"mebibytes_per_second", "MebibytesPerSecond"},
    Pair{"milliwatts_per_second", "MilliwattsPerSecond"},
};

constexpr std::array kTimes{
    Pair{"nanoseconds", "std::chrono::nanoseconds"},
    Pair{"microseconds", "std::chrono::microseconds"},
    Pair{"milliseconds", "std::chrono::milliseconds"},
    Pair{"seconds", "std::chrono::seconds"},
    Pair{"timestamp", "Timestamp"},
};

// Integers that are handles.
constexpr std::array kNumberedHandles{
    Pair{"nvmlVgpuTypeId_t", "VgpuType"},
    Pair{"nvmlVgpuInstance_t", "VgpuInstance"},
};

template <std::size_t N>
std::string_view look_up(const std::array<Pair, N>& table, std::string_view key) {
  const auto* found = std::ranges::find(table, key, &Pair::first);
  return found == table.end() ? std::string_view{} : found->second;
}

constexpr const char* kUnitsHeader = "nvmlab/nvml/units.hpp";

}  // namespace

std::vector<std::string> quantities() {
  std::vector<std::string> names;
  for (const auto& [kind, name] : kUnits)
    names.emplace_back(name);
  return names;
}

std::string snake_case(std::string_view camel) {
  const bool one_case = std::ranges::none_of(camel, is_lower);  // ATOMICS_P2P: its words are parted already
  std::string text;
  for (std::size_t i = 0; i < camel.size(); ++i) {
    const char c = camel[i];
    const char before = i == 0 ? '\0' : camel[i - 1];
    const bool word_follows = i + 1 < camel.size() && is_lower(camel[i + 1]);
    const bool starts_word =
        !one_case && is_upper(c) && (is_lower(before) || is_digit(before) || (is_upper(before) && word_follows));
    if (starts_word && !text.ends_with('_')) text += '_';
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

std::string derived_type_name(std::string_view c_type) {
  std::string_view name = c_type;
  if (name.starts_with("nvml")) name.remove_prefix(4);
  if (name.ends_with("_t")) name.remove_suffix(2);
  std::size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1]))
    --digits;
  if (digits < name.size() && name.substr(0, digits).ends_with("_v")) name = name.substr(0, digits - 2);
  return std::string(name);
}

const TypedEnum* BindingTypes::enum_named(std::string_view name) const {
  const auto found =
      std::ranges::find_if(enums_, [&](const TypedEnum& each) { return each.name == name || each.set == name; });
  return name.empty() || found == enums_.end() ? nullptr : &*found;
}

const TypedEnum* BindingTypes::enum_of(std::string_view c_type) const {
  const auto found = std::ranges::find(enums_, c_type, &TypedEnum::c_type);
  if (!c_type.empty() && found != enums_.end()) return &*found;
  const Macro* renamed = find(newest_.macros, c_type);  // nvmlEccBitType_t
  return renamed != nullptr && renamed->kind == MacroKind::alias ? enum_of(renamed->text) : nullptr;
}

const TypedStruct* BindingTypes::struct_named(std::string_view name) const {
  const auto found = std::ranges::find(structs_, name, &TypedStruct::name);
  return found == structs_.end() ? nullptr : &*found;
}

const TypedStruct* BindingTypes::struct_of(std::string_view c_struct) const {
  const Record* record = resolve_record(newest_, c_struct);
  if (record != nullptr) c_struct = record->name;
  for (const TypedStruct& each : structs_) {
    if (std::ranges::find(each.layouts, c_struct, &CLayout::name) != each.layouts.end()) return &each;
  }
  const Macro* renamed = find(newest_.macros, c_struct);  // nvmlBlacklistDeviceInfo_t
  return renamed != nullptr && renamed->kind == MacroKind::alias ? struct_of(renamed->text) : nullptr;
}

Result<Typed> BindingTypes::typed(const Type& c, std::string_view kind) const {
  if (kind == "flag") return Typed{"bool", Category::flag, {}};
  if (const auto unit = look_up(kUnits, kind); !unit.empty())
    return Typed{std::string(unit), Category::unit, kUnitsHeader};
  if (const auto time = look_up(kTimes, kind); !time.empty())
    return Typed{std::string(time), Category::chrono, kUnitsHeader};
  if (kind.starts_with("enum ") || kind.starts_with("mask ")) {
    const bool mask = kind.starts_with("mask ");
    const std::string_view name = kind.substr(5);
    const TypedEnum* found = enum_named(name);
    if (found == nullptr || mask != (found->set == name))
      return fail(fmt::format("'{}' is no type of model/binding/types/", kind));
    return Typed{std::string(name), mask ? Category::mask : Category::enumeration, found->header};
  }
  if (kind.starts_with("id ")) return Typed{std::string(kind.substr(3)), Category::enumeration, "nvmlab/nvml/ids.hpp"};
  if (kind.starts_with("class ")) {
    const std::string name(kind.substr(6));
    return Typed{name, Category::unit, fmt::format("nvmlab/nvml/values/{}.hpp", snake_case(name))};
  }
  if (!kind.empty()) return fail(fmt::format("'{}' is no unit and no kind of a value", kind));
  if (c.base == kYesOrNo) return Typed{"bool", Category::flag, {}};
  if (c.base == "char" && c.pointers > 0) return Typed{"std::string", Category::text, {}};
  if (const TypedEnum* found = enum_of(c.base)) {
    return found->set.empty() ? Typed{found->name, Category::enumeration, found->header}
                              : Typed{found->set, Category::mask, found->header};
  }
  if (const TypedStruct* found = struct_of(c.base)) {
    if (found->shape == "none")
      return fail(fmt::format("{} has no typed value: it points at a caller's memory", c.base));
    return Typed{found->name, Category::structure, fmt::format("nvmlab/nvml/generated/values_{}.hpp", found->topic)};
  }
  if (const auto handle = look_up(kNumberedHandles, c.base); !handle.empty())
    return Typed{std::string(handle), Category::handle, {}};
  if (find(newest_.handles, c.base) != nullptr) return Typed{derived_type_name(c.base), Category::handle, {}};
  if (const auto number = look_up(kNumbers, c.base); !number.empty())
    return Typed{std::string(number), Category::number, {}};
  if (const Typedef* alias = find(newest_.typedefs, c.base)) return typed(alias->target);
  return fail(fmt::format("no typed value is known for {}", c.text()));
}

Result<std::string> BindingTypes::typed_name(const Type& c, std::string_view kind) const {
  auto found = typed(c, kind);
  if (!found) return std::unexpected(found.error());
  return std::move(found->name);
}

}  // namespace nvmlab::codegen
