// SPDX-License-Identifier: Apache-2.0
// nvmlab vgpu rm: vGPUs end. Tests: tests/command/vgpu_test.cpp.
#include "base/text.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "control/vgpus.hpp"

namespace nvmlab::tool {
namespace {

struct VgpuRm {
  std::optional<std::string> id;
  bool all = false;
  std::string machine_name;
  std::string gpu_selection = "all";

  void declare(CommandLine& line);
  int run() const;
};

void VgpuRm::declare(CommandLine& line) {
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  line.option("--id", "ID", id, "The vGPU that ends: its number or its UUID");
  line.flag("--all,-a", all, "All of these GPUs");
}

bool is_named(const VgpuInstance& vgpu, const std::string& word) {
  if (const auto number = whole_number(word)) return *number == vgpu.id.value_or(0);
  return vgpu.uuid.has_value() && word == vgpu.uuid.data;
}

int VgpuRm::run() const {
  if (all == id.has_value()) return misused("say which vGPU ends by --id, or --all");
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  std::vector<std::uint32_t> ids;
  for (const VgpuInstance& each : control::running_vgpus(chosen->machine, chosen->gpus)) {
    if (all || is_named(each, *id)) ids.push_back(each.id.value_or(0));
  }
  if (ids.empty()) return all ? kGood : complain("no vGPU {} runs on these GPUs", *id);
  const auto ended = control::end_vgpus(chosen->machine, ids);
  return ended ? kGood : complain(ended.error());
}

constexpr Example kVgpuRmExamples[] = {{"nvmlab vgpu rm --id 3251634213", "one, by its number"},
                                       {"nvmlab vgpu rm --gpu 1 --all", "all of GPU 1"}};

}  // namespace

extern const Command kVgpuRm{
    .name = "vgpu rm",
    .summary = "End vGPUs",
    .about = "The frame buffer of the vGPU is free again, and what ran in its guest is gone.",
    .examples = kVgpuRmExamples,
    .declare = declared<VgpuRm>,
};

}  // namespace nvmlab::tool
