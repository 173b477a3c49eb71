// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/nvml/docs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/columns.hpp"
#include "codegen/model/presence.hpp"

namespace nvmlab::codegen::methods {
namespace {

// "NVML_ERROR_IN_USE" -> "IN_USE", as Error::message() writes it.
std::string code_text(std::string_view code) {
  constexpr std::string_view prefix = "NVML_ERROR_";
  return std::string(code.starts_with(prefix) ? code.substr(prefix.size()) : code);
}

bool explains(const FunctionRow* row, std::string_view code) {
  return row != nullptr && std::ranges::any_of(row->errors, [&](const auto& each) { return each.first == code; });
}

// What every board has: there is no NOT_SUPPORTED for it.
bool always_there(const Verdict& verdict) {
  const auto on_all = [](const std::string& path) {
    return path.starts_with("identity.") || path.starts_with("system.") || path.starts_with("pci.");
  };
  const auto basic = [&](const Binding& binding) {
    if (binding.source == ValueSource::constant) return true;
    return binding.source == ValueSource::rule ? std::ranges::all_of(binding.fields, on_all) : on_all(binding.path);
  };
  return std::ranges::all_of(verdict.bindings, basic) && std::ranges::all_of(verdict.cases, [&](const Case& each) {
           return std::ranges::all_of(each.bindings, basic);
         });
}

std::string errors_text(const Method& method, const Verdict* verdict) {
  std::vector<std::string> list;
  if (method.row != nullptr) {
    for (const auto& [code, reason] : method.row->errors)
      list.push_back(fmt::format("{} ({})", code_text(code), reason));
  }
  if (verdict != nullptr) {
    const bool write = verdict->kind == VerdictKind::write;
    if (write && !explains(method.row, "NVML_ERROR_NO_PERMISSION")) list.emplace_back("NO_PERMISSION (only root may)");
    const bool lacking = (write || (verdict->reads() && !verdict->subject.given())) && !always_there(*verdict);
    if (lacking && !explains(method.row, "NVML_ERROR_NOT_SUPPORTED"))
      list.emplace_back("NOT_SUPPORTED (the board lacks it)");
    if (verdict->kind == VerdictKind::unsupported && !explains(method.row, verdict->answer))
      list.push_back(fmt::format("{} ({})", code_text(verdict->answer), "most boards and hosts lack it"));
  }
  if (list.empty()) return "Errors: the usual ones.";
  return fmt::format("Errors: {}, and the usual ones.", fmt::join(list, ", "));
}

const std::string& first_release(const Writing& writing, const Method& method) {
  const std::string& name = method.formerly.empty() ? method.function->name : method.formerly;
  const auto* spans = history(writing.inputs.registry.functions, name);
  return spans == nullptr ? writing.inputs.registry.releases.front().version : spans->front().since;
}

// The first release that has one name of a method.
struct First {
  std::string since;   // of NVML
  std::string branch;  // of drivers; empty: all known ones
};

First first_of(const Writing& writing, const Method& method) {
  return {first_release(writing, method),
          first_branch(writing.inputs, method.formerly.empty() ? method.function->name : method.formerly)};
}

std::string since_text(const Writing& writing, const Function& function, const First& first) {
  const std::string& oldest = writing.inputs.registry.releases.front().version;
  std::string text =
      fmt::format("{} (NVML {}{})", first.branch.empty() ? "All drivers" : "Drivers from " + first.branch + " on",
                  first.since, first.since == oldest ? " or older" : "");
  if (!function.deprecated_since.empty()) text += fmt::format(", deprecated since NVML {}", function.deprecated_since);
  return text + ".";
}

std::string about(const Writing& writing, const Method& method, const First& first, const Piece& piece) {
  std::string text;
  if (method.row != nullptr) text += doc_lines(method.row->says);
  if (!piece.remark.empty()) text += doc_lines(piece.remark);
  text += "  ///\n";
  std::string facts;
  if (method.row != nullptr && !method.row->boards.empty()) facts = fmt::format("Boards: {}. ", method.row->boards);
  return text + doc_lines(facts + since_text(writing, *method.function, first));
}

}  // namespace

std::string grouped(const std::map<std::string, std::string>& declarations) {
  if (declarations.size() == 1) return declarations.begin()->second;
  std::string text;
  for (const auto& [subject, methods] : declarations)
    text += fmt::format("  /// @name {}\n  /// @{{\n\n{}  /// @}}\n\n", subject, methods);
  return text;
}

std::string doc_lines(std::string_view text) { return wrapped(text, "  /// "); }

std::string comment_of(const Writing& writing, const Method& method, const Verdict* verdict, const Piece& piece) {
  const std::string formerly = method.formerly.empty() ? "" : ", else " + method.formerly;
  return about(writing, method, first_of(writing, method), piece) + doc_lines(errors_text(method, verdict)) +
         doc_lines("C: " + method.function->name + formerly);
}

std::string comment_of(const Writing& writing, const Family& family, const Verdict* verdict, const Piece& piece) {
  std::string names;
  for (const Method* member : family.members)
    names += (names.empty() ? "" : ", else ") + member->function->name;
  First first = first_of(writing, *family.members.front());
  for (const Method* member : family.members) {
    const First other = first_of(writing, *member);
    if (compare_versions(other.since, first.since) < 0) first.since = other.since;
    if (other.branch.empty() || (!first.branch.empty() && compare_versions(other.branch, first.branch) < 0))
      first.branch = other.branch;
  }
  return about(writing, *family.members.front(), first, piece) +
         doc_lines(errors_text(*family.members.front(), verdict)) + doc_lines("C: " + names);
}

}  // namespace nvmlab::codegen::methods
