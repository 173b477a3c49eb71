// SPDX-License-Identifier: Apache-2.0
//
// The machine and the GPUs that a command is about: what --machine and --gpu say. Tests: tests/command/event_test.cpp,
// tests/command/fault_test.cpp, tests/command/load_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "command/cli/command_line.hpp"
#include "command/cli/output.hpp"
#include "command/machine/json.hpp"
#include "control/machine.hpp"

namespace nvmlab::tool {

struct ChosenGpus {
  Machine machine;
  std::vector<std::uint32_t> gpus;  // at least one

  // One for each of the GPUs.
  template <class Body>
  std::vector<Change> changes(const Body& body) const {
    std::vector<Change> all;
    for (const std::uint32_t gpu : gpus)
      all.push_back(make_change(gpu, body));
    return all;
  }
};

// The options of commands that list something on GPUs.
struct GpuListOptions {
  std::string machine_name;
  std::string gpu_selection = "all";
  bool json = false;

  void declare(CommandLine& line);
  // Prints the rows as JSON or as a table; `none` if there are none.
  int print_rows(const Json& rows, const Table& table, std::string_view none) const;
};

// `machine` as chosen_machine() takes it, `gpus` as select_gpus() does. The error is a sentence.
std::expected<ChosenGpus, std::string> choose_gpus(const std::string& machine, const std::string& gpus);

}  // namespace nvmlab::tool
