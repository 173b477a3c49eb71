// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/family.hpp"

#include <algorithm>
#include <charconv>

namespace nvmlab::codegen {

FamilyName family_of(std::string_view function) {
  const std::size_t mark = function.rfind("_v");
  if (mark == std::string_view::npos) return {std::string(function), 1, false};
  const std::string_view digits = function.substr(mark + 2);
  unsigned version = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  const bool number = code == std::errc{} && end == digits.data() + digits.size() && version > 0;
  if (!number) return {std::string(function), 1, false};
  return {std::string(function.substr(0, mark)), version, true};
}

std::vector<const Function*> members(const Release& release, std::string_view base) {
  std::vector<const Function*> list;
  for (const Function& function : release.functions) {
    if (family_of(function.name).base == base) list.push_back(&function);
  }
  std::ranges::sort(list, {}, [](const Function* f) { return family_of(f->name).version; });
  return list;
}

std::string meaning_in_c(const Release& release, std::string_view name) {
  const Macro* macro = find(release.macros, name);
  return macro != nullptr && macro->kind == MacroKind::alias ? macro->text : std::string(name);
}

}  // namespace nvmlab::codegen
