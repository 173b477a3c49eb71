// SPDX-License-Identifier: Apache-2.0
// binding/nvmlab/loader/generated/advice.cpp: what helps whoever reads an error of the binding. From the facts which
// drivers have a function, a field or a metric and what parameters are called, from the rows of the binding the boards,
// the reasons of codes and the ranges of arguments, from return_codes.yaml the remedies. Covered by
// tests/binding/advice_test.cpp.
#include "codegen/emit/nvml/advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/yaml/tree.hpp"
#include "codegen/binding/rows.hpp"
#include "codegen/emit/abi.hpp"
#include "codegen/emit/field_numbers.hpp"
#include "codegen/emit/young_ids.hpp"
#include "codegen/model/presence.hpp"

namespace nvmlab::codegen {
namespace {

std::string cpp_text(std::string_view text) {
  std::string escaped;
  for (const char c : text)
    escaped += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return '"' + escaped + '"';
}

// "535.98" -> "535 << 16 | 98".
std::string release_number(const std::string& release) {
  if (release.empty()) return "0";
  const auto dot = release.find('.');
  const std::string branch = release.substr(0, dot) + " << 16";
  return dot == std::string::npos ? branch : branch + " | " + release.substr(dot + 1);
}

// The unit of a number as people write it; "" for what is no quantity.
std::string unit_word(const FunctionRow& row, const Parameter& parameter) {
  const auto unit = row.units.find(parameter.name);
  if (unit == row.units.end() || parameter.type.text().ends_with('*')) return {};
  if (unit->second.contains(' ') || unit->second == "flag" || unit->second == "timestamp") return {};
  std::string word = unit->second == "megahertz_offset" ? "megahertz" : unit->second;
  std::ranges::replace(word, '_', ' ');
  return word;
}

// "device,limit:milliwatts,".
std::string arguments_of(const Function& function, const FunctionRow* row) {
  std::string text;
  for (const Parameter& parameter : function.parameters) {
    const std::string unit = row == nullptr ? std::string{} : unit_word(*row, parameter);
    text += parameter.name + (unit.empty() ? "" : ":") + unit + ",";
  }
  return text;
}

class AdviceWriter {
 public:
  AdviceWriter(const Inputs& inputs, const FunctionRows& rows)
      : inputs_(inputs), rows_(rows), names_(abi::function_types(inputs)) {}

  Result<void> write() {
    for (std::size_t place = 0; place < names_.size(); ++place) {
      const auto row = rows_.find(names_[place]);
      const FunctionRow* known = row == rows_.end() ? nullptr : &row->second;
      const auto* spans = history(inputs_.registry.functions, names_[place]);
      if (spans == nullptr) return fail(names_[place] + " is no function of any header");
      const Function& function = newest_definition(*spans);
      facts += fmt::format("    {{{}, {}, {}}},  // {}\n", release_number(first_driver(inputs_, function.name)),
                           cpp_text(known == nullptr ? "" : known->boards), cpp_text(arguments_of(function, known)),
                           function.name);
      if (known == nullptr) continue;
      for (const auto& [code, reason] : known->errors)
        reasons += fmt::format("    {{{}, abi::{}, {}}},\n", place, code, cpp_text(reason));
      if (auto written = write_ranges(place, function, *known); !written) return written;
    }
    return {};
  }

  std::string facts;
  std::string reasons;
  std::string ranges;

 private:
  Result<void> write_ranges(std::size_t place, const Function& function, const FunctionRow& row) {
    for (const auto& [parameter, asks] : row.range) {
      const auto argument = std::ranges::find(function.parameters, parameter, &Parameter::name);
      const auto by = range_by(row, asks);
      if (!by) return std::unexpected(by.error());
      ranges += fmt::format("    {{{}, {}, {}}},  // {} of {}\n", place, argument - function.parameters.begin(), *by,
                            parameter, function.name);
    }
    return {};
  }

  // "RangeBy::limits, 17": how what tells the range is asked; a function has its place in the table, a field its id.
  Result<std::string> range_by(const FunctionRow& row, const std::string& asks) const {
    if (asks.starts_with("NVML_FI_")) {
      const auto ids = field_names(inputs_);
      const auto id = std::ranges::find(ids, asks, [](const auto& each) { return each.second; });
      if (id == ids.end())
        return fail_at(row.file, row.line, 1, fmt::format("the newest header has no field {}", asks));
      return fmt::format("RangeBy::field_count, {}", id->first);
    }
    const auto at = std::ranges::find(names_, asks);
    const Function* function = find(inputs_.newest.functions, asks);
    if (at == names_.end() || function == nullptr)
      return fail_at(row.file, row.line, 1, fmt::format("the newest header has no function {}", asks));
    if (const auto known = rows_.find(asks); known != rows_.end() && !known->second.protocol.empty())
      return fmt::format("RangeBy::listed, {}", at - names_.begin());
    std::string types;
    for (const Parameter& parameter : function->parameters)
      types += parameter.type.text() + ",";
    static const std::map<std::string, std::string_view, std::less<>> kinds{
        {"nvmlDevice_t,unsigned int*,unsigned int*,", "limits"},
        {"nvmlDevice_t,int*,int*,", "offset_limits"},
        {"nvmlDevice_t,unsigned int*,", "count"},
        {"unsigned int*,", "count_of_all"},
    };
    const auto kind = kinds.find(types);
    if (kind == kinds.end()) {
      return fail_at(row.file, row.line, 1,
                     fmt::format("{}({}) tells neither least and most nor a count, and is no list", asks, types));
    }
    return fmt::format("RangeBy::{}, {}", kind->second, at - names_.begin());
  }

  const Inputs& inputs_;
  const FunctionRows& rows_;
  std::vector<std::string> names_;
};

Result<std::string> remedies_of(const Inputs& inputs) {
  const auto file = yaml::parse_file(inputs.root / "model" / "return_codes.yaml");
  if (!file) return std::unexpected(file.error());
  std::string text;
  for (const auto& [code, row] : file->entries) {
    if (const yaml::Node* remedy = row.find("remedy"))
      text += fmt::format("    {{abi::{}, {}}},\n", code.scalar, cpp_text(remedy->scalar));
  }
  return text;
}

// A row for ids that follow each other and came with one driver.
std::string young_rows(const std::map<unsigned, YoungId>& ids) {
  std::string text;
  for (auto at = ids.begin(); at != ids.end();) {
    const auto first = at;
    auto last = at;
    while (++at != ids.end() && at->first == last->first + 1 && at->second.driver == first->second.driver)
      last = at;
    text +=
        fmt::format("    {{{}, {}, {}}},  // {}{}\n", first->first, last->first, release_number(first->second.driver),
                    first->second.name, first == last ? "" : " to " + last->second.name);
  }
  return text;
}

// An array and how many it has.
std::string rows_text(std::string_view type, std::string_view name, std::string_view count, std::string_view rows) {
  return fmt::format("const {0} {1}[] = {{\n{3}}};\nconst std::size_t {2} = std::size({1});\n\n", type, name, count,
                     rows);
}

}  // namespace

std::expected<void, Error> emit_advice(const Inputs& inputs, Output& output) {
  const auto rows = load_function_rows(inputs.root / "model" / "binding" / "functions", inputs.newest);
  if (!rows) return std::unexpected(rows.error());
  AdviceWriter writer(inputs, *rows);
  if (auto written = writer.write(); !written) return written;
  const auto remedies = remedies_of(inputs);
  if (!remedies) return std::unexpected(remedies.error());
  output.add(
      "binding/nvmlab/loader/generated/advice.cpp",
      fmt::format("// SPDX-License-Identifier: Apache-2.0\n"
                  "// Generated by nvmlgen from model/facts/, model/binding/ and model/return_codes.yaml; do not "
                  "edit, run `nvmlgen write`.\n"
                  "// What is known about functions and return codes that helps whoever reads an error.\n"
                  "#include \"nvmlab/loader/advice.hpp\"\n\n#include <iterator>\n\n"
                  "namespace nvml::inline v1::detail {{\n\n"
                  "const FunctionFacts function_facts[kFunctionCount] = {{\n{}}};\n\n{}{}{}{}{}"
                  "}}  // namespace nvml::inline v1::detail\n",
                  writer.facts, rows_text("Reason", "reasons", "reason_count", writer.reasons),
                  rows_text("Remedy", "remedies", "remedy_count", *remedies),
                  rows_text("Range", "ranges", "range_count", writer.ranges),
                  rows_text("YoungIds", "young_fields", "young_field_count", young_rows(young_fields(inputs))),
                  rows_text("YoungIds", "young_metrics", "young_metric_count", young_rows(young_metrics(inputs)))));
  return {};
}

}  // namespace nvmlab::codegen
