// SPDX-License-Identifier: Apache-2.0
// Enumerations: from C's enums, and from macros that are enums in all but name.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <utility>

#include "codegen/binding/types_reader.hpp"
#include "codegen/meaning/id_rows.hpp"

namespace nvmlab::codegen {
namespace {

constexpr std::array<std::string_view, 12> kEnumeratorKeywords{
    "auto", "bool", "default", "delete", "double", "float", "int", "long", "new", "switch", "unsigned", "volatile"};

// What all names begin with, up to and with an underscore.
std::string common_prefix(const std::vector<Enumerator>& all) {
  std::string prefix = all.front().name;
  for (const Enumerator& each : all) {
    const auto [mine, theirs] = std::ranges::mismatch(prefix, each.name);
    prefix.erase(mine, prefix.end());
  }
  return prefix.substr(0, prefix.rfind('_') + 1);
}

// The number of enumerators, or one more than the last: no value that NVML ever gives.
bool is_sentinel(const std::vector<Enumerator>& all, const Enumerator& each) {
  if (!each.name.ends_with("_COUNT") && !each.name.ends_with("_MAX") && !each.name.ends_with("Count")) return false;
  return std::ranges::all_of(all, [&](const Enumerator& other) { return &other == &each || other.value < each.value; });
}

std::string cpp_name(const std::string& c_name, const EnumRow& row) {
  if (const auto given = row.names.find(c_name); given != row.names.end()) return given->second;
  std::string_view rest = c_name;
  for (const std::string& prefix : row.prefixes) {
    if (!rest.starts_with(prefix)) continue;
    rest.remove_prefix(prefix.size());
    break;
  }
  std::string name = snake_case(rest);
  if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) name = (row.digit.empty() ? "n" : row.digit) + name;
  if (std::ranges::find(kEnumeratorKeywords, name) != kEnumeratorKeywords.end()) name += '_';
  return name;
}

Result<TypedEnum> made(const std::vector<Enumerator>& all, const EnumRow& row, std::string underlying) {
  if (row.says.empty())
    return fail(row.name + " needs a row in model/binding/types/ with `says`, what it tells in a sentence");
  TypedEnum made{row.name, row.set, row.c_type, std::move(underlying), row.says, {}, {}};
  const bool flags = !row.set.empty() && row.topic == "enums";
  made.header = fmt::format("nvmlab/nvml/generated/{}.hpp", flags ? "masks" : row.topic);
  std::map<std::string, std::string> seen;
  for (const Enumerator& each : all) {
    const auto bits = static_cast<std::uint64_t>(each.value);
    const bool no_flag = !row.set.empty() && bits == 0;
    if (no_flag || is_sentinel(all, each) || std::ranges::find(row.except, each.name) != row.except.end()) continue;
    const std::string name = cpp_name(each.name, row);
    if (const auto [at, fresh] = seen.try_emplace(name, each.name); !fresh)
      return fail(fmt::format("{}: {} and {} would both be called {}", row.name, at->second, each.name, name));
    const bool repeated = std::ranges::any_of(made.enumerators, [&](const auto& other) { return other.bits == bits; });
    made.enumerators.push_back({name, each.name, {}, bits, repeated});
  }
  if (made.enumerators.empty()) return fail(fmt::format("{} has no enumerators", row.name));
  return made;
}

std::string cpp_number(std::string_view c) {
  if (c == "unsigned int") return "unsigned";
  if (c == "unsigned long long") return "std::uint64_t";
  return c == "unsigned char" ? "std::uint8_t" : std::string(c);
}

}  // namespace

Result<TypedEnum> enum_from_c(const Enum& source, const EnumRow* given) {
  EnumRow row = given == nullptr ? EnumRow{} : *given;
  row.c_type = source.name;
  if (row.name.empty()) row.name = derived_type_name(source.name);
  if (row.topic.empty()) row.topic = "enums";
  if (row.prefixes.empty()) {
    std::vector<Enumerator> real = source.enumerators;
    std::erase_if(real, [&](const Enumerator& each) {
      return each.name.ends_with("_COUNT") && std::ranges::none_of(source.enumerators, [&](const Enumerator& other) {
               return other.value > each.value;
             });
    });
    row.prefixes = {common_prefix(real)};
  }
  return made(source.enumerators, row, cpp_number(source.underlying));
}

Result<TypedEnum> enum_from_macros(const Release& release, const EnumRow& row) {
  std::vector<Enumerator> all = row.values;
  for (const Macro& macro : release.macros) {
    const bool named =
        std::ranges::any_of(row.prefixes, [&](const auto& each) { return macro.name.starts_with(each); });
    if (!named || macro.kind == MacroKind::alias || !macro.value) continue;
    if (!row.set.empty() && std::popcount(macro.value->bits) != 1) continue;
    all.push_back({macro.name, macro.value->as_signed()});
  }
  std::ranges::stable_sort(all, {}, &Enumerator::value);
  const Typedef* named = find(release.typedefs, row.number);
  return made(all, row, cpp_number(named == nullptr ? row.number : named->target.text()));
}

// The sentences of enumerators, by the enumeration's name in C++ and theirs in C. A star stands for a number, which the
// sentence repeats; a name without one goes before it.
Result<void> TypesReader::tell_enumerators() {
  for (const auto& [name, sentences] : told_) {
    const auto type = std::ranges::find(types_.enums_, name.scalar, &TypedEnum::name);
    if (type == types_.enums_.end()) return fail_at(name, "'" + name.scalar + "' is no enumeration");
    for (const bool starred : {false, true}) {
      for (const auto& [pattern, sentence] : sentences.entries) {
        if (pattern.scalar.contains('*') != starred) continue;
        bool known = false;
        for (TypedEnumerator& each : type->enumerators) {
          unsigned number = 0;
          if (!fits(pattern.scalar, each.c_name, number)) continue;
          known = true;
          if (!each.says.empty()) continue;
          each.says = sentence.scalar;
          if (const auto star = each.says.find('*'); starred && star != std::string::npos)
            each.says.replace(star, 1, fmt::format("{}", number));
        }
        if (!known) return fail_at(pattern, "'" + pattern.scalar + "' is no enumerator of " + name.scalar);
      }
    }
  }
  return {};
}

}  // namespace nvmlab::codegen
