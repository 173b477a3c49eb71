// SPDX-License-Identifier: Apache-2.0
#include "codegen/cudart/meaning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/yaml/tree.hpp"

namespace nvmlab::codegen::cudart {
namespace {

using yaml::Node;

std::string text_of(const Node& node, std::string_view key) {
  const Node* found = node.find(key);
  return found == nullptr ? std::string{} : found->scalar;
}

// Symbols that a key of a `functions` mapping stands for: itself and its forms for each default stream.
std::vector<std::string> forms_of(const std::string& symbol, const Facts& facts) {
  std::vector<std::string> forms;
  for (const char* stream : {"", "_ptds", "_ptsz"}) {
    if (facts.functions.contains(symbol + stream)) forms.push_back(symbol + stream);
  }
  return forms;
}

// forward: cuGraphClone, or {12: cuGraphGetEdges, 13: cuGraphGetEdges_v2}.
void read_targets(const Node& forward, const Facts& facts, Verdict& verdict) {
  for (const auto& [major, release] : facts.releases) {
    const std::string target = forward.is_mapping() ? text_of(forward, std::to_string(major)) : forward.scalar;
    if (!target.empty()) verdict.targets[major] = target;
  }
}

Result<Verdict> read_verdict(const Node& node, const std::string& topic, const Facts& facts) {
  Verdict verdict;
  verdict.topic = topic;
  if (node.is_mapping()) {
    if (const Node* forward = node.find("forward")) {
      verdict.kind = Kind::forward;
      read_targets(*forward, facts, verdict);
      if (!verdict.targets.empty()) return verdict;
    }
    for (const Kind kind : {Kind::call, Kind::own}) {
      verdict.kind = kind;
      verdict.why = text_of(node, kind == Kind::call ? "call" : "own");
      if (!verdict.why.empty()) return verdict;
    }
  }
  return fail_at(node, "{call: what it does}, {own: what it does} or {forward: a function of the driver} was expected");
}

std::expected<void, Error> add_functions(const Node& functions, const std::string& topic, const Facts& facts,
                                         Meaning& into) {
  for (const auto& [key, value] : functions.entries) {
    const auto verdict = read_verdict(value, topic, facts);
    if (!verdict) return std::unexpected(verdict.error());
    const auto forms = forms_of(key.scalar, facts);
    if (forms.empty()) return fail_at(key, fmt::format("there is no function {}", key.scalar));
    for (const std::string& form : forms) {
      if (!into.verdicts.emplace(form, *verdict).second)
        return fail_at(key, fmt::format("{} has a verdict already", form));
    }
  }
  return {};
}

// After all others: a base name has those of its versions that nothing else was said of.
std::expected<void, Error> add_refusals(const Node& groups, const std::string& topic, const Facts& facts,
                                        Meaning& into) {
  for (const Node& group : groups.items) {
    const std::string why = text_of(group, "why");
    const Node* const names = group.find("functions");
    if (why.empty() || names == nullptr || !names->is_sequence())
      return fail_at(group, "{why: reason, functions: [names without their versions]} was expected");
    for (const Node& name : names->items) {
      bool any = false;
      for (const auto& [symbol, forms] : facts.functions) {
        if (cuda::parts_of(symbol).base == name.scalar)
          any = into.verdicts.emplace(symbol, Verdict{topic, Kind::refuse, why, {}}).second || any;
      }
      if (!any) return fail_at(name, fmt::format("there is no function {} without a verdict", name.scalar));
    }
  }
  return {};
}

Result<std::vector<Node>> topic_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code))
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Node> files;
  for (const auto& path : paths) {
    auto file = yaml::parse_file(path);
    if (!file) return std::unexpected(file.error());
    files.push_back(std::move(*file));
  }
  return files;
}

std::expected<void, Error> read_verdicts(const std::filesystem::path& folder, const Facts& facts, Meaning& into) {
  const auto files = topic_files(folder);
  if (!files) return std::unexpected(files.error());
  for (const bool refusals : {false, true}) {
    for (const Node& file : *files) {
      const Node* const found = file.find(refusals ? "unsupported" : "functions");
      if (found == nullptr) continue;
      const std::string topic = text_of(file, "topic");
      auto added = refusals ? add_refusals(*found, topic, facts, into) : add_functions(*found, topic, facts, into);
      if (!added) return added;
    }
  }
  for (const auto& [symbol, forms] : facts.functions) {
    if (!into.verdicts.contains(symbol)) return fail(fmt::format("{} has no verdict in {}", symbol, folder.string()));
  }
  return {};
}

std::expected<void, Error> read_errors(const std::filesystem::path& path, const Facts& facts, Meaning& into) {
  const auto file = yaml::parse_file(path);
  if (!file) return std::unexpected(file.error());
  for (const auto& [name, value] : facts.errors) {
    const Node* const text = file->find(name);
    if (text == nullptr) return fail_at(*file, fmt::format("{} is missing", name));
    into.errors.push_back({name, value, text->scalar});
  }
  std::ranges::sort(into.errors, {}, &ErrorText::value);
  return {};
}

}  // namespace

Result<Meaning> load_meaning(const std::filesystem::path& folder, const Facts& facts) {
  Meaning meaning;
  if (auto read = read_verdicts(folder / "functions", facts, meaning); !read) return std::unexpected(read.error());
  if (auto read = read_errors(folder / "errors.yaml", facts, meaning); !read) return std::unexpected(read.error());
  return meaning;
}

}  // namespace nvmlab::codegen::cudart
