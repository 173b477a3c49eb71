// SPDX-License-Identifier: Apache-2.0
//
// nvmlab import: captures of one machine become its profile, one YAML text with the machine and its boards. Every value
// names the capture that it was read from; what no capture tells is inherited from the chip's family. What an input is
// shows in its content: a whole file of some kind (kinds.hpp), or text with logs and the outputs of other commands
// (collect.hpp). Which printed element of a log is which field stands in one table (rules.hpp); nothing knows a file or
// a board.
// Tests: tests/unit/import/, tests/import/golden/.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "base/complaints.hpp"
#include "import/leaves/leaf_ledger.hpp"

namespace nvmlab::importer {

struct Input {
  std::string name;  // as the user gave it; the profile says the last part of it
  std::string bytes;
};

struct Options {
  std::string state = {};   // of those that a collection of outputs shows: "load"; empty for idle
  std::string driver = {};  // of inputs that do not name it: "550"; empty: as far as they give it away
  bool partial = false;     // take a log that holds fewer GPUs than it says are attached
};

struct Imported {
  std::string yaml;
  std::string summary;             // one line: what the machine is
  std::vector<std::string> notes;  // contradictions and what was left out, each with file and line
  LeafLedger leaves;               // what became of every leaf of the logs
};

// `machine` is the name that the profile gives itself: that of its file without `.yaml`.
std::expected<Imported, Complaints> import_captures(std::span<const Input> inputs, const std::string& machine,
                                                    const Options& options = {});

}  // namespace nvmlab::importer
