// SPDX-License-Identifier: Apache-2.0
// nvmlab snapshot save: the state of a machine that is up into a file. Tests: tests/command/snapshot_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/snapshot_file.hpp"

namespace nvmlab::tool {
namespace {

struct SnapshotSave {
  std::string file;
  std::string machine_name;
  bool force = false;

  void declare(CommandLine& line);
  int run() const;
};

void SnapshotSave::declare(CommandLine& line) {
  line.argument("FILE", file, "Where to; a snapshot that is there already is replaced")
      .required()
      .complete(Complete::file);
  add_machine(line, machine_name);
  line.flag("-f,--force", force, "Replace the file even if it is no snapshot");
}

int SnapshotSave::run() const {
  auto machine = Machine::open(control::chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  const auto snapshot = machine->snapshot();
  if (!snapshot) return complain(snapshot.error());
  const auto overwrite = force ? control::Overwrite::anything : control::Overwrite::snapshots;
  const auto saved = control::save_snapshot(*snapshot, file, overwrite);
  return saved ? kGood : complain(saved.error());
}

constexpr Example kSnapshotSaveExamples[] = {
    {"nvmlab snapshot save before.snap", "to come back to, or to compare with"},
};

}  // namespace

extern const Command kSnapshotSave{
    .name = "snapshot save",
    .summary = "Save the state of a machine that is up to a file",
    .about =
        "Saves all fields of all GPUs and of the machine, what is pinned and which GPUs are there, at one moment. The "
        "log, events that nobody has taken and programs that run on the machine are no part of it. With a virtual "
        "clock and a seed, two runs that are the same save the same bytes.",
    .examples = kSnapshotSaveExamples,
    .declare = declared<SnapshotSave>,
};

}  // namespace nvmlab::tool
