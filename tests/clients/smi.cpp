// SPDX-License-Identifier: Apache-2.0
#include "tests/clients/smi.hpp"

#include <algorithm>
#include <array>

#include "tests/support/files.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

// NVML's error texts that mean "the library could not answer", as against "this board has no such thing".
constexpr std::array words_of_trouble{
    std::string_view{"ERR!"},          std::string_view{"Unknown Error"},    std::string_view{"Function Not Found"},
    std::string_view{"Uninitialized"}, std::string_view{"Invalid Argument"}, std::string_view{"Insufficient Size"},
    std::string_view{"GPU is lost"},   std::string_view{"version mismatch"}, std::string_view{"Internal error"},
    std::string_view{"Unable to "},    std::string_view{"Failed to "},       std::string_view{"Mismatch in versions"},
};

// "\"name\" or \"gpu_name\"": the quoted words of a line that holds nothing else.
std::vector<std::string> names_in(std::string_view line) {
  std::vector<std::string> names;
  while (line.starts_with('"')) {
    const auto end = line.find('"', 1);
    if (end == std::string_view::npos) return {};
    const auto name = line.substr(1, end - 1);
    if (name.empty() || name.find(' ') != std::string_view::npos) return {};
    names.emplace_back(name);
    line.remove_prefix(end + 1);
    if (line.empty()) return names;
    constexpr std::string_view separator = " or ";
    if (!line.starts_with(separator)) return {};
    line.remove_prefix(separator.size());
  }
  return {};
}

}  // namespace

std::string case_name(const testing::TestParamInfo<ReleaseOnMachine>& info) {
  return in_underscores(std::string{std::get<0>(info.param)} + "_" + std::string{std::get<1>(info.param).profile});
}

Outcome smi(const Client& client, const std::vector<std::string>& arguments, const Node& node) {
  return run(on_node(client, arguments, node));
}

Node node_of(const Machine& machine) {
  Node node;
  node.profile = machine.profile;
  return node;
}

testing::AssertionResult went_well(const Outcome& outcome) {
  if (!outcome.ok()) return testing::AssertionFailure() << outcome.story();
  if (!outcome.err.empty()) return testing::AssertionFailure() << "wrote to stderr: " << outcome.err;
  if (const auto found = troubles(outcome.out); !found.empty()) {
    return testing::AssertionFailure() << "shows trouble:\n" << joined(found);
  }
  return testing::AssertionSuccess();
}

std::vector<std::string> troubles(std::string_view output) {
  std::vector<std::string> found;
  for (const auto& line : lines(output)) {
    if (std::ranges::any_of(words_of_trouble, [&](auto word) { return line.find(word) != std::string::npos; })) {
      found.push_back(line);
    }
  }
  return found;
}

LeafTable facts_of(const Machine& machine) {
  const auto file = source_folder() / "tests" / "clients" / "boards" / (std::string{machine.board} + ".tsv");
  const auto bytes = read_file(file);
  if (!bytes) {
    ADD_FAILURE() << file << " cannot be read";
    return {};
  }
  auto table = read_table(*bytes, file.string());
  if (!table) ADD_FAILURE() << table.error().text();
  return table.value_or(LeafTable{});
}

std::string fact(const LeafTable& table, int gpu, std::string_view leaf) {
  for (const auto& row : table.leaves) {
    if (row.gpu == gpu && row.path == leaf) return row.value;
  }
  ADD_FAILURE() << table.board << " has no fact " << leaf;
  return {};
}

capture::Capture read_output(const Outcome& outcome, const std::string& name) {
  auto capture = capture::read_capture(outcome.out, name);
  if (!capture) ADD_FAILURE() << capture.error().text() << "\n" << outcome.story();
  return capture.value_or(capture::Capture{});
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size()))
    ++found;
  return found;
}

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    result.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::vector<std::string> cells(std::string_view line) {
  constexpr std::string_view separator = ", ";
  std::vector<std::string> result;
  while (true) {
    const auto end = line.find(separator);
    result.emplace_back(line.substr(0, end));
    if (end == std::string_view::npos) return result;
    line.remove_prefix(end + separator.size());
  }
}

std::vector<std::string> uuids_listed(std::string_view list) {
  constexpr std::string_view mark = "(UUID: ";
  std::vector<std::string> result;
  for (const auto& line : lines(list)) {
    const auto begin = line.find(mark);
    const auto end = line.rfind(')');
    if (!line.starts_with("GPU ") || begin == std::string::npos || end == std::string::npos) continue;
    result.push_back(line.substr(begin + mark.size(), end - begin - mark.size()));
  }
  return result;
}

std::vector<std::string> query_fields(const Client& client, const Node& node) {
  const auto help = smi(client, {"--help-query-gpu"}, node);
  EXPECT_TRUE(help.ok()) << help.story();
  return fields_in(help.out);
}

std::vector<std::string> fields_in(std::string_view help) {
  std::vector<std::string> fields;
  for (const auto& line : lines(help)) {
    for (auto& name : names_in(line))
      fields.push_back(std::move(name));
  }
  return fields;
}

std::string joined(const std::vector<std::string>& words) {
  std::string result;
  for (const auto& word : words)
    result += (result.empty() ? "" : ",") + word;
  return result;
}

}  // namespace nvmlab::test
