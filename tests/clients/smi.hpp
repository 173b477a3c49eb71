// SPDX-License-Identifier: Apache-2.0
//
// The real nvidia-smi releases and the shipped machines that the client tests run through, and what they have in
// common: running one command on one machine, and reading what it printed.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "import/capture/capture.hpp"
#include "tests/support/clients.hpp"
#include "tests/support/leaf_table.hpp"

namespace nvmlab::test {

struct Machine {
  std::string_view profile;
  std::string_view board;  // tests/clients/boards/<board>.tsv
  unsigned gpus;
  bool every_gpu_captured;  // else the first captured one stands for all
};

inline constexpr Machine machines[] = {
    {"dgx-h100", "dgx-h100", 8, true},
    {"dgx-a100", "a100-sxm4-40gb", 8, false},
    {"g4dn-xlarge", "t4", 1, true},
};

inline constexpr std::string_view releases[] = {"nvidia-smi-535", "nvidia-smi-550", "nvidia-smi-555"};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest finds it by this name
inline void PrintTo(const Machine& machine, std::ostream* out) { *out << machine.profile; }

using ReleaseOnMachine = std::tuple<std::string_view, Machine>;

// "nvidia_smi_550_dgx_h100", as ctest and --gtest_filter want names.
std::string case_name(const testing::TestParamInfo<ReleaseOnMachine>& info);

// Runs nvidia-smi on a private node of that machine.
Outcome smi(const Client& client, const std::vector<std::string>& arguments, const Node& node);
Node node_of(const Machine& machine);

// Exit code 0, nothing on stderr and no word of trouble in the output.
testing::AssertionResult went_well(const Outcome& outcome);

// The words by which nvidia-smi shows that a call failed in a way that a healthy GPU never does ("ERR!", "Unknown
// Error" ...).
std::vector<std::string> troubles(std::string_view output);

// The board's committed facts; a missing or damaged table is a failure.
LeafTable facts_of(const Machine& machine);
std::string fact(const LeafTable& table, int gpu, std::string_view leaf);

capture::Capture read_output(const Outcome& outcome, const std::string& name);

std::size_t count(std::string_view text, std::string_view part);
std::vector<std::string> lines(std::string_view text);
// One line of --format=csv.
std::vector<std::string> cells(std::string_view line);
std::vector<std::string> uuids_listed(std::string_view list);

// The names that a --help-query-... lists, aliases too.
std::vector<std::string> fields_in(std::string_view help);
// Every name that --help-query-gpu of this very release lists, aliases too.
std::vector<std::string> query_fields(const Client& client, const Node& node);
std::string joined(const std::vector<std::string>& words);

}  // namespace nvmlab::test
