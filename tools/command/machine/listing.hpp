// SPDX-License-Identifier: Apache-2.0
//
// Values of a machine by their names: which names a path stands for, and lines in which GPUs that agree share a line.
// Tests: tests/unit/command/listing_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "command/cli/output.hpp"
#include "compiler/paths.hpp"
#include "compiler/provenance.hpp"
#include "control/view.hpp"

namespace nvmlab::tool {

struct Listing {
  struct Entry {
    compiler::FieldRef ref;
    bool named = false;  // by the user; else it came with its topic, and is left out where nothing is known of it
  };
  std::vector<Entry> entries;
};

// Fields and topics, or everything without a path. Records and lists of records that come with a topic fall apart into
// their members and items, as many as some GPU of the view has.
std::expected<Listing, Complaints> resolve(const std::vector<std::string>& paths, const control::MachineView& view);

struct FieldLine {
  std::string path;
  std::string value;  // as people read it, with its unit
  std::string source;
  std::vector<std::uint32_t> gpus;  // empty for fields of the node
  bool whole = false;               // shown at any length, because the user named it
};

struct LineOptions {
  bool unsupported = false;  // also fields that NVML does not support here
  const compiler::Provenance* provenance = nullptr;
};

// The error is that of a named item that a list does not have.
std::expected<std::vector<FieldLine>, Complaints> lines_of(const Listing& listing, const control::MachineView& view,
                                                           const LineOptions& options);

// What stands behind an equals sign would set it again. For one value.
std::expected<std::string, std::string> plain_value(const compiler::FieldRef& ref, const control::MachineView& view);

// A number with the unit of its field; other values as they are.
std::string with_unit(const compiler::FieldRef& ref, std::string value);

// Long values that nobody asked for by name are cut.
std::string listing_table(const std::vector<FieldLine>& lines, const control::MachineView& view, bool sources);

}  // namespace nvmlab::tool
