// SPDX-License-Identifier: Apache-2.0
// nvmlab vgpu, also as vgpu ls: vGPUs on the GPUs of a machine that is up. Tests: tests/command/vgpu_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "command/machine/json.hpp"
#include "command/machine/vgpus.hpp"

namespace nvmlab::tool {
namespace {

struct VgpuList {
  std::string machine_name;
  std::string gpu_selection = "all";
  bool json = false;

  void declare(CommandLine& line);
  int run() const;
};

void VgpuList::declare(CommandLine& line) {
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  add_json(line, json);
}

std::string type_name(const Store& store, const VgpuInstance& vgpu) {
  VgpuType type{};
  const bool found = VgpuTypes(store, vgpu.gpu.value_or(0)).find(vgpu.type.value_or(0), &type);
  return found ? type.name : fmt::format("type {}", vgpu.type.value_or(0));
}

Json json_of_vgpu(const Store& store, const VgpuInstance& vgpu) {
  Json row = {{"gpu", vgpu.gpu.value_or(0)},
              {"id", vgpu.id.value_or(0)},
              {"type", vgpu.type.value_or(0)},
              {"name", type_name(store, vgpu)},
              {"uuid", vgpu.uuid.has_value() ? vgpu.uuid.data : ""},
              {"vm", vgpu.vm_id.has_value() ? vgpu.vm_id.data : ""},
              {"used_bytes", vgpu.used_bytes.value_or(0)}};
  if (vgpu.placement.has_value()) row["placement"] = vgpu.placement.value;
  return row;
}

int VgpuList::run() const {
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  const Store& store = chosen->machine.store();
  Table table({"GPU", "ID", "NAME", "VM", "USED", "PLACE"});
  Json rows = Json::array();
  for (const VgpuInstance& each : running_vgpus(store, chosen->gpus)) {
    rows.push_back(json_of_vgpu(store, each));
    table.add({fmt::format("{}", each.gpu.value_or(0)), fmt::format("{}", each.id.value_or(0)), type_name(store, each),
               each.vm_id.has_value() ? each.vm_id.data : "-", fmt::format("{} MiB", each.used_bytes.value_or(0) >> 20),
               each.placement.has_value() ? fmt::format("{}", each.placement.value) : "-"});
  }
  if (json) {
    print(std::string_view(text_of(rows)));
  } else if (table.empty()) {
    print("no vGPU runs on these GPUs\n");
  } else {
    print(std::string_view(table.text()));
  }
  return kGood;
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
