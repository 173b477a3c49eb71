// SPDX-License-Identifier: Apache-2.0
//
// Profile files: finding them by name or path, following `inherits`, and reading what every file has besides values
// (name, doc, sources). What the values are is not decided here (layers.hpp).
//
// A name is looked up among the shipped profiles; with a slash or an ending .yaml it is a path. What a file inherits or
// uses is looked for beside that file first. Tests: tests/unit/compiler/documents_test.cpp.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/provenance.hpp"
#include "compiler/values.hpp"

namespace nvmlab::compiler {

class CompiledBoards;

struct Document {
  yaml::Node root;
  std::string name;
  bool machine = false;                // else a GPU profile
  bool abstract = false;               // a family: only for others to inherit
  bool usable = false;                 // else a problem was reported, and it counts as not there
  std::vector<const Document*> bases;  // what it inherits, the later over the earlier
  const Document* home = nullptr;      // the machine's file, of a GPU profile that stands in one
  std::filesystem::path folder;        // empty for shipped ones
  std::vector<std::unique_ptr<Source>> sources;
  const Source* source = nullptr;    // of its values that name none
  std::unique_ptr<Source> unstated;  // that source, of a file of the user's that names none either
  const std::byte* board = nullptr;  // of a shipped one that was compiled before, and has nothing else (CompiledBoards)

  // Looks here, then in what is inherited, then in the file around.
  const Source* find_source(std::string_view id) const;
  std::vector<std::string> source_ids() const;
  // All that it inherits, then itself, in the order in which they are laid over one another. One that is reached twice
  // counts once, where it is reached first.
  std::vector<const Document*> lineage() const;
};

class Documents {
 public:
  enum class Purpose : unsigned char { use, inherit };

  // With `boards`, no file is read of the GPUs among them that a machine names.
  explicit Documents(Problems& problems, const CompiledBoards* boards = nullptr)
      : problems_(problems), boards_(boards) {}

  // What a user asked for; null after a problem that makes going on pointless.
  const Document* open(std::string_view name_or_path);
  // A shipped profile, also one that is abstract.
  const Document* open_family(std::string_view name) { return load_shipped(name, nullptr, Purpose::inherit); }
  // A file that is not written yet. `file` is its name in problems; what it refers to is shipped.
  const Document* open_text(std::string_view text, const std::string& file, const std::string& stem);
  // What a file refers to at `node`. `machine` says what it has to be; a family can only be inherited.
  const Document* refer(const yaml::Node& node, const Document& from, bool machine, Purpose purpose = Purpose::use);

  // The source that a node names; after a problem, one that stands for what is missing.
  const Source* source_at(const yaml::Node& node, const Document& document);

 private:
  bool known(const std::string& key, const yaml::Node* asked, const Document** found);
  const Document* load_shipped(std::string_view name, const yaml::Node* asked, Purpose purpose);
  const Document* load_board(std::string_view name);
  const Document* load_file(const std::filesystem::path& path, const yaml::Node* asked);
  const Document* add(const std::string& key, std::expected<yaml::Node, LocatedError> parsed, const std::string& stem,
                      std::filesystem::path folder);
  bool read_head(Document& document, const std::string& stem);
  bool read_origin(Document& document);
  bool read_bases(Document& document, const yaml::Node& inherits);
  void read_profiles(Document& machine, const yaml::Node& profiles);
  const Document* find_in_file(const Document& from, std::string_view name) const;
  void read_sources(Document& document, const yaml::Node& sources);
  void read_source(Document& document, const yaml::Node& id, const yaml::Node& body);
  void problem(const yaml::Node& node, std::string message) { problems_.push_back(node.error(std::move(message))); }

  Problems& problems_;
  const CompiledBoards* boards_;
  std::map<std::string, std::unique_ptr<Document>> documents_;
  std::vector<std::string> opening_;  // keys of the files whose `inherits` is being followed
};

bool valid_profile_name(std::string_view name);
// The problem of a name that is not valid.
std::string invalid_name(std::string_view name);

}  // namespace nvmlab::compiler
