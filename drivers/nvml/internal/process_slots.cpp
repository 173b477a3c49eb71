// SPDX-License-Identifier: Apache-2.0
//
// Slots 213 to 215: running processes with their names, as nvidia-smi from 525 on lists them, which skips an entry
// without one. The entry grew by eight bytes after 525, so its layout follows the simulated driver:
//
//            pid  used  GPU inst.  compute inst.  protected  name   entry
//   525       0    8       16          20            -        24     4120
//   535 on    0    8       16          20            24       32     4128
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/hooks/process_name.hpp"
#include "drivers/nvml/internal/slots.hpp"
#include "drivers/nvml/process_sight.hpp"
#include "engine/topics/processes/process_kinds.hpp"

namespace nvmlab::driver::slot {
namespace {

constexpr std::size_t kNameSize = 4096;
constexpr u32 kNoInstance = 0xFFFFFFFF;

struct SlotLayout {
  std::size_t name;
  bool has_protected;
  std::size_t size() const { return name + kNameSize; }
};

SlotLayout layout_of_driver() { return simulated_driver().major < 535 ? SlotLayout{24, false} : SlotLayout{32, true}; }

template <class T>
void put(unsigned char* entry, std::size_t offset, T value) {
  std::memcpy(entry + offset, &value, sizeof value);
}

void fill(const Processes::Process& from, u32 pid, const SlotLayout& layout, unsigned char* entry) {
  std::memset(entry, 0, layout.size());
  put(entry, 0, pid);
  put(entry, 8, from.used_bytes.value_or(~0ull));
  put(entry, 16, from.gpu_instance.value_or(kNoInstance));
  put(entry, 20, from.compute_instance.value_or(kNoInstance));
  if (layout.has_protected) put(entry, 24, ~0ull);
  std::memcpy(entry + layout.name, from.name.data, sizeof from.name.data);
}

// Processes that the profile does not name have the name of the one that runs under that number, if there is one, else
// the word that nvidia-smi has for those it cannot see.
void name_unnamed(const SlotLayout& layout, unsigned char* entry) {
  char* name = reinterpret_cast<char*>(entry + layout.name);
  if (*name != '\0') return;
  u32 pid = 0;
  std::memcpy(&pid, entry, sizeof pid);
  ProcessName found{};
  constexpr char unknown[] = "[Not Found]";
  if (!find_running_command(pid, &found) || found.length == 0) found.set(unknown, sizeof unknown - 1);
  std::memcpy(name, found.data, sizeof found.data);
}

u32 shown_pid(const ProcessSight& sight, const Processes::Process& process) {
  u32 pid = load(process.pid).value_or(0);
  sight.renames(process, &pid);
  return pid;
}

nvmlReturn_t list(nvmlDevice_t device, u32 kind, u32* count, unsigned char* entries) {
  Store* store = current_store();
  if (store == nullptr) return NVML_ERROR_UNINITIALIZED;
  const GpuSlot* gpu = device_slot(*store, device);
  if (count == nullptr || entries == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (gpu == nullptr) return no_device(*store, device);
  const SlotLayout layout = layout_of_driver();
  const u32 offered = *count;
  const ProcessSight sight(*gpu);
  const u32 found = consistent(*gpu, [&](const Gpu& state) {
    u32 listed = 0;
    visit_until(state.processes.running, [&](const Processes::Process& each) {
      // nvidia-smi leaves out what has no name.
      if ((load(each.kinds).value & kind) == 0 || sight.hides(each) || !sight.names(each)) return false;
      if (listed < offered) fill(load(each), shown_pid(sight, each), layout, entries + listed * layout.size());
      ++listed;
      return false;
    });
    return listed;
  });
  for (u32 i = 0; i < found && i < offered; ++i)
    name_unnamed(layout, entries + i * layout.size());
  *count = found;
  return found > offered ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

constexpr std::size_t kSampleBlock = 80;
constexpr std::size_t kSampledEngines = 6;

void put_samples(const Processes::Process& process, u32 pid, unsigned char* entry) {
  std::memset(entry, 0, kSampleBlock * kSampledEngines);
  const u32 shares[kSampledEngines] = {load(process.sm_percent).value_or(0),
                                       load(process.memory_percent).value_or(0),
                                       load(process.encoder_percent).value_or(0),
                                       load(process.decoder_percent).value_or(0),
                                       0,
                                       0};
  for (std::size_t i = 0; i < kSampledEngines; ++i) {
    put(entry, i * kSampleBlock + 8, shares[i]);
    put(entry, i * kSampleBlock + 16, pid);
  }
}

}  // namespace

extern "C" {

nvmlReturn_t compute_processes(nvmlDevice_t device, u32* count, unsigned char* entries) {
  return list(device, kComputeProcess, count, entries);
}
nvmlReturn_t mps_processes(nvmlDevice_t device, u32* count, unsigned char* entries) {
  return list(device, kMpsProcess, count, entries);
}
nvmlReturn_t graphics_processes(nvmlDevice_t device, u32* count, unsigned char* entries) {
  return list(device, kGraphicsProcess, count, entries);
}

// Of each process a block for each engine; video encoders and decoders behind SMs and memory, and two that nobody uses.
nvmlReturn_t process_samples(nvmlDevice_t device, std::uint64_t, u32* interval, u32* count, unsigned char* entries) {
  Store* store = current_store();
  if (interval == nullptr || entries == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (store == nullptr) return NVML_ERROR_UNINITIALIZED;
  const GpuSlot* gpu = device_slot(*store, device);
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (gpu == nullptr) return no_device(*store, device);
  const u32 room = *count;
  const ProcessSight sight(*gpu);
  *count = consistent(*gpu, [&](const Gpu& state) {
    u32 written = 0;
    visit_until(state.processes.running, [&](const Processes::Process& process) {
      if (written == room) return true;
      if (sight.hides(process)) return false;
      put_samples(process, shown_pid(sight, process), entries + written * kSampleBlock * kSampledEngines);
      ++written;
      return false;
    });
    return written;
  });
  *interval = 0;
  return NVML_SUCCESS;
}

}  // extern "C"

}  // namespace nvmlab::driver::slot
