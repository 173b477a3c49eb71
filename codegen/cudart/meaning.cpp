// SPDX-License-Identifier: Apache-2.0
#include "codegen/cudart/meaning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/yaml/tree.hpp"
#include "codegen/cuda/verdict_files.hpp"

namespace nvmlab::codegen::cudart {
namespace {

using cuda::text_of;
using yaml::Node;

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

std::expected<void, Error> read_verdicts(const std::filesystem::path& folder, const Facts& facts, Meaning& into) {
  cuda::VerdictReader reader;
  for (const auto& [symbol, forms] : facts.functions)
    reader.symbols.insert(symbol);
  reader.accept = [&](const std::string& symbol, const Node& node,
                      const std::string& topic) -> std::expected<void, Error> {
    auto verdict = read_verdict(node, topic, facts);
    if (!verdict) return std::unexpected(verdict.error());
    into.verdicts[symbol] = std::move(*verdict);
    return {};
  };
  reader.refuse = [&into](const std::string& symbol, const std::string& why, const std::string& topic) {
    into.verdicts[symbol] = {topic, Kind::refuse, why, {}};
  };
  return cuda::read_verdict_files(folder, reader);
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
