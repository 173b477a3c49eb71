// SPDX-License-Identifier: Apache-2.0
// nvmlab words KIND: candidates for shell completion, one a line. It says nothing when something is wrong: a shell that
// is completing has no place for messages. Tests: tests/command/completion_test.cpp.
#include <span>

#include "command/cli/command.hpp"
#include "command/cli/driver_branches.hpp"
#include "command/cli/output.hpp"
#include "command/play/library.hpp"
#include "command/profile/facts.hpp"
#include "compiler/paths.hpp"
#include "compiler/shipped.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/selection.hpp"
#include "control/view.hpp"

namespace nvmlab::tool {
namespace {

struct Words {
  std::string kind;
  std::string begun;

  void declare(CommandLine& line) {
    line.argument("KIND", kind, "profiles, scenarios, machines, drivers, fields, assignments or gpus");
    line.argument("WORD", begun, "What is being completed, of an assignment");
  }
  int run() const;
};

void print_fields(const char* end) {
  for (const Topic& topic : topics()) {
    for (std::uint32_t i = 0; i < topic.table.field_count; ++i)
      print("{}.{}{}\n", topic.table.name, topic.table.fields[i].name, end);
  }
}

// What a field of names can be; of a bit mask, each of its bits.
void print_values(std::string_view path) {
  const auto found = compiler::find_field(path);
  if (!found) return;
  const Field& field = *found->field;
  for (const std::span<const EnumLabel> names :
       {std::span(field.labels, field.label_count), std::span(field.bits, field.bit_count)}) {
    for (const EnumLabel& label : names)
      print("{}={}\n", path, label.name);
  }
  if (field.type == FieldType::flag && field.label_count == 0) print("{0}=yes\n{0}=no\n", path);
}

int Words::run() const {
  if (kind == "profiles") {
    for (const auto& profile : compiler::shipped_profiles()) {
      if (!head_of(profile).family) print("{}\n", profile.name);
    }
  } else if (kind == "scenarios") {
    for (const ShippedScenario& scenario : shipped_scenarios())
      print("{}\n", scenario.name);
  } else if (kind == "machines") {
    if (const auto machines = control::list_machines()) {
      for (const control::ListedMachine& machine : *machines)
        print("{}\n", machine.name);
    }
  } else if (kind == "drivers") {
    for (const DriverRelease* branch : driver_branches())
      print("{}\n", branch->major);
  } else if (kind == "fields") {
    print_fields("");
  } else if (kind == "assignments") {
    const auto equals = begun.find('=');
    if (equals == std::string::npos) {
      print_fields("=");
    } else {
      print_values(std::string_view(begun).substr(0, equals));
    }
  } else if (kind == "gpus") {
    print("all\n");
    if (auto machine = Machine::open(control::chosen_machine(""))) {
      const std::vector<control::SelectableGpu> gpus = control::selectable_gpus(*machine);
      for (std::size_t i = 0; i < gpus.size(); ++i)
        print("{}\n", i);
      for (const control::SelectableGpu& gpu : gpus)
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
