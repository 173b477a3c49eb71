// SPDX-License-Identifier: Apache-2.0
//
// Entries of a machine's log for people and programs. What a change is called and what it takes comes from its
// declaration in engine/topics/; fields that it names by their place, from the tables of the state.
// Tests: tests/unit/command/change_text_test.cpp.
#pragma once

#include <string>

#include "command/machine/json.hpp"
#include "control/log.hpp"

namespace nvmlab::tool {

struct ChangeText {
  std::string name;  // "set-power-limit"; "set", "clear", "pin" and "release" of fields
  Json arguments;    // an object; of a field that is known in part, null
};

ChangeText text_of(const LogEntry& entry);

// "set-power-limit scope=gpu milliwatts=300000"
std::string line_of(const ChangeText& change);

}  // namespace nvmlab::tool
