// SPDX-License-Identifier: Apache-2.0
// nvmlab words KIND: candidates for shell completion, one a line. It says nothing when something is wrong: a shell that
// is completing has no place for messages. Tests: tests/tool/completion_test.cpp.
#include "compiler/paths.hpp"
#include "compiler/shipped.hpp"
#include "tool/cli/command.hpp"
#include "tool/cli/driver_branches.hpp"
#include "tool/cli/output.hpp"
#include "tool/machine/machines.hpp"
#include "tool/machine/snapshot.hpp"
#include "tool/profile/facts.hpp"

namespace nvmlab::tool {
namespace {

struct Words {
  std::string kind;

  void declare(CommandLine& line) { line.argument("KIND", kind, "profiles, machines, drivers, fields or gpus"); }
  int run() const;
};

int Words::run() const {
  if (kind == "profiles") {
    for (const auto& profile : compiler::shipped_profiles()) {
      if (!head_of(profile).family) print("{}\n", profile.name);
    }
  } else if (kind == "machines") {
    if (const auto machines = list_machines()) {
      for (const ListedMachine& machine : *machines)
        print("{}\n", machine.name);
    }
  } else if (kind == "drivers") {
    for (const DriverRelease* branch : driver_branches())
      print("{}\n", branch->major);
  } else if (kind == "fields") {
    for (const Topic& topic : topics()) {
      for (std::uint32_t i = 0; i < topic.table.field_count; ++i)
        print("{}.{}\n", topic.table.name, topic.table.fields[i].name);
    }
  } else if (kind == "gpus") {
    print("all\n");
    if (auto machine = Machine::open(chosen_machine(""))) {
      const std::vector<SelectableGpu> gpus = selectable_gpus(machine->store());
      for (std::size_t i = 0; i < gpus.size(); ++i)
        print("{}\n", i);
      for (const SelectableGpu& gpu : gpus)
        print("{}\n", gpu.uuid);
    }
  }
  return kGood;
}

}  // namespace

extern const Command kWords{
    .name = "words",
    .summary = "List candidates for completion",
    .about = "Lists names, one a line, for completion scripts.",
    .declare = declared<Words>,
    .hidden = true,
};

}  // namespace nvmlab::tool
