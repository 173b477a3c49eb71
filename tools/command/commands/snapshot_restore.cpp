// SPDX-License-Identifier: Apache-2.0
// nvmlab snapshot restore: a machine that is up goes back to a snapshot. Tests: tests/command/snapshot_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/snapshot_file.hpp"

namespace nvmlab::tool {
namespace {

struct SnapshotRestore {
  std::string file;
  std::string machine_name;

  void declare(CommandLine& line);
  int run() const;
};

void SnapshotRestore::declare(CommandLine& line) {
  line.argument("FILE", file, "What `nvmlab snapshot save` wrote").required().complete(Complete::file);
  add_machine(line, machine_name);
}

int SnapshotRestore::run() const {
  const auto snapshot = control::load_snapshot(file);
  if (!snapshot) return complain(snapshot.error());
  auto machine = Machine::open(control::chosen_machine(machine_name));
  if (!machine) return complain(machine.error());
  const auto restored = machine->restore(*snapshot);
  return restored ? kGood : complain("{}: {}; nothing was changed", file, restored.error());
}

constexpr Example kSnapshotRestoreExamples[] = {
    {"nvmlab snapshot restore before.snap", "every field, pin and GPU as it was"},
};

}  // namespace

extern const Command kSnapshotRestore{
    .name = "snapshot restore",
    .summary = "Bring a machine that is up back to a snapshot",
    .about =
        "Every field, every pin and the presence of each GPU become what they were when the snapshot was saved; all "
        "programs on the machine see that, each GPU at once. The machine must have as many GPUs and the same profile; "
        "its name does not matter. The clock goes on, because it never goes backwards: stamps in the state may then "
        "lie in its past or, on a machine whose clock shows less, in its future. A real process that has ended since "
        "is gone again as soon as somebody looks. The log says what was restored.",
    .examples = kSnapshotRestoreExamples,
    .declare = declared<SnapshotRestore>,
};

}  // namespace nvmlab::tool
