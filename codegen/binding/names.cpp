// SPDX-License-Identifier: Apache-2.0
#include "codegen/binding/names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "codegen/binding/letters.hpp"
#include "codegen/model/family.hpp"

namespace nvmlab::codegen {
namespace {

// As they would be spelled if NVML's capitals followed the words.
constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kWords{{
    {"NvLink", "Nvlink"},
    {"PStates", "Pstates"},
    {"PState", "Pstate"},
    {"pState", "pstate"},
    {"GPUs", "Gpus"},
    {"MHz", "Mhz"},
    {"KiB", "Kib"},
    {"P2PStatus", "P2pStatus"},
    {"GetHandle", "Handle"},
}};

constexpr std::array<std::string_view, 12> kKeywords{"class",  "default", "delete", "register", "union",    "new",
                                                     "switch", "enum",    "signed", "struct",   "template", "this"};

void drop_prefix(std::string& text, std::string_view prefix) {
  if (text.starts_with(prefix) && text.size() > prefix.size()) text.erase(0, prefix.size());
}

}  // namespace

std::string words_of(std::string_view camel) {
  std::string spelled(camel);
  for (const auto& [from, to] : kWords) {
    for (std::size_t at = spelled.find(from); at != std::string::npos; at = spelled.find(from, at + to.size()))
      spelled.replace(at, from.size(), to);
  }
  std::string text;
  for (std::size_t i = 0; i < spelled.size(); ++i) {
    const char before = i == 0 ? '\0' : spelled[i - 1];
    const bool word_follows = i + 1 < spelled.size() && is_lower(spelled[i + 1]);
    const bool starts =
        is_upper(spelled[i]) && (is_lower(before) || is_digit(before) || (is_upper(before) && word_follows));
    if (starts && !text.ends_with('_')) text += '_';
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(spelled[i])));
  }
  return text;
}

std::string parameter_name(std::string_view c) {
  const bool hungarian = c.size() > 1 && c.front() == 'p' && is_upper(c[1]) && !c.starts_with("pState");
  std::string name = words_of(hungarian ? c.substr(1) : c);
  if (std::ranges::find(kKeywords, name) != kKeywords.end()) name += '_';
  return name;
}

VersionedName versioned_name(std::string_view function) {
  const FamilyName family = family_of(function);
  if (family.suffixed) return {family.base, family.version, "_v" + std::to_string(family.version)};
  if (function.size() > 1 && function.back() == 'V' && is_lower(function[function.size() - 2]))
    return {std::string(function.substr(0, function.size() - 1)), 1, "_v"};
  if (function.ends_with("UUIDV")) return {std::string(function.substr(0, function.size() - 1)), 1, "_v"};
  return {std::string(function), 1, ""};
}

std::string name_by_rule(std::string_view base, std::string_view class_name) {
  std::string rest(base.substr(std::string_view("nvml").size()));
  drop_prefix(rest, class_name == "Library" ? "System" : class_name);
  drop_prefix(rest, "Get");
  return words_of(rest);
}

std::string method_name(std::string_view base, std::string_view class_name) {
  std::string rest(base.substr(std::string_view("nvml").size()));
  if (rest.starts_with("System")) drop_prefix(rest, class_name == "Library" ? "System" : class_name);
  drop_prefix(rest, class_name);
  std::string text = words_of(rest);
  const auto replace = [&](std::string_view from, std::string_view to) {
    if (const auto at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
  };
  if (text.starts_with("get_")) text.erase(0, 4);
  for (const std::string_view verb : {"_handle_by_index", "_get_handle_by_index"}) {
    if (text.ends_with(verb)) return text.substr(0, text.size() - verb.size());
  }
  replace("_handle_by_", "_by_");
  replace("_get_", "_");
  for (const std::string_view verb : {"create", "alloc", "free", "destroy"}) {
    const std::string tail = "_" + std::string(verb);
    if (text.ends_with(tail)) return std::string(verb) + "_" + text.substr(0, text.size() - tail.size());
  }
  return text;
}

}  // namespace nvmlab::codegen
