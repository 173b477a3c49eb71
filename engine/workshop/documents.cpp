// SPDX-License-Identifier: Apache-2.0
#include "engine/workshop/documents.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/workshop/nearest.hpp"
#include "engine/workshop/shipped.hpp"

namespace nvmlab::workshop {
namespace {

constexpr std::size_t kDeepestInheritance = 32;
constexpr std::size_t kLongestName = 63;  // ImageHeader::name with its NUL

bool is_path(std::string_view name) { return name.contains('/') || name.ends_with(".yaml") || name.ends_with(".yml"); }

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

std::string abstract_message(const Document& document) {
  return fmt::format("{} is a family that profiles inherit, not a board", in_quotes(document.name));
}

}  // namespace

bool valid_profile_name(std::string_view name) {
  const auto good = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '-' || letter == '_' || letter == '.';
  };
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, good);
}

const Source* Document::find_source(std::string_view id) const {
  for (const Document* document = this; document != nullptr; document = document->base) {
    for (const auto& candidate : document->sources) {
      if (candidate->id == id) return candidate.get();
    }
  }
  return nullptr;
}

std::vector<std::string> Document::source_ids() const {
  std::vector<std::string> ids;
  for (const Document* document = this; document != nullptr; document = document->base) {
    for (const auto& candidate : document->sources)
      ids.push_back(candidate->id);
  }
  return ids;
}

const Document* Documents::open(std::string_view name_or_path) {
  const Document* found = is_path(name_or_path) ? load_file(std::filesystem::path(name_or_path), nullptr)
                                                : load_shipped(name_or_path, nullptr);
  if (found == nullptr || !found->abstract) return found;
  problems_.push_back({{}, abstract_message(*found)});
  return nullptr;
}

const Document* Documents::refer(const yaml::Node& node, const Document& from, bool machine) {
  if (!node.is_scalar()) {
    problem(node, fmt::format("{} was found; the name of a profile would be right", node.describe()));
    return nullptr;
  }
  const std::filesystem::path beside =
      from.folder / (is_path(node.scalar) ? node.scalar : fmt::format("{}.yaml", node.scalar));
  std::error_code failed;
  const bool look_beside = !from.folder.empty() && (is_path(node.scalar) || std::filesystem::exists(beside, failed));
  const Document* found = look_beside ? load_file(beside, &node) : load_shipped(node.scalar, &node);
  if (found != nullptr && found->machine != machine) {
    problem(node, fmt::format("{} is {}; {} would be right", in_quotes(node.scalar),
                              found->machine ? "a machine" : "a GPU profile", machine ? "a machine" : "a GPU profile"));
    return nullptr;
  }
  if (found != nullptr && found->abstract && &node != from.root.find("inherits")) {
    problem(node, abstract_message(*found));
    return nullptr;
  }
  return found;
}

const Document* Documents::load_shipped(std::string_view name, const yaml::Node* asked) {
  const ShippedProfile* shipped = find_shipped(name);
  if (shipped == nullptr) {
    const std::string near = nearest(name, shipped_names());
    const std::string message = fmt::format(
        "{} is no profile; {}the shipped ones are: {}; a file is named with a slash or .yaml", in_quotes(name),
        near.empty() ? std::string() : fmt::format("did you mean '{}'? ", near), fmt::join(shipped_names(), ", "));
    problems_.push_back(asked != nullptr ? asked->error(message) : Problem{{}, message});
    return nullptr;
  }
  const std::string key = fmt::format("shipped:{}", name);
  const Document* found = nullptr;
  if (known(key, asked, &found)) return found;
  return add(key, yaml::parse(shipped->text, std::string(shipped->file)), std::string(name), {});
}

const Document* Documents::load_file(const std::filesystem::path& path, const yaml::Node* asked) {
  std::error_code failed;
  const std::string key = std::filesystem::weakly_canonical(path, failed).string();
  const Document* found = nullptr;
  if (known(key, asked, &found)) return found;
  std::filesystem::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  return add(key, yaml::parse_file(path), path.stem().string(), std::move(folder));
}

// True when there is nothing left to read: the file was read before, or must not be read now.
bool Documents::known(const std::string& key, const yaml::Node* asked, const Document** found) {
  if (std::ranges::find(opening_, key) != opening_.end()) {
    problem(*asked, fmt::format("{} inherits itself in the end; break the circle", in_quotes(asked->scalar)));
    return true;
  }
  if (opening_.size() >= kDeepestInheritance) {
    problem(*asked, fmt::format("more than {} profiles inherit one another", kDeepestInheritance));
    return true;
  }
  auto earlier = documents_.find(key);
  if (earlier == documents_.end()) return false;
  if (earlier->second->usable) *found = earlier->second.get();
  return true;
}

const Document* Documents::add(const std::string& key, std::expected<yaml::Node, yaml::Error> parsed,
                               const std::string& stem, std::filesystem::path folder) {
  Document& added = *(documents_[key] = std::make_unique<Document>());
  if (!parsed) {
    problems_.push_back(parsed.error());
    return nullptr;
  }
  added.root = std::move(*parsed);
  added.folder = std::move(folder);
  opening_.push_back(key);
  added.usable = read_head(added, stem);
  opening_.pop_back();
  return added.usable ? &added : nullptr;
}

// False when the file cannot be used at all.
bool Documents::read_head(Document& document, const std::string& stem) {
  const yaml::Node& root = document.root;
  if (!root.is_mapping()) {
    problem(root, fmt::format("{} was found; a profile is a mapping that starts with 'profile: {}' or 'machine: {}'",
                              root.describe(), stem, stem));
    return false;
  }
  const yaml::Node* as_gpu = root.find("profile");
  const yaml::Node* as_machine = root.find("machine");
  if ((as_gpu == nullptr) == (as_machine == nullptr)) {
    problem(root, fmt::format("{}; a file starts with 'profile: {}' (a GPU) or 'machine: {}'",
                              as_gpu == nullptr ? "neither 'profile' nor 'machine' is here"
                                                : "both 'profile' and 'machine' are here",
                              stem, stem));
    return false;
  }
  document.machine = as_machine != nullptr;
  const yaml::Node& name = document.machine ? *as_machine : *as_gpu;
  if (!name.is_scalar() || name.scalar != stem) {
    problem(name, fmt::format("{} was found; the file's name says '{}'",
                              name.is_scalar() ? in_quotes(name.scalar) : std::string(name.describe()), stem));
  } else if (!valid_profile_name(name.scalar)) {
    problem(name, fmt::format("{} cannot be a name; at most {} letters, digits, '-', '_' and '.' would be right",
                              in_quotes(name.scalar), kLongestName));
  }
  document.name = stem;
  if (const yaml::Node* doc = root.find("doc"); doc != nullptr && !doc->is_scalar()) {
    problem(*doc, fmt::format("{} was found; 'doc' takes one line of text", doc->describe()));
  }
  if (const yaml::Node* abstract = root.find("abstract"); abstract != nullptr && !document.machine) {
    if (abstract->scalar != "true") problem(*abstract, "'abstract' takes 'true', or is left out");
    document.abstract = abstract->scalar == "true";
  }
  if (const yaml::Node* base = root.find("inherits"); base != nullptr) {
    document.base = refer(*base, document, document.machine);
    if (document.base == nullptr) return false;
  }
  if (const yaml::Node* sources = root.find("sources"); sources != nullptr) read_sources(document, *sources);
  if (const yaml::Node* source = root.find("source"); source != nullptr) document.source = source_at(*source, document);
  return true;
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

}  // namespace nvmlab::workshop
