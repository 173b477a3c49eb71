// SPDX-License-Identifier: Apache-2.0
// nvmlab vgpu add: GPUs lend out a vGPU each. Tests: tests/command/vgpu_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "command/machine/vgpu_words.hpp"
#include "control/vgpus.hpp"

namespace nvmlab::tool {
namespace {

struct VgpuAdd {
  VgpuWords words;
  std::string machine_name;
  std::string gpu_selection = "0";

  void declare(CommandLine& line);
  int run() const;
};

void VgpuAdd::declare(CommandLine& line) {
  add_machine(line, machine_name);
  line.option("--gpu,-g", "G", gpu_selection, "On which GPUs, one on each (default: 0)").complete(Complete::gpu);
  line.option("--type,-t", "TYPE", words.type, "Its type: a number, a name such as 'GRID A100-8C', or the end of one")
      .required();
  line.option("--vm", "ID", words.vm, "The VM that it belongs to: a UUID, or the number of a domain");
  line.option("--uuid", "UUID", words.uuid, "UUID of the vGPU");
  line.option("--mdev", "UUID", words.mdev_uuid, "UUID of its mediated device");
  line.option("--placement", "GIB", words.placement,
              "Where in the frame buffer it lies (default: the first free place)");
  line.option("--memory", "BYTES", words.memory, "Frame buffer that its guest uses, such as 1GiB; none without it");
  line.option("--guest-driver", "VERSION", words.guest_driver, "Driver in the guest, which has booted then");
  line.flag("--licensed", words.licensed, "The guest has its licence");
}

int VgpuAdd::run() const {
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  const auto vgpus = read_vgpus(words, chosen->machine, chosen->gpus);
  if (!vgpus) return misused(vgpus.error());
  const auto ids = control::create_vgpus(chosen->machine, *vgpus);
  if (!ids) return complain(ids.error());
  for (const std::uint32_t id : *ids)
    print("{}\n", id);
  return kGood;
}

constexpr Example kVgpuAddExamples[] = {
    {"nvmlab vgpu add --type 8C --guest-driver 550.54.15 --licensed", "a vGPU of 8 GiB for computing on GPU 0"},
    {"nvmlab vgpu add --gpu 0-3 --type 'GRID A100-40C' --vm 7", "one on each of four GPUs, all for VM 7"},
};

}  // namespace

extern const Command kVgpuAdd{
    .name = "vgpu add",
    .summary = "Lend out vGPUs of GPUs",
    .about =
        "Creates a vGPU on each of the GPUs, which must be hosts (`nvmlab vgpu host`), and prints the numbers by which "
        "NVML knows them. What can be created follows NVIDIA's rules: vGPUs of one size, unless `nvidia-smi vgpu -shm "
        "1` allows unlike ones, and no more than fit.",
    .examples = kVgpuAddExamples,
    .declare = declared<VgpuAdd>,
};

}  // namespace nvmlab::tool
