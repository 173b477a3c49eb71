// SPDX-License-Identifier: Apache-2.0
//
// Lists and records, part by part. Tests: tests/unit/compare/compare_test.cpp, group_rows_test.cpp.
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "compare/compare.hpp"

namespace nvmlab::compare {
namespace {

using PartIndex = std::unordered_map<std::string_view, const Part*>;

PartIndex parts_by_name(const Statement& statement) {
  PartIndex index;
  for (const Part& part : statement.parts)
    index.emplace(part.name, &part);
  return index;
}

// "[link=3]" of "[link=3].pci.bus".
std::string_view item_of(std::string_view name) {
  const auto close = name.starts_with('[') ? name.find(']') : std::string_view::npos;
  return close == std::string_view::npos ? name : name.substr(0, close + 1);
}

// The return code that stands in place of the whole item.
const Part* refusal(const PartIndex& index, std::string_view name) {
  const auto found = index.find(item_of(name));
  return found != index.end() && found->second->code ? found->second : nullptr;
}

}  // namespace

std::vector<PartPair> different_parts(const Statement& a, const Statement& b) {
  const PartIndex in_a = parts_by_name(a);
  const PartIndex in_b = parts_by_name(b);
  std::vector<PartPair> pairs;
  std::unordered_set<const Part*> refused;  // return codes that stand against an item already
  for (const Part& part : a.parts) {
    const auto like = in_b.find(part.name);
    if (like != in_b.end()) {
      if (!(part == *like->second)) pairs.push_back({&part, like->second});
    } else if (const Part* code = refusal(in_b, part.name); code == nullptr) {
      pairs.push_back({&part, nullptr});
    } else if (refused.insert(code).second) {
      pairs.push_back({&part, code});
    }
  }
  std::unordered_map<const Part*, std::size_t> waiting;  // codes of A that wait for the item of B
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].b == nullptr && pairs[i].a->code) waiting.emplace(pairs[i].a, i);
  }
  for (const Part& part : b.parts) {
    if (in_a.contains(part.name) || refused.contains(&part)) continue;
    const Part* code = refusal(in_a, part.name);
    if (code == nullptr) {
      pairs.push_back({nullptr, &part});
    } else if (const auto place = waiting.find(code); place != waiting.end()) {
      pairs[place->second].b = &part;
      waiting.erase(place);
    }
  }
  return pairs;
}

Class class_of(const PartPair& parts) {
  const Part& any = parts.any();
  const bool both = parts.a != nullptr && parts.b != nullptr;
  if (both && (parts.a->code || parts.b->code)) return Class::code;
  return any.nature == Nature::live         ? Class::noise
         : any.nature == Nature::identifier ? Class::identifier
                                            : Class::value;
}

}  // namespace nvmlab::compare
