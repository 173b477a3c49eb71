// SPDX-License-Identifier: Apache-2.0
// nvmlab vgpu host and vgpu types: GPUs lend out vGPUs, and which. Tests: tests/command/vgpu_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "control/vgpus.hpp"

namespace nvmlab::tool {
namespace {

struct VgpuHost {
  bool off = false;
  std::string machine_name;
  std::string gpu_selection = "all";

  void declare(CommandLine& line);
  int run() const;
};

void VgpuHost::declare(CommandLine& line) {
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  line.flag("--off", off, "They are ordinary GPUs again");
}

int VgpuHost::run() const {
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  const auto done = control::host_vgpus(chosen->machine, chosen->gpus, !off);
  return done ? kGood : complain(done.error());
}

struct VgpuTypesList : GpuListOptions {
  int run() const;
};

int VgpuTypesList::run() const {
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  Table table({"GPU", "TYPE", "NAME", "MEMORY", "MAX", "CREATABLE"});
  Json rows = Json::array();
  for (const std::uint32_t gpu : chosen->gpus) {
    for (const control::OfferedType& each : control::offered_types(chosen->machine, gpu)) {
      rows.push_back({{"gpu", gpu},
                      {"type", each.type.id},
                      {"name", each.type.name},
                      {"fb_bytes", each.type.fb_bytes},
                      {"max_instances", each.type.max_instances},
                      {"creatable", each.creatable}});
      table.add({fmt::format("{}", gpu), fmt::format("{}", each.type.id), each.type.name,
                 fmt::format("{} MiB", each.type.fb_bytes >> 20), fmt::format("{}", each.type.max_instances),
                 fmt::format("{}", each.creatable)});
    }
  }
  return print_rows(rows, table, "these GPUs lend out no vGPUs");
}

constexpr Example kVgpuHostExamples[] = {{"nvmlab vgpu host", "all GPUs of the machine"},
                                         {"nvmlab vgpu host --gpu 1 --off", "GPU 1 no longer"}};

}  // namespace

extern const Command kVgpuHostCommand{
    .name = "vgpu host",
    .summary = "Make GPUs hosts of vGPUs",
    .about =
        "The GPUs act as under a driver with the vGPU manager: virtualization mode Host VGPU, with SR-IOV from Ampere "
        "on. Types with their numbers are known as far as they are published; a profile can list others (vgpu.types).",
    .examples = kVgpuHostExamples,
    .declare = declared<VgpuHost>,
};
extern const Command kVgpuTypesCommand{
    .name = "vgpu types",
    .summary = "List the vGPU types of GPUs",
    .about = "Lists what the GPUs can be lent out as, how many of it fit, and how many more can be created now.",
    .declare = declared<VgpuTypesList>,
};

}  // namespace nvmlab::tool
