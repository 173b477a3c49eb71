// SPDX-License-Identifier: Apache-2.0
//
// The interface of everything that reads what other programs write: what the format is called, how it is recognised by
// its content, and what reads it. Some formats are files as a whole; most are the output of a command, which can stand
// alone or among others in one text. The reader of a format defines its ForeignFormat beside it, and one table lists
// them (foreign_formats.cpp). Tests: tests/unit/import/session_test.cpp, captures_test.cpp.
#pragma once

#include <span>
#include <string_view>

#include "import/evidence/evidence.hpp"
#include "import/formats/sections.hpp"
#include "import/importer.hpp"

namespace nvmlab::importer {

struct ForeignFormat {
  std::string_view name;  // what a user would call it, for messages and sources
  // Whether a file is of the format; of the output of a command, whether it starts at this line.
  bool (*recognises)(std::string_view bytes);
  // What could not be read at all; mistakes in values are among the evidence's problems.
  Complaints (*read)(Evidence& evidence, const Section& section);

  // Of the output of a command: whether a line that starts nothing else still belongs to it.
  bool (*continues)(std::string_view line) = nullptr;
  // Whether a line that starts it again goes on with it: a list has a line for each GPU.
  bool (*joins)(std::string_view line) = nullptr;
  // What stands in its last line, and nothing else ends it.
  std::string_view last_line = {};
  bool momentary = false;  // shows how the machine is at one moment; other commands show what it is

  bool of_command() const { return continues != nullptr || !last_line.empty(); }
};

// All of them, in the order in which they are read: what names GPUs comes before what only counts them.
std::span<const ForeignFormat* const> foreign_formats();
std::size_t order_of(const ForeignFormat& format);

// The format of a whole file; null for text that commands printed.
const ForeignFormat* format_of_file(std::string_view bytes);

extern const ForeignFormat kRecordingFormat;    // of `nvmlab record` (foreign_formats.cpp)
extern const ForeignFormat kMockFormat;         // mock/read_mock.cpp
extern const ForeignFormat kLogFormat;          // smi/read_log.cpp
extern const ForeignFormat kCsvFormat;          // smi/read_csv.cpp
extern const ForeignFormat kCsvListFormat;      // smi/read_csv_lists.cpp
extern const ForeignFormat kDeviceQueryFormat;  // cuda/read_device_query.cpp
extern const ForeignFormat kNcclFormat;         // nccl/read_nccl.cpp
extern const ForeignFormat kTableFormat;        // smi/read_version.cpp
extern const ForeignFormat kVersionFormat;      // smi/read_version.cpp
extern const ForeignFormat kGpuListFormat;      // smi/read_gpu_list.cpp
extern const ForeignFormat kTopologyFormat;     // smi/read_topology.cpp
extern const ForeignFormat kMigFormat;          // smi/read_mig.cpp

}  // namespace nvmlab::importer
