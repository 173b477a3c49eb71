// SPDX-License-Identifier: Apache-2.0
//
// What `nvmlab compare` and `nvmlab profiles diff` take: a capture, a recording, a profile, a machine file, a machine
// that is up. A word is looked up as a file first, then among the shipped profiles, then among the machines that are
// up; machine:NAME is always the last. FILE#2 is the second log in a file that holds several, FILE#load the first one
// whose heading has that word. Tests: tests/command/compare_test.cpp.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "command/profile/sources.hpp"
#include "compare/side.hpp"
#include "import/capture/capture.hpp"
#include "import/importer.hpp"
#include "import/recording/recording.hpp"

namespace nvmlab::tool {

struct CompareSource {
  std::string name;  // as the user gave it
  std::string kind;  // "GPU profile"
  bool profile = false;
  bool one_board = false;
  std::optional<compare::Side> told_fields;   // of everything that is a machine already
  std::optional<capture::Capture> log;        // of a capture; nothing where the file holds no log of nvidia-smi
  std::optional<recording::Recording> calls;  // of a recording
  std::vector<importer::Input> inputs;        // of a capture or recording
  std::size_t logs = 0;                       // in the file, where the user did not say which
};

std::expected<CompareSource, Complaints> open_compare_source(const std::string& word);

// As fields of the state vocabulary; imports what is a capture.
std::expected<compare::Side, Complaints> fields_of(const CompareSource& source, importer::LeafLedger* leaves = nullptr);

// As printed. For captures with a log.
compare::Side leaves_of(const CompareSource& source);

// Call by call. For two recordings.
std::pair<compare::Side, compare::Side> calls_of(const CompareSource& a, const CompareSource& b);

}  // namespace nvmlab::tool
