// SPDX-License-Identifier: Apache-2.0
//
// A YAML document as a tree that remembers where everything stood, so that every error can name file, line and column.
// Built on libyaml's event parser; a document is read as untrusted input: depth and size are bounded, duplicate keys
// and undefined aliases are errors, and nothing is interpreted (a scalar is text until somebody asks for a number).
// Tests: tests/unit/base/yaml_tree_test.cpp.
#pragma once

#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/located_error.hpp"

namespace nvmlab::yaml {

struct Place {
  std::shared_ptr<const std::string> file;  // as the user named it
  std::size_t line = 0;                     // from 1
  std::size_t column = 0;                   // from 1
  LocatedError error(std::string message) const;
};

enum class Kind : unsigned char { null, scalar, sequence, mapping };

class Node {
 public:
  // In tree.cpp: where these are defined, a pair of nodes must be complete.
  Node();
  Node(const Node&);
  Node(Node&&) noexcept;
  Node& operator=(const Node&);
  Node& operator=(Node&&) noexcept;
  ~Node();

  Place place;
  std::string scalar;  // of a scalar
  Kind kind = Kind::null;
  bool quoted = false;
  std::vector<Node> items;                     // of a sequence
  std::vector<std::pair<Node, Node>> entries;  // of a mapping, in the order of the file

  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_mapping() const { return kind == Kind::mapping; }
  bool is_null() const { return kind == Kind::null; }
  const Node* find(std::string_view key) const;  // of a mapping; null when absent
  std::string_view describe() const;             // "a list", "a mapping", ... for messages
  LocatedError error(std::string message) const { return place.error(std::move(message)); }
};

// `name` is used in places only. An empty document is a null node.
std::expected<Node, LocatedError> parse(std::string_view text, const std::string& name);
std::expected<Node, LocatedError> parse_file(const std::filesystem::path& path);

}  // namespace nvmlab::yaml
