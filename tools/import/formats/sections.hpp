// SPDX-License-Identifier: Apache-2.0
//
// The outputs of commands that stand in one text, alone or one after the other, each found by its own marks: a file
// that collects a whole session needs no treatment of its own. Logs (`nvidia-smi -q`, `-q -x`) are found by
// import/capture; this finds everything else. Tests: tests/unit/import/session_test.cpp.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "import/capture/capture.hpp"

namespace nvmlab::importer {

struct ForeignFormat;

struct Line {
  std::string_view text;
  std::size_t number = 0;  // in the file, from 1
};

// What one command printed, or a whole file.
struct Section {
  const ForeignFormat* format = nullptr;
  std::shared_ptr<const std::string> file;  // its name
  std::string_view text;
  std::size_t first_line = 1;
  std::string heading = {};                               // the heading above it: "idle :: query-gpu"
  std::shared_ptr<const capture::Capture> log = nullptr;  // of a log, which is parsed where it is found

  std::vector<Line> lines() const;
};

// The sections are views of `text`, which must outlive them.
std::vector<Section> find_sections(std::string_view text, const std::shared_ptr<const std::string>& file);

// "idle" of the heading "idle :: query (-q)"; empty where a heading names no state.
std::string_view state_of(std::string_view heading);

// Without the codes by which terminals underline.
std::string without_escapes(std::string_view line);
std::string_view trimmed(std::string_view text);
std::vector<std::string_view> words_of(std::string_view line);                // by blanks
inline bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }  // in any locale

}  // namespace nvmlab::importer
