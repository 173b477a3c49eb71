// SPDX-License-Identifier: Apache-2.0
// nvmlab vgpu, also as vgpu ls: vGPUs on the GPUs of a machine that is up. Tests: tests/command/vgpu_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "control/vgpus.hpp"

namespace nvmlab::tool {
namespace {

struct VgpuList : GpuListOptions {
  int run() const;
};

Json json_of_vgpu(const std::string& type, const VgpuInstance& vgpu) {
  Json row = {{"gpu", vgpu.gpu.value_or(0)},
              {"id", vgpu.id.value_or(0)},
              {"type", vgpu.type.value_or(0)},
              {"name", type},
              {"uuid", vgpu.uuid.has_value() ? vgpu.uuid.data : ""},
              {"vm", vgpu.vm_id.has_value() ? vgpu.vm_id.data : ""},
              {"used_bytes", vgpu.used_bytes.value_or(0)}};
  if (vgpu.placement.has_value()) row["placement"] = vgpu.placement.value;
  return row;
}

int VgpuList::run() const {
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  Table table({"GPU", "ID", "NAME", "VM", "USED", "PLACE"});
  Json rows = Json::array();
  for (const VgpuInstance& each : control::running_vgpus(chosen->machine, chosen->gpus)) {
    const std::string type = control::type_name(chosen->machine, each);
    rows.push_back(json_of_vgpu(type, each));
    table.add({fmt::format("{}", each.gpu.value_or(0)), fmt::format("{}", each.id.value_or(0)), type,
               each.vm_id.has_value() ? each.vm_id.data : "-", fmt::format("{} MiB", each.used_bytes.value_or(0) >> 20),
               each.placement.has_value() ? fmt::format("{}", each.placement.value) : "-"});
  }
  return print_rows(rows, table, "no vGPU runs on these GPUs");
}

constexpr const char* kAboutVgpus =
    "Lists the vGPUs that GPUs of a machine lend out to guests: those that its profile names and those that `nvmlab "
    "vgpu add` has created.";

}  // namespace

extern const Command kVgpu{
    .name = "vgpu",
    .summary = "List the vGPUs on GPUs of a machine that is up",
    .about = kAboutVgpus,
    .declare = declared<VgpuList>,
};
extern const Command kVgpuLs{
    .name = "vgpu ls",
    .summary = "List the vGPUs on GPUs of a machine that is up",
    .about = kAboutVgpus,
    .declare = declared<VgpuList>,
};

}  // namespace nvmlab::tool
