// SPDX-License-Identifier: Apache-2.0
// nvmlab snapshot: above save, restore and diff. Tests: tests/command/snapshot_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"

namespace nvmlab::tool {
namespace {

struct SnapshotGroup {
  std::string machine_name;

  void declare(CommandLine& line) { add_machine(line, machine_name); }
  int run() const { return misused("'snapshot' needs save FILE, restore FILE or diff FILE"); }
};

}  // namespace

extern const Command kSnapshot{
    .name = "snapshot",
    .summary = "Save, restore and compare the state of a machine",
    .about = "Keeps the state of a machine that is up in a file, brings a machine back to it, and shows what differs.",
    .declare = declared<SnapshotGroup>,
};

}  // namespace nvmlab::tool
