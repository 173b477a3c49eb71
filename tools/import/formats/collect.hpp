// SPDX-License-Identifier: Apache-2.0
//
// What one text holds: logs, and the outputs of other commands. A file that a tool collected may hold a machine in
// several states ("idle :: query (-q)", "load :: query (-q)"): one of them is taken.
// Tests: tests/unit/import/captures_test.cpp, session_test.cpp.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "import/formats/sections.hpp"
#include "import/importer.hpp"

namespace nvmlab::importer {

struct CollectedText {
  std::string name;
  std::shared_ptr<const std::string> text;  // what sections point into
  std::vector<Section> sections;            // logs first
};

// The error is a whole message.
std::expected<CollectedText, std::string> collect(const Input& input);

// The states in which the text shows the machine, in its order.
std::vector<std::string> states_of(const CollectedText& collected);

// Leaves the state that is wanted, else the one called idle, else the first; a note says which of several.
void take_state(CollectedText& collected, const std::string& wanted, std::vector<std::string>& notes);

}  // namespace nvmlab::importer
