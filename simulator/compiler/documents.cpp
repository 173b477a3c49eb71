// SPDX-License-Identifier: Apache-2.0
#include "compiler/documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/nearest.hpp"
#include "compiler/compiled_boards.hpp"
#include "compiler/shipped.hpp"

namespace nvmlab::compiler {
namespace {

constexpr std::size_t kDeepestInheritance = 32;
constexpr std::size_t kLongestName = 63;  // ImageHeader::name with its NUL

bool is_yaml(std::string_view name) { return name.ends_with(".yaml") || name.ends_with(".yml"); }
bool is_path(std::string_view name) { return name.contains('/') || is_yaml(name); }

// Beside the keys of files; a path holds no such byte.
std::string in_file_key(const Document& machine, std::string_view name) {
  return fmt::format("{}\n{}\n{}", machine.folder.string(), machine.name, name);
}

std::string abstract_message(const Document& document) {
  return fmt::format("{} is a family that profiles inherit, not a board", in_quotes(document.name));
}

// Of shipped profiles; a family is of use to those that inherit alone.
std::vector<std::string> offered_names(bool families) {
  std::vector<std::string> names;
  for (const ShippedProfile& profile : shipped_profiles()) {
    const bool family = profile.text.contains("\nabstract: true\n");
    if (families || !family) names.emplace_back(profile.name);
  }
  return names;
}

// Looks before it descends: a hostile lattice of files has more ways through it than files.
void add_lineage(const Document& document, std::vector<const Document*>& line) {
  if (std::ranges::find(line, &document) != line.end()) return;
  for (const Document* base : document.bases)
    add_lineage(*base, line);
  line.push_back(&document);
}

}  // namespace

bool valid_profile_name(std::string_view name) {
  const auto good = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '-' || letter == '_' || letter == '.';
  };
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, good);
}

std::string invalid_name(std::string_view name) {
  return fmt::format("{} cannot be a name; at most {} letters, digits, '-', '_' and '.' would be right",
                     in_quotes(name), kLongestName);
}

std::vector<const Document*> Document::lineage() const {
  std::vector<const Document*> line;
  add_lineage(*this, line);
  return line;
}

const Document* Documents::open(std::string_view name_or_path) {
  const Document* found = is_path(name_or_path) ? load_file(std::filesystem::path(name_or_path), nullptr)
                                                : load_shipped(name_or_path, nullptr, Purpose::use);
  if (found == nullptr || !found->abstract) return found;
  problems_.push_back({.message = abstract_message(*found)});
  return nullptr;
}

const Document* Documents::open_text(std::string_view text, const std::string& file, const std::string& stem) {
  return add(file, yaml::parse(text, file), stem, {});
}

const Document* Documents::refer(const yaml::Node& node, const Document& from, bool machine, Purpose purpose) {
  if (!node.is_scalar()) {
    problem(node, fmt::format("{} was found; the name of a profile would be right", node.describe()));
    return nullptr;
  }
  // A profile may come from anywhere, and does not get to open whatever lies on this machine.
  if (is_path(node.scalar) && !is_yaml(node.scalar)) {
    problem(node, fmt::format("{} is no profile; the file of one is named with .yaml", in_quotes(node.scalar)));
    return nullptr;
  }
  if (const Document* here = machine ? nullptr : find_in_file(from, node.scalar)) return here;
  const std::filesystem::path beside =
      from.folder / (is_path(node.scalar) ? node.scalar : fmt::format("{}.yaml", node.scalar));
  std::error_code failed;
  const bool look_beside = !from.folder.empty() && (is_path(node.scalar) || std::filesystem::exists(beside, failed));
  const Document* found = look_beside ? load_file(beside, &node) : load_shipped(node.scalar, &node, purpose);
  if (found != nullptr && found->machine != machine) {
    problem(node, fmt::format("{} is {}; {} would be right", in_quotes(node.scalar),
                              found->machine ? "a machine" : "a GPU profile", machine ? "a machine" : "a GPU profile"));
    return nullptr;
  }
  if (found != nullptr && found->abstract && purpose == Purpose::use) {
    problem(node, abstract_message(*found));
    return nullptr;
  }
  return found;
}

const Document* Documents::load_shipped(std::string_view name, const yaml::Node* asked, Purpose purpose) {
  const ShippedProfile* shipped = find_shipped(name);
  if (shipped == nullptr) {
    const std::string like = did_you_mean(similar(name, offered_names(purpose == Purpose::inherit)));
    const std::string message = fmt::format(
        "there is no profile {}; {}{}`nvmlab profiles` lists them; a file's name has a slash or ends in .yaml",
        in_quotes(name), like, like.empty() ? "" : " ");
    problems_.push_back(asked != nullptr ? asked->error(message) : Problem{.message = message});
    return nullptr;
  }
  if (purpose == Purpose::use && asked != nullptr && boards_ != nullptr) {
    if (const Document* board = load_board(name)) return board;
  }
  const std::string key = fmt::format("shipped:{}", name);
  const Document* found = nullptr;
  if (known(key, asked, &found)) return found;
  return add(key, yaml::parse(shipped->text, std::string(shipped->file)), std::string(name), {});
}

// Null where no such board was compiled.
const Document* Documents::load_board(std::string_view name) {
  const std::byte* const board = boards_->find(name);
  if (board == nullptr) return nullptr;
  auto& document = documents_[fmt::format("board:{}", name)];
  if (document == nullptr) document = std::make_unique<Document>();
  document->name = name;
  document->board = board;
  document->usable = true;
  return document.get();
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

const Document* Documents::add(const std::string& key, std::expected<yaml::Node, LocatedError> parsed,
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
    problem(name, invalid_name(name.scalar));
  }
  document.name = stem;
  if (const yaml::Node* doc = root.find("doc"); doc != nullptr && !doc->is_scalar()) {
    problem(*doc, fmt::format("{} was found; 'doc' takes one line of text", doc->describe()));
  }
  if (const yaml::Node* abstract = root.find("abstract"); abstract != nullptr && !document.machine) {
    if (abstract->scalar != "true") problem(*abstract, "'abstract' takes 'true', or is left out");
    document.abstract = abstract->scalar == "true";
  }
  if (!read_origin(document)) return false;
  const yaml::Node* profiles = document.machine ? root.find("profiles") : nullptr;
  if (profiles != nullptr) read_profiles(document, *profiles);
  return true;
}

// What it inherits, and where its values come from.
bool Documents::read_origin(Document& document) {
  const yaml::Node& root = document.root;
  if (const yaml::Node* base = root.find("inherits"); base != nullptr) {
    if (!read_bases(document, *base)) return false;
  }
  if (document.home != nullptr) document.source = document.home->source;
  if (const yaml::Node* sources = root.find("sources"); sources != nullptr) read_sources(document, *sources);
  if (const yaml::Node* source = root.find("source"); source != nullptr) document.source = source_at(*source, document);
  // The shipped profiles have to say where each value comes from; who writes one of their own need not.
  if (document.source == nullptr && document.home == nullptr && !document.folder.empty()) {
    document.unstated = std::make_unique<Source>();
    document.unstated->kind = "assumed";
    document.unstated->text = fmt::format("{}.yaml, which names no source", document.name);
    document.unstated->profile = document.name;
    document.source = document.unstated.get();
  }
  return true;
}

// One name, or a list of names.
bool Documents::read_bases(Document& document, const yaml::Node& inherits) {
  const std::span<const yaml::Node> names =
      inherits.is_sequence() ? std::span<const yaml::Node>(inherits.items) : std::span(&inherits, 1);
  if (names.empty()) {
    problem(inherits, "an empty list was found; the name of a profile would be right");
    return false;
  }
  for (const yaml::Node& name : names) {
    const Document* base = refer(name, document, document.machine, Purpose::inherit);
    if (base == nullptr) return false;
    document.bases.push_back(base);
  }
  return true;
}

// GPU profiles that stand in a machine's file. One can inherit another that stands above it.
void Documents::read_profiles(Document& machine, const yaml::Node& profiles) {
  if (!profiles.is_mapping()) {
    return problem(profiles, fmt::format("{} was found; 'profiles' takes a mapping from a name to a GPU profile",
                                         profiles.describe()));
  }
  for (const auto& [name, body] : profiles.entries) {
    if (!valid_profile_name(name.scalar) || !body.is_mapping()) {
      problem(name, fmt::format("{} is no GPU profile; a name with a mapping of topics would be right",
                                in_quotes(name.scalar)));
      continue;
    }
    auto added = std::make_unique<Document>();
    added->root = body;
    added->name = name.scalar;
    added->folder = machine.folder;
    added->home = &machine;
    added->usable = read_origin(*added);
    documents_[in_file_key(machine, name.scalar)] = std::move(added);
  }
}

const Document* Documents::find_in_file(const Document& from, std::string_view name) const {
  const Document& machine = from.home == nullptr ? from : *from.home;
  const auto found = documents_.find(in_file_key(machine, name));
  return found == documents_.end() || !found->second->usable ? nullptr : found->second.get();
}

}  // namespace nvmlab::compiler
