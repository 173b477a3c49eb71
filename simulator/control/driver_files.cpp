// SPDX-License-Identifier: Apache-2.0
#include "control/driver_files.hpp"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "control/driver.hpp"
#include "control/gpu_files.hpp"
#include "control/machine.hpp"
#include "engine/topics/driver/driver_load.hpp"
#include "engine/topics/mig/mig_layout.hpp"

namespace nvmlab::control {
namespace {

constexpr std::uint32_t kOwnerReads = 0400;
constexpr std::uint32_t kAllRead = 0444;
constexpr std::uint32_t kAllUse = 0666;

// Minor numbers of nvidia-caps, as the kernel module counts them: three of their own, then a block for each GPU, in it
// one for each GPU instance that there can be and behind that those of its compute instances.
constexpr std::uint32_t kFabricMinor = 0;
constexpr std::uint32_t kConfigMinor = 1;
constexpr std::uint32_t kMonitorMinor = 2;
constexpr std::uint32_t kFirstGpuMinor = 3;
constexpr std::uint32_t kGpus = 32;
constexpr std::uint32_t kGpuInstances = 15;
constexpr std::uint32_t kComputeInstances = 8;
constexpr std::uint32_t kMinorsOfInstance = 1 + kComputeInstances;
constexpr std::uint32_t kMinorsOfGpu = kGpuInstances * kMinorsOfInstance;
constexpr std::uint32_t kImexMinor = kFirstGpuMinor + kGpus * kMinorsOfGpu;
static_assert(kImexMinor == 4323);

constexpr std::uint32_t minor_of(std::uint32_t gpu, std::uint32_t gpu_instance) {
  return kFirstGpuMinor + gpu * kMinorsOfGpu + gpu_instance * kMinorsOfInstance;
}
constexpr std::uint32_t minor_of(std::uint32_t gpu, std::uint32_t gpu_instance, std::uint32_t compute_instance) {
  return minor_of(gpu, gpu_instance) + 1 + compute_instance;
}

// A capability: a file that says which device node stands for it, and that node. Who may open the node has it.
class Capabilities {
 public:
  Capabilities(std::vector<DriverFile>& files, std::uint32_t major) : files_(files), major_(major) {}
  void add(std::string_view path, std::uint32_t minor, std::uint32_t mode) {
    files_.push_back(
        {.path = fmt::format("proc/driver/nvidia/capabilities/{}", path),
         .mode = mode,
         .text = fmt::format("DeviceFileMinor: {}\nDeviceFileMode: {}\nDeviceFileModify: 1\n", minor, mode)});
    files_.push_back({.path = fmt::format("dev/nvidia-caps/nvidia-cap{}", minor),
                      .mode = mode,
                      .device = DeviceNumber{major_, minor}});
  }

 private:
  std::vector<DriverFile>& files_;
  std::uint32_t major_;
};

void add_capabilities(const Store& store, std::uint32_t major, std::vector<DriverFile>& files) {
  Capabilities capabilities(files, major);
  capabilities.add("mig/config", kConfigMinor, kOwnerReads);
  capabilities.add("mig/monitor", kMonitorMinor, kAllRead);
  for (std::uint32_t i = 0; i < store.header.gpu_count; ++i) {
    const GpuSlot& slot = store.gpus()[i];
    if (!present(slot)) continue;
    const std::uint32_t gpu = minor_number(slot, i);
    const MigLayout layout = consistent(slot, [](const Gpu& state) { return read_layout(state.instances); });
    for (std::uint32_t at = 0; at < layout.gpu_instances; ++at) {
      const std::uint32_t id = layout.gpu_instance[at].id;
      capabilities.add(fmt::format("gpu{}/mig/gi{}/access", gpu, id), minor_of(gpu, id), kAllRead);
    }
    for (std::uint32_t at = 0; at < layout.compute_instances; ++at) {
      const auto& [in, id, profile, start, serial] = layout.compute_instance[at];
      capabilities.add(fmt::format("gpu{}/mig/gi{}/ci{}/access", gpu, in, id), minor_of(gpu, in, id), kAllRead);
    }
  }
}

// All that there can be, on any node.
std::string mig_minors() {
  std::string text = fmt::format("config {}\nmonitor {}\n", kConfigMinor, kMonitorMinor);
  for (std::uint32_t gpu = 0; gpu < kGpus; ++gpu) {
    for (std::uint32_t in = 0; in < kGpuInstances; ++in) {
      text += fmt::format("gpu{}/gi{}/access {}\n", gpu, in, minor_of(gpu, in));
      for (std::uint32_t id = 0; id < kComputeInstances; ++id)
        text += fmt::format("gpu{}/gi{}/ci{}/access {}\n", gpu, in, id, minor_of(gpu, in, id));
    }
  }
  return text;
}

void add_driver(const Machine& machine, const DriverMajors& majors, std::vector<DriverFile>& files) {
  const Store& store = machine.store();
  const std::string version = driver_version(machine);
  const auto add = [&files](std::string path, std::string text) {
    files.push_back({.path = std::move(path), .text = std::move(text)});
  };
  add("proc/modules",
      "nvidia_uvm 0 0 - Live 0x0000000000000000 (POE)\n"
      "nvidia_modeset 0 0 - Live 0x0000000000000000 (POE)\n"
      "nvidia 0 2 nvidia_uvm,nvidia_modeset, Live 0x0000000000000000 (POE)\n");
  add("proc/devices", fmt::format("Character devices:\n{0} nvidia\n{0} nvidia-modeset\n{0} nvidiactl\n{1} nvidia-uvm\n"
                                  "{2} nvidia-caps\n\nBlock devices:\n",
                                  kNvidiaMajor, majors.uvm, majors.caps));
  add("proc/driver/nvidia/version", fmt::format("NVRM version: NVIDIA UNIX x86_64 Kernel Module  {}\n", version));
  add("proc/driver/nvidia/params",
      fmt::format("ModifyDeviceFiles: 1\nDeviceFileUID: 0\nDeviceFileGID: 0\nDeviceFileMode: {}\n", kAllUse));
  add("proc/driver/nvidia-caps/mig-minors", mig_minors());
  add("proc/driver/nvidia-caps/nvlink-minors", fmt::format("fabric-mgmt {}\n", kFabricMinor));
  add("proc/driver/nvidia-caps/sys-minors", fmt::format("fabric-imex-mgmt {}\n", kImexMinor));
  add("sys/module/nvidia/version", version + "\n");
  add("sys/module/nvidia/refcnt", "0\n");
  const auto device = [&files](std::string_view name, std::uint32_t major, std::uint32_t minor) {
    files.push_back({.path = fmt::format("dev/{}", name), .mode = kAllUse, .device = DeviceNumber{major, minor}});
  };
  device("nvidiactl", kNvidiaMajor, 255);
  device("nvidia-modeset", kNvidiaMajor, 254);
  device("nvidia-uvm", majors.uvm, 0);
  device("nvidia-uvm-tools", majors.uvm, 1);
  for (std::uint32_t i = 0; i < store.header.gpu_count; ++i) {
    const GpuSlot& slot = store.gpus()[i];
    if (!present(slot)) continue;
    device(fmt::format("nvidia{}", minor_number(slot, i)), kNvidiaMajor, minor_number(slot, i));
    add(fmt::format("proc/driver/nvidia/gpus/{}/information", bus_location(slot)), gpu_information(slot, i));
  }
  add_capabilities(store, majors.caps, files);
}

// A GPU whose driver was unloaded is still in its slot.
bool in_its_slot(const GpuSlot& slot) {
  return present(slot) || __atomic_load_n(&slot.with_driver, __ATOMIC_RELAXED) != 0;
}

}  // namespace

std::vector<DriverFile> driver_files(const Machine& machine, const DriverMajors& majors) {
  const Store& store = machine.store();
  std::vector<DriverFile> files;
  const bool loaded = driver_phase(store) == DriverPhase::loaded;
  for (std::uint32_t i = 0; i < store.header.gpu_count; ++i) {
    if (const GpuSlot& slot = store.gpus()[i]; in_its_slot(slot)) add_pci_device(slot, loaded, files);
  }
  if (loaded) add_driver(machine, majors, files);
  return files;
}

}  // namespace nvmlab::control
