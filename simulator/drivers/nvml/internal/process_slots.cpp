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
constexpr char kUnknownName[] = "[Not Found]";  // nvidia-smi's word for those that it cannot see

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
  const bool nameless = from.name.length == 0 && !is_real(from);
  std::memcpy(entry + layout.name, nameless ? kUnknownName : from.name.data,
              nameless ? sizeof kUnknownName : sizeof from.name.data);
}

// A real process that the machine does not name is called as it is where it runs.
void name_unnamed(const SlotLayout& layout, unsigned char* entry) {
  char* name = reinterpret_cast<char*>(entry + layout.name);
  if (*name != '\0') return;
  u32 pid = 0;
  std::memcpy(&pid, entry, sizeof pid);
  ProcessName found{};
  if (!find_running_command(pid, &found) || found.length == 0) found.set(kUnknownName, sizeof kUnknownName - 1);
  std::memcpy(name, found.data, sizeof found.data);
}

u32 shown_pid(const ProcessSight& sight, const Processes::Process& process) {
  u32 pid = load(process.pid).value_or(0);
  sight.renames(process, &pid);
  return pid;
}

// Those of a MIG device are its own.
bool runs_in(const Subject& subject, const Processes::Process& process) {
  if (subject.gpu_instance == kNoInstance) return true;
  return load(process.gpu_instance).value_or(kNoInstance) == subject.gpu_instance &&
         load(process.compute_instance).value_or(kNoInstance) == subject.compute_instance;
}

// nvidia-smi leaves out what has no name.
bool is_listed(const Subject& subject, u32 kind, const ProcessSight& sight, const Processes::Process& process) {
  const bool asked_for = (load(process.kinds).value & kind) != 0 && runs_in(subject, process);
  return asked_for && !sight.hides(process) && sight.names(process);
}

nvmlReturn_t list(nvmlDevice_t device, u32 kind, u32* count, unsigned char* entries) {
  Store* store = current_store();
  if (store == nullptr) return NVML_ERROR_UNINITIALIZED;
  if (count == nullptr || entries == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  Subject subject;
  constexpr Target target{OnMigDevice::own, UnderMig::answered, false};
  if (const nvmlReturn_t code = find_subject(*store, device, target, &subject); code != NVML_SUCCESS) return code;
  const SlotLayout layout = layout_of_driver();
  const u32 offered = *count;
  const ProcessSight sight(*subject.slot);
  const u32 found = consistent(*subject.slot, [&](const Gpu& state) {
    u32 listed = 0;
    visit_until(state.processes.running, [&](const Processes::Process& each) {
      if (!is_listed(subject, kind, sight, each)) return false;
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

// A time stamp and a block for each engine: SMs, memory, encoder and decoder, from 550 on JPEG and optical flow.
struct SampleLayout {
  static constexpr std::size_t kFirst = 8;
  static constexpr std::size_t kBlock = 80;
  std::size_t engines;
  std::size_t size() const { return kFirst + engines * kBlock; }
};

SampleLayout sample_layout_of_driver() { return {simulated_driver().major < 550 ? 4U : 6U}; }

// nvidia-smi divides what it finds of a process by the number of entries, as those of a GPU follow one another in time.
void put_sample(const Gpu& state, const Processes::Process& each, u32 pid, u32 entries, const SampleLayout& layout,
                unsigned char* entry) {
  std::memset(entry, 0, layout.size());
  Fact<u32> facts[] = {load(each.sm_percent),      load(each.memory_percent), load(each.encoder_percent),
                       load(each.decoder_percent), load(each.jpeg_percent),   load(each.ofa_percent)};
  u32 shares[6] = {};
  for (std::size_t i = 0; i < 6; ++i) {
    if (facts[i].moves()) [[unlikely]]
      resolve(facts[i], Motion(state, current_time_ns()));
    shares[i] = facts[i].value_or(0);
  }
  for (std::size_t i = 0; i < layout.engines; ++i) {
    unsigned char* const block = entry + SampleLayout::kFirst + i * SampleLayout::kBlock;
    put(block, 0, shares[i] * entries);
    put(block, 8, pid);
  }
}

u32 count_seen(const Gpu& state, const ProcessSight& sight) {
  u32 seen = 0;
  visit_until(state.processes.running, [&](const Processes::Process& each) {
    seen += sight.hides(each) ? 0 : 1;
    return false;
  });
  return seen;
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

// An entry for each process.
nvmlReturn_t process_samples(nvmlDevice_t device, std::uint64_t, u32* interval, u32* count, unsigned char* entries) {
  Store* store = current_store();
  if (interval == nullptr || entries == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (store == nullptr) return NVML_ERROR_UNINITIALIZED;
  const GpuSlot* gpu = device_slot(*store, device);
  if (count == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (gpu == nullptr) return no_device(*store, device);
  const u32 room = *count;
  const SampleLayout layout = sample_layout_of_driver();
  const ProcessSight sight(*gpu);
  *count = consistent(*gpu, [&](const Gpu& state) {
    const u32 seen = count_seen(state, sight);
    const u32 given = seen < room ? seen : room;
    u32 written = 0;
    visit_until(state.processes.running, [&](const Processes::Process& each) {
      if (written == given) return true;
      if (sight.hides(each)) return false;
      put_sample(state, each, shown_pid(sight, each), given, layout, entries + written * layout.size());
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
