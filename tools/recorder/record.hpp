// SPDX-License-Identifier: Apache-2.0
// `nvmlab record` and the program nvmlab-record: opens a library, walks it, writes a recording
// (docs/reference/recordings.md). Tests: tests/command/record_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace nvmlab::recorder {

struct RecordOptions {
  std::string program;  // that messages begin with
  std::string version;  // of nvmlab
  std::string output;   // a file, or - for standard output
  std::string library;  // empty: as nvml::OpenOptions finds it
  std::vector<std::string> skip;
  bool identifiers = false;  // keep them
  bool force = false;
  unsigned patience = 30;  // seconds for one call
};

struct RecordOutcome {
  bool good = false;
  std::string sentence;  // what was done, or what is wrong; empty: it was said already
};

RecordOutcome record(const RecordOptions& options);

// The same as text that is not compressed, into `text`, without a guard and without a word: for comparisons.
RecordOutcome record_text(const RecordOptions& options, std::string& text);

}  // namespace nvmlab::recorder
