// SPDX-License-Identifier: Apache-2.0
//
// Most profiles use little of YAML: mappings and lists of words, in blocks or in braces, with comments between them. A
// process that starts from such a file would spend half of its time in libyaml, so it is read here, in a quarter of the
// instructions. What is not plainly of that kind (anchors, tags, texts over several lines, escapes, anything but
// printable ASCII, a second document, and every mistake) is left to libyaml, which then reads the file from its
// beginning and has the last word. Tests: tests/unit/base/yaml_simple_test.cpp, against libyaml.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/yaml/tree.hpp"

namespace nvmlab::yaml {

// False, with `root` in any state, for what is left to libyaml.
bool read_simple(std::string_view text, const std::shared_ptr<const std::string>& file, Node& root);

// The value of a scalar, as both ways take it.
void take_scalar(std::string_view text, bool quoted, Node& node);

// By libyaml, whatever the text is.
std::expected<Node, LocatedError> parse_any(std::string_view text, const std::string& name);

}  // namespace nvmlab::yaml
