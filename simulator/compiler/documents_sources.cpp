// SPDX-License-Identifier: Apache-2.0
//
// The `sources` of a profile file, and which of them a value names.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ranges>

#include "base/nearest.hpp"
#include "compiler/documents.hpp"

namespace nvmlab::compiler {
namespace {

struct SourceKind {
  const char* name;
  const char* required;
};

constexpr SourceKind kSourceKinds[] = {
    {"capture", "file"}, {"datasheet", "title"}, {"documentation", "title"}, {"assumed", "why"}, {"derived", "why"},
};
constexpr const char* kSourceKeys[] = {"kind", "file", "driver", "title", "url", "why", "note"};

template <class Range>
std::vector<std::string> names_of(const Range& range) {
  std::vector<std::string> names;
  for (const auto& item : range) {
    if constexpr (requires { item.name; }) {
      names.emplace_back(item.name);
    } else {
      names.emplace_back(item);
    }
  }
  return names;
}

const SourceKind* find_kind(std::string_view name) {
  const auto* found = std::ranges::find_if(kSourceKinds, [&](const SourceKind& kind) { return name == kind.name; });
  return found == std::end(kSourceKinds) ? nullptr : found;
}

}  // namespace

const Source* Document::find_source(std::string_view id) const {
  const auto line = lineage();
  for (const Document* document : std::views::reverse(line)) {
    for (const auto& candidate : document->sources) {
      if (candidate->id == id) return candidate.get();
    }
  }
  return home == nullptr ? nullptr : home->find_source(id);
}

std::vector<std::string> Document::source_ids() const {
  std::vector<std::string> ids;
  const auto line = lineage();
  for (const Document* document : std::views::reverse(line)) {
    for (const auto& candidate : document->sources)
      ids.push_back(candidate->id);
  }
  if (home != nullptr) std::ranges::move(home->source_ids(), std::back_inserter(ids));
  return ids;
}

void Documents::read_sources(Document& document, const yaml::Node& sources) {
  if (!sources.is_mapping()) {
    problem(sources,
            fmt::format("{} was found; 'sources' takes a mapping from a short name to what it is", sources.describe()));
    return;
  }
  for (const auto& [id, body] : sources.entries)
    read_source(document, id, body);
}

void Documents::read_source(Document& document, const yaml::Node& id, const yaml::Node& body) {
  auto source = std::make_unique<Source>();
  source->id = id.scalar;
  source->profile = document.name;
  document.sources.push_back(std::move(source));  // known by its name even when something is wrong with it
  Source& added = *document.sources.back();
  const yaml::Node* kind_node = body.is_mapping() ? body.find("kind") : nullptr;
  const SourceKind* kind = kind_node != nullptr && kind_node->is_scalar() ? find_kind(kind_node->scalar) : nullptr;
  if (kind == nullptr) {
    const std::string found = kind_node == nullptr ? fmt::format("source {} has no 'kind'", in_quotes(id.scalar))
                              : kind_node->is_scalar()
                                  ? fmt::format("{} is no kind of source", in_quotes(kind_node->scalar))
                                  : fmt::format("{} was found", kind_node->describe());
    problem(kind_node == nullptr ? id : *kind_node,
            fmt::format("{}; the kinds are: {}", found, fmt::join(names_of(kSourceKinds), ", ")));
    return;
  }
  added.kind = kind->name;
  for (const auto& [key, value] : body.entries) {
    if (std::ranges::find(kSourceKeys, key.scalar) == std::end(kSourceKeys)) {
      problem(key, fmt::format("{} says nothing about a source; {}", in_quotes(key.scalar),
                               hint(key.scalar, names_of(kSourceKeys), "the keys")));
    } else if (!value.is_scalar()) {
      problem(value, fmt::format("{} was found; '{}' takes a text", value.describe(), key.scalar));
    } else if (key.scalar != "kind") {
      added.text += fmt::format("{}{}",
                                added.text.empty()       ? ""
                                : key.scalar == "driver" ? ", driver "
                                                         : "; ",
                                value.scalar);
    }
  }
  if (body.find(kind->required) == nullptr) {
    problem(id, fmt::format("source {} is a {}, so it needs '{}'", in_quotes(id.scalar), kind->name, kind->required));
  }
}

const Source* Documents::source_at(const yaml::Node& node, const Document& document) {
  static const Source unknown{"unknown", "assumed", "",
                              ""};  // keeps one wrong name from spoiling every value behind it
  if (!node.is_scalar()) {
    problem(node, fmt::format("{} was found; 'source' takes the name of one of the 'sources'", node.describe()));
    return &unknown;
  }
  if (const Source* source = document.find_source(node.scalar); source != nullptr) return source;
  const std::vector<std::string> ids = document.source_ids();
  problem(node, fmt::format("{} is not among the 'sources'; {}", in_quotes(node.scalar),
                            ids.empty() ? std::string("declare it there") : hint(node.scalar, ids, "they")));
  return &unknown;
}

}  // namespace nvmlab::compiler
