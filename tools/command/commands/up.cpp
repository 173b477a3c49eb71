// SPDX-License-Identifier: Apache-2.0
//
// nvmlab up: compiles a profile and shares the machine with every process of the user. Tests:
// tests/command/machines_test.cpp.
#include <grp.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/clocks.hpp"
#include "command/profile/chosen.hpp"
#include "command/profile/summary.hpp"
#include "control/kernel_log.hpp"
#include "control/leftovers.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "control/mig_layout.hpp"
#include "control/selection.hpp"
#include "control/vgpus.hpp"

namespace nvmlab::tool {
namespace {

struct Up {
  std::string name{control::kDefaultMachine};
  std::optional<std::string> profile;
  compiler::CompileOptions options;
  std::optional<std::string> group;
  std::optional<std::string> mode;
  ClockOptions clock;
  std::optional<std::string> kernel_log;
  bool vgpu_host = false;
  std::vector<std::string> mig;

  void declare(CommandLine& line);
  int run() const;
};

void Up::declare(CommandLine& line) {
  line.argument("NAME", name, "Name of the machine (default: 'default')");
  add_profile(line, profile);
  add_compile_options(line, options);
  line.option("--group", "GROUP", group, "Let this group read and write the machine, which its path must name");
  line.option("--mode", "MODE", mode, "Who may use it, as chmod says it: 640, 644 to read, 660 to write too");
  clock.declare(line);
  line.option("--kernel-log", "FILE", kernel_log,
              "Where the kernel module's lines about faults go: a file, a FIFO or /dev/kmsg")
      .complete(Complete::file);
  line.flag("--vgpu-host", vgpu_host, "All GPUs lend out vGPUs, as `nvmlab vgpu host` says");
  line.repeated("--mig", "[GPU:]PROFILE,...", mig,
                "MIG devices of every GPU, or of one: 3g.40gb,2g.20gb or 0:3g.40gb,3g.40gb");
}

std::expected<std::vector<control::MigLayoutWords>, std::string> layouts_of(const std::vector<std::string>& words) {
  std::vector<control::MigLayoutWords> layouts;
  for (const std::string& word : words) {
    auto layout = control::read_mig_layout(word);
    if (!layout) return std::unexpected(layout.error());
    layouts.push_back(std::move(*layout));
  }
  return layouts;
}

// Why a GPU could not be cut as asked; none where all could.
std::optional<std::string> cut_as_asked(Machine& machine, const std::vector<control::MigLayoutWords>& layouts) {
  for (const control::MigLayoutWords& layout : layouts) {
    if (const auto done = control::cut(machine, layout); !done) return done.error();
  }
  return std::nullopt;
}

constexpr std::uint32_t kModes[] = {0600, 0640, 0644, 0660, 0664};

std::expected<std::uint32_t, std::string> mode_of(const std::string& word) {
  for (const std::uint32_t mode : kModes) {
    if (word == fmt::format("{:o}", mode) || word == fmt::format("0{:o}", mode)) return mode;
  }
  return std::unexpected(
      fmt::format("--mode takes 600, 640, 644, 660 or 664, not {}; others never write, a group may", in_quotes(word)));
}

std::expected<std::uint32_t, std::string> group_of(const std::string& word) {
  if (const struct group* found = ::getgrnam(word.c_str())) return found->gr_gid;
  if (const auto number = whole_number(word); number && *number < Sharing::kOwnGroup)
    return static_cast<std::uint32_t>(*number);
  return std::unexpected(fmt::format("there is no group {}", in_quotes(word)));
}

// Whom the machine is for; the owner alone where nothing is said.
std::expected<Sharing, std::string> sharing_of(const std::string& name, const std::optional<std::string>& group,
                                               const std::optional<std::string>& mode) {
  Sharing sharing;
  if (!group && !mode) return sharing;
  if (!name.contains('/') && control::runtime_dir() == nullptr)
    return std::unexpected(
        fmt::format("--group and --mode need a path that others can reach, such as /dev/shm/ci/{}.store", name));
  if (group) {
    const auto id = group_of(*group);
    if (!id) return std::unexpected(id.error());
    sharing.group = *id;
    sharing.mode = 0660;
  }
  if (mode) {
    const auto bits = mode_of(*mode);
    if (!bits) return std::unexpected(bits.error());
    sharing.mode = *bits;
  }
  return sharing;
}

// A log that would be refused at the first fault is refused now, before the machine is there.
std::string check_log(const std::string& path) {
  const auto log = control::KernelLog::open(path);
  return log ? "" : log.error();
}

std::string remember_log(Machine& machine, const std::string& path) {
  return control::set_kernel_log(machine, std::filesystem::absolute(path).string());
}

std::optional<std::string> host_all(Machine& machine) {
  const auto hosting = control::host_vgpus(machine, control::all_gpus(machine.gpu_count()), true);
  return hosting ? std::nullopt : std::optional(hosting.error());
}

int Up::run() const {
  const auto path = control::machine_path(name);
  if (!path) return misused(path.error());
  const auto sharing = sharing_of(name, group, mode);
  if (!sharing) return misused(sharing.error());
  const auto beginning = clock.read();
  if (!beginning) return misused(beginning.error());
  const auto layouts = layouts_of(mig);
  if (!layouts) return misused(layouts.error());
  if (kernel_log) {
    if (const std::string wrong = check_log(*kernel_log); !wrong.empty()) return complain(wrong);
  }
  const auto chosen = load_chosen_machine(profile, options);
  if (!chosen) return complain_all(chosen.error());
  const compiler::Machine* const machine = &chosen->machine;
  complain_all(chosen->notes);

  control::sweep_machines_folder();
  auto up = Machine::create(name, *machine, {.sharing = *sharing, .clock = *beginning});
  if (!up) return complain(up.error());
  if (kernel_log) {
    if (const std::string wrong = remember_log(*up, *kernel_log); !wrong.empty()) return complain(wrong);
  }
  complain_all(make_changes(*chosen, *up));
  // A machine that cannot be what was asked for goes again.
  auto refused = vgpu_host ? host_all(*up) : std::nullopt;
  if (!refused) refused = cut_as_asked(*up, *layouts);
  if (refused) {
    const auto down = up->take_down();
    return complain(down ? *refused : *refused + "; " + down.error());
  }
  print("{} is up: {}\n", name, summary_of(*machine));
  return kGood;
}

constexpr Example kUpExamples[] = {
    {"nvmlab up --profile dgx-h100", "a machine 'default' for get, set and `run --machine default`"},
    {"nvmlab up ci --profile ./my-node.yaml --gpus 2", "two GPUs of a profile of your own, as machine 'ci'"},
    {"nvmlab up /dev/shm/ci/node.store --group docker", "for all members of the group, who name it by that path"},
    {"nvmlab up --profile dgx-h100 --mig 0:3g.40gb,3g.40gb", "GPU 0 is cut into two MIG devices"},
    {"nvmlab up node --clock virtual --seed 7", "time passes with `nvmlab clock advance` alone; every run is the same"},
};

}  // namespace

extern const Command kUp{
    .name = "up",
    .summary = "Bring up a machine that processes share",
    .about =
        "Compiles a profile and keeps the machine in a file that all processes of the user map: what one sets, the "
        "others see. It stays up until `nvmlab down` or the next boot. Without --profile it "
        "is what NVMLAB_PROFILE or MOCK_NVML_CONFIG names, else a DGX A100; NVMLAB_GPUS and NVMLAB_DRIVER count as "
        "--gpus and --driver.",
    .examples = kUpExamples,
    .declare = declared<Up>,
};

}  // namespace nvmlab::tool
