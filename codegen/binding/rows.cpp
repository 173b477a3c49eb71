// SPDX-License-Identifier: Apache-2.0
#include "codegen/binding/rows.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "base/yaml/tree.hpp"

namespace nvmlab::codegen {
namespace {

using yaml::Node;

bool has_parameter(const Function& function, const std::string& name) {
  return std::ranges::find(function.parameters, name, &Parameter::name) != function.parameters.end();
}

// `units: {power: milliwatts}` and its like: by parameter.
Result<void> by_parameter(const Node& content, const Function& function,
                          std::map<std::string, std::string, std::less<>>& into) {
  if (!content.is_mapping()) return fail_at(content, "a mapping from parameters was expected");
  for (const auto& [parameter, value] : content.entries) {
    if (!has_parameter(function, parameter.scalar))
      return fail_at(parameter, "'" + parameter.scalar + "' is not a parameter of " + function.name);
    into[parameter.scalar] = value.scalar;
  }
  return {};
}

Result<void> names(const Node& content, std::vector<std::string>& into) {
  if (!content.is_sequence()) return fail_at(content, "a list was expected");
  for (const Node& item : content.items)
    into.push_back(item.scalar);
  return {};
}

Result<void> texts(const Node& name, const Node& content, FunctionRow& row) {
  const std::map<std::string_view, std::string FunctionRow::*> members{
      {"says", &FunctionRow::says},       {"boards", &FunctionRow::boards},     {"name", &FunctionRow::name},
      {"on", &FunctionRow::on},           {"protocol", &FunctionRow::protocol}, {"text", &FunctionRow::text},
      {"shape", &FunctionRow::shape},     {"family", &FunctionRow::family},     {"result", &FunctionRow::result},
      {"subject", &FunctionRow::subject},
  };
  const auto member = members.find(name.scalar);
  if (member == members.end()) {
    return fail_at(name, "'" + name.scalar +
                             "' is not part of a row; one of says, boards, name, on, units, nothing, roles, protocol, "
                             "empty, keys, text, errors, shape, family, names, range, tells, result, subject");
  }
  if (!content.is_scalar() || content.scalar.empty()) return fail_at(content, "a text was expected");
  row.*(member->second) = content.scalar;
  return {};
}

Result<void> check_codes(const Node& key, const FunctionRow& row, const Release& newest) {
  std::vector<std::string> codes = row.empty;
  std::ranges::copy(row.errors | std::views::keys, std::back_inserter(codes));
  const Enum* returns = find(newest.enums, "nvmlReturn_t");
  for (const std::string& code : codes) {
    if (returns == nullptr ||
        std::ranges::find(returns->enumerators, code, &Enumerator::name) == returns->enumerators.end())
      return fail_at(key, "'" + code + "' is no return code");
  }
  return {};
}

Result<void> check_words(const Node& key, const FunctionRow& row) {
  for (const auto& [parameter, role] : row.roles) {
    if (role != "in" && role != "out" && role != "inout")
      return fail_at(key, "the role of " + parameter + " is '" + role + "'; in, out or inout was expected");
  }
  if (!row.protocol.empty() && (row.protocol.size() != 1 || row.protocol < "A" || row.protocol > "H"))
    return fail_at(key, "the protocol is '" + row.protocol + "'; a letter from A to H was expected");
  if (!row.shape.empty() && row.shape != "hand")
    return fail_at(key, "the shape is '" + row.shape + "'; hand was expected");
  return {};
}

Result<FunctionRow> read_row(const Node& key, const Node& content, const Function& function) {
  if (!content.is_mapping()) return fail_at(content, key.scalar + " needs a mapping");
  FunctionRow row;
  if (key.place.file) row.file = *key.place.file;
  row.line = key.place.line;
  for (const auto& [name, value] : content.entries) {
    Result<void> read;
    if (name.scalar == "units") {
      for (const auto& [each, unit] : value.entries)
        row.units[each.scalar] = unit.scalar;
    } else if (name.scalar == "nothing") {
      read = by_parameter(value, function, row.nothing);
    } else if (name.scalar == "roles") {
      read = by_parameter(value, function, row.roles);
    } else if (name.scalar == "tells") {
      read = by_parameter(value, function, row.tells);
    } else if (name.scalar == "range") {
      read = by_parameter(value, function, row.range);
    } else if (name.scalar == "names") {
      for (const auto& [each, in_cpp] : value.entries)
        row.names[each.scalar] = in_cpp.scalar;
    } else if (name.scalar == "empty") {
      read = names(value, row.empty);
    } else if (name.scalar == "keys") {
      read = names(value, row.keys);
    } else if (name.scalar == "errors") {
      for (const auto& [code, reason] : value.entries)
        row.errors.emplace_back(code.scalar, reason.scalar);
    } else {
      read = texts(name, value, row);
    }
    if (!read) return std::unexpected(read.error());
  }
  for (const auto* by_name : {&row.names, &row.units}) {
    for (const auto& each : *by_name | std::views::keys) {
      if (!has_parameter(function, each) && std::ranges::find(row.keys, each) == row.keys.end())
        return fail_at(key, "'" + each + "' is neither a parameter nor a key of " + function.name);
    }
  }
  if (row.says.empty()) return fail_at(key, key.scalar + " needs `says`: what the function does, in a sentence");
  return row;
}

Result<void> read_file(const std::filesystem::path& file, const Release& newest, FunctionRows& rows) {
  auto root = yaml::parse_file(file);
  if (!root) return std::unexpected(root.error());
  const Node* subject = root->find("subject");
  if (subject == nullptr || subject->scalar.empty())
    return fail_at(*root, "`subject` is missing: the heading of these functions in the reference");
  const Node* functions = root->find("functions");
  if (functions == nullptr || !functions->is_mapping()) return fail_at(*root, "a mapping `functions` is missing");
  for (const auto& [key, content] : functions->entries) {
    const Function* function = find(newest.functions, key.scalar);
    if (function == nullptr) return fail_at(key, "the newest header has no function " + key.scalar);
    auto row = read_row(key, content, *function);
    if (!row) return std::unexpected(row.error());
    if (auto checked = check_codes(key, *row, newest); !checked) return std::unexpected(checked.error());
    if (auto checked = check_words(key, *row); !checked) return std::unexpected(checked.error());
    row->topic = file.stem().string();
    if (row->subject.empty()) row->subject = subject->scalar;
    if (!rows.emplace(key.scalar, std::move(*row)).second) return fail_at(key, key.scalar + " has a row already");
  }
  return {};
}

}  // namespace

Result<FunctionRows> load_function_rows(const std::filesystem::path& folder, const Release& newest) {
  FunctionRows rows;
  if (!std::filesystem::exists(folder)) return rows;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    if (auto read = read_file(file, newest, rows); !read) return std::unexpected(read.error());
  }
  return rows;
}

}  // namespace nvmlab::codegen
