// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/process/visible_devices.hpp"

#include <cstring>

#include "drivers/cuda/process/mig_device.hpp"

namespace nvmlab::cuda {
namespace {

// One entry of the list, without the blanks around it.
struct Entry {
  const char* text;
  std::uint32_t length;

  bool starts_with(const char* word) const {
    const std::size_t size = std::strlen(word);
    return length >= size && std::memcmp(text, word, size) == 0;
  }
};

bool next_entry(const char*& at, Entry* entry) {
  if (*at == '\0') return false;
  while (*at == ' ')
    ++at;
  const char* end = at;
  while (*end != '\0' && *end != ',')
    ++end;
  const char* next = *end == ',' ? end + 1 : end;
  while (end > at && end[-1] == ' ')
    --end;
  *entry = {at, static_cast<std::uint32_t>(end - at)};
  at = next;
  return true;
}

// Digits up to the end of the entry.
bool parse_index(const char* text, std::uint32_t length, std::uint32_t* index) {
  std::uint32_t value = 0;
  if (length == 0 || length > 6) return false;
  for (std::uint32_t i = 0; i < length; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
    value = value * 10 + static_cast<std::uint32_t>(text[i] - '0');
  }
  *index = value;
  return true;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool begins_with(const char* uuid, const Entry& entry) {
  for (std::uint32_t i = 0; i < entry.length; ++i) {
    if (uuid[i] == '\0' || lower(uuid[i]) != lower(entry.text[i])) return false;
  }
  return true;
}

// What CUDA takes for the speed of a GPU; equal ones keep the order of their PCI addresses.
std::uint64_t speed_of(const GpuSlot& slot) {
  const std::uint64_t capability = read_field(slot, &Gpu::identity, &Identity::compute_capability_major).value_or(0);
  const std::uint64_t units = read_field(slot, &Gpu::cuda, &Cuda::multiprocessor_count).value_or(0);
  const std::uint64_t clock = read_field(slot, &Gpu::cuda, &Cuda::clock_rate_khz).value_or(0);
  return units * clock * (capability + 1);
}

class Chooser {
 public:
  Chooser(const driver::EngineTable& engine, const Store& store, bool by_address, VisibleDevice* devices)
      : engine_(engine), store_(store), chosen_(devices) {
    const std::uint32_t counted = engine.count_gpus(store);
    for (std::uint32_t i = 0; i < counted && count_ < kMaxVisibleDevices; ++i) {
      const GpuSlot* slot = engine.nth_gpu(store, i);
      if (slot != nullptr && engine.state_of(store, *slot) == 0) add(*slot, by_address);
    }
  }

  std::uint32_t all() {
    std::uint32_t visible = 0;
    bool mig = false;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const GpuSlot& slot = store_.slots()[order_[i]];
      const bool divided = in_mig_mode(slot);
      // A process uses one MIG device; a GPU that is to be divided and is not has nothing to run on.
      if (divided && (mig || engine_.count_mig_devices(store_, slot) == 0)) continue;
      mig = mig || divided;
      chosen_[visible++] = {order_[i], divided ? 0 : kWholeGpu};
    }
    return visible;
  }

  std::uint32_t listed(const char* list) {
    std::uint32_t visible = 0;
    Entry entry{};
    while (next_entry(list, &entry)) {
      VisibleDevice device{};
      if (!find(entry, &device)) break;
      for (std::uint32_t i = 0; i < visible; ++i) {
        if (chosen_[i].gpu == device.gpu && chosen_[i].mig == device.mig) return 0;  // a GPU twice: none at all
      }
      if (visible == kMaxVisibleDevices) break;
      chosen_[visible++] = device;
    }
    return visible;
  }

 private:
  void add(const GpuSlot& slot, bool by_address) {
    const auto index = static_cast<std::uint32_t>(&slot - store_.slots());
    std::uint32_t at = count_++;
    const std::uint64_t speed = by_address ? 0 : speed_of(slot);
    for (; at > 0 && speeds_[at - 1] < speed; --at) {
      order_[at] = order_[at - 1];
      speeds_[at] = speeds_[at - 1];
    }
    order_[at] = static_cast<std::uint16_t>(index);
    speeds_[at] = speed;
  }

  bool find(const Entry& entry, VisibleDevice* device) const {
    if (entry.starts_with("MIG-GPU-")) return find_instance(entry, device);
    if (entry.starts_with("MIG-")) return find_mig(entry, device);
    if (entry.starts_with("GPU-")) return find_uuid(entry, device);
    std::uint32_t index = 0;
    if (!parse_index(entry.text, entry.length, &index) || index >= count_) return false;
    return take_gpu(order_[index], device);
  }

  bool take_gpu(std::uint32_t gpu, VisibleDevice* device) const {
    const GpuSlot& slot = store_.slots()[gpu];
    const bool divided = in_mig_mode(slot);
    if (divided && engine_.count_mig_devices(store_, slot) == 0) return false;
    *device = {gpu, divided ? 0 : kWholeGpu};
    return true;
  }

  // One GPU alone whose UUID begins so.
  bool find_uuid(const Entry& entry, VisibleDevice* device) const {
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const auto uuid = read_field(store_.slots()[order_[i]], &Gpu::identity, &Identity::uuid);
      if (!begins_with(uuid.data, entry)) continue;
      if (++found > 1 || !take_gpu(order_[i], device)) return false;
    }
    return found == 1;
  }

  template <class Matches>
  bool find_mig_where(const Matches& matches, VisibleDevice* device) const {
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const GpuSlot& slot = store_.slots()[order_[i]];
      for (std::uint32_t at = 0; at < engine_.count_mig_devices(store_, slot); ++at) {
        if (!matches(slot, at)) continue;
        *device = {order_[i], at};
        ++found;
      }
    }
    return found == 1;
  }

  bool find_mig(const Entry& entry, VisibleDevice* device) const {
    return find_mig_where(
        [&](const GpuSlot& slot, std::uint32_t at) {
          return begins_with(describe(engine_, store_, slot, at).uuid, entry);
        },
        device);
  }

  // "MIG-GPU-<UUID>/<GPU instance>/<compute instance>", as drivers before 470 name them.
  bool find_instance(const Entry& entry, VisibleDevice* device) const {
    const Entry whole{entry.text + 4, entry.length - 4};
    const char* const first = static_cast<const char*>(std::memchr(whole.text, '/', whole.length));
    if (first == nullptr) return false;
    const char* const end = whole.text + whole.length;
    const char* const second =
        static_cast<const char*>(std::memchr(first + 1, '/', static_cast<std::size_t>(end - first - 1)));
    std::uint32_t gpu_instance = 0;
    std::uint32_t compute_instance = 0;
    if (second == nullptr || !parse_index(first + 1, static_cast<std::uint32_t>(second - first - 1), &gpu_instance) ||
        !parse_index(second + 1, static_cast<std::uint32_t>(end - second - 1), &compute_instance))
      return false;
    const Entry uuid{whole.text, static_cast<std::uint32_t>(first - whole.text)};
    return find_mig_where(
        [&](const GpuSlot& slot, std::uint32_t at) {
          if (!begins_with(read_field(slot, &Gpu::identity, &Identity::uuid).data, uuid)) return false;
          const MigDevice found = describe(engine_, store_, slot, at);
          return found.gpu_instance == gpu_instance && found.compute_instance == compute_instance;
        },
        device);
  }

  const driver::EngineTable& engine_;
  const Store& store_;
  VisibleDevice* chosen_;
  std::uint32_t count_ = 0;
  // Too large for a stack; used under the lock of the process.
  static inline std::uint16_t order_[kMaxVisibleDevices];
  static inline std::uint64_t speeds_[kMaxVisibleDevices];
};

}  // namespace

std::uint32_t choose_devices(const driver::EngineTable& engine, const Store& store, const char* order,
                             const char* visible, VisibleDevice* devices) {
  const bool by_address = order != nullptr && std::strcmp(order, "PCI_BUS_ID") == 0;
  Chooser chooser(engine, store, by_address, devices);
  return visible == nullptr ? chooser.all() : chooser.listed(visible);
}

}  // namespace nvmlab::cuda
