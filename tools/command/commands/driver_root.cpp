// SPDX-License-Identifier: Apache-2.0
// nvmlab driver-root: the files of a machine's GPUs and driver, in a folder. Tests: tests/command/driver_root_test.cpp,
// and the tests of container tools in tests/clients/.
#include "command/machine/driver_root.hpp"
#include "control/driver_files.hpp"

#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/library/simulated.hpp"
#include "command/profile/chosen.hpp"
#include "control/driver.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/temporary_machine.hpp"

namespace nvmlab::tool {
namespace {

struct DriverRootCommand {
  std::string folder;
  std::string machine_name;
  std::optional<std::string> profile;

  void declare(CommandLine& line);
  int run() const;
  int of_profile() const;
  int lay_out_of(const Machine& machine) const;
};

void DriverRootCommand::declare(CommandLine& line) {
  line.argument("FOLDER", folder, "Where to: a new or an empty folder, or one of these that is brought up to date")
      .required()
      .complete(Complete::file);
  add_machine(line, machine_name);
  line.option("--profile,-p", "PROFILE", profile, "Of this profile instead of a machine that is up")
      .complete(Complete::profile);
}

int DriverRootCommand::run() const {
  if (profile) return machine_name.empty() ? of_profile() : misused("--machine and --profile cannot be used together");
  const auto machine = Machine::open(control::chosen_machine(machine_name));
  return machine ? lay_out_of(*machine) : complain(machine.error());
}

int DriverRootCommand::of_profile() const {
  const auto compiled = load_machine(as_profile(*profile), {});
  if (!compiled) return complain_all(compiled.error());
  auto up = control::TemporaryMachine::bring_up(std::nullopt, *compiled, {});
  if (!up) return complain_all(up.error());
  const int code = lay_out_of(up->machine());
  if (const auto down = up->take_down(); !down) complain(down.error());
  return code;
}

int DriverRootCommand::lay_out_of(const Machine& machine) const {
  const std::string version = control::driver_version(machine);
  const auto libraries = library_folder_of_driver(version);
  if (!libraries) return complain(libraries.error());
  const auto done = lay_out(folder, control::driver_files(machine, free_majors()), *libraries);
  if (!done) return complain(done.error());
  if (!done->without_devices.empty()) complain("plain files stand for device nodes: {}", done->without_devices);
  print("{}: {} files of driver {}\n", folder, done->paths, version);
  return kGood;
}

constexpr Example kDriverRootExamples[] = {
    {"nvmlab driver-root /tmp/root --machine node",
     "after each change of its MIG layout once more; `nvidia-ctk cdi generate --driver-root=/tmp/root "
     "--dev-root=/tmp/root` takes such a folder"},
};

}  // namespace

extern const Command kDriverRoot{
    .name = "driver-root",
    .summary = "Lay out the files of a machine's driver in a folder",
    .about =
        "Lays out what a node shows of its GPUs and driver beside NVML, as it is now: /proc/driver/nvidia with the "
        "capabilities of MIG, /proc/modules and /proc/devices, PCI devices in /sys, device nodes in /dev and the "
        "driver's libraries. Tools that take a driver root can be pointed at the folder; others see the files where "
        "they are mounted over the host's (docs/guide/mig.md).\n\n"
        "A folder that was laid out before is brought up to date: files that are no more go, and what others put "
        "there stays. Device nodes take root; without it, and on a host with NVIDIA's driver, plain files stand in "
        "their place.",
    .examples = kDriverRootExamples,
    .declare = declared<DriverRootCommand>,
};

}  // namespace nvmlab::tool
