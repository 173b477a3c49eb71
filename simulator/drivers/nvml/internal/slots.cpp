// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/internal/slots.hpp"

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/hooks/topology.hpp"
#include "drivers/nvml/shapes/read.hpp"
#include "drivers/nvml/shapes/write.hpp"
#include "drivers/nvml/visible_gpus.hpp"
#include "engine/store/system.hpp"
#include "engine/topics/pci/pci_address.hpp"
#include "engine/topics/topology/path.hpp"

namespace nvmlab::driver::slot {
namespace {

// The prologue of a slot: initialised, no null, a handle of ours.
template <class Body>
nvmlReturn_t with_device(nvmlDevice_t device, const void* out, const Body& body) {
  Store* store = current_store();
  if (store == nullptr) return NVML_ERROR_UNINITIALIZED;
  const GpuSlot* gpu = slot_before_reset(*store, device);
  if (out == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return gpu == nullptr ? no_device(*store, device) : body(*gpu);
}

template <class FactType, class Topic, class T>
nvmlReturn_t give_field(nvmlDevice_t device, Topic Gpu::*topic, FactType Topic::*field, T* out) {
  return with_device(device, out,
                     [&](const GpuSlot& gpu) { return give(told(read_field(gpu, topic, field), gpu), out); });
}

template <std::uint32_t N, class Topic>
nvmlReturn_t give_text(nvmlDevice_t device, Topic Gpu::*topic, Text<N> Topic::*field, char* out, u32 length) {
  return with_device(device, out, [&](const GpuSlot& gpu) {
    const Text<N> text = read_field(gpu, topic, field);
    return text.has_value() ? put_text(out, length, text.data) : code_of(text.code());
  });
}

const GpuSlot* find_by_pci(Store& store, const char* text) {
  PciAddress wanted{};
  if (!parse_pci_address(text, &wanted)) return nullptr;
  for (const GpuSlot& slot : VisibleGpus{store}) {
    if (address_of(fetch(slot, &Gpu::pci)) == wanted) return &slot;
  }
  return nullptr;
}

u32 path_code(const GpuSlot& a, const GpuSlot& b) {
  const u32 links = nvlinks_between_slots(a, b);
  if (links > 0) return 4 + links;
  return static_cast<u32>(pci_path(fetch(a, &Gpu::topology), fetch(b, &Gpu::topology)));
}

constexpr u32 kTimeslice = 0;  // a compute policy

nvmlReturn_t set_field(const GpuSlot& slot, u32 value, At<Fact<u32>> at) {
  Store& store = *current_store();
  const Device gpu{store, slot, static_cast<u32>(&slot - store.slots())};
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return apply(gpu, WriteSetting{static_cast<u32>(at.offset), value});
}

}  // namespace

extern "C" {

nvmlReturn_t parse_pci_id(const char* text, u32* domain, u32* bus, u32* device, u32* function) {
  if (any_null(text, domain, bus, device, function)) return NVML_ERROR_INVALID_ARGUMENT;
  PciAddress address{};
  if (!parse_pci_address(text, &address)) return NVML_ERROR_INVALID_ARGUMENT;
  *domain = address.domain;
  *bus = address.bus;
  *device = address.device;
  *function = address.function;
  return NVML_SUCCESS;
}

nvmlReturn_t is_primary(nvmlDevice_t device, u32* out) {
  return with_device(device, out, [out](const GpuSlot& gpu) {
    *out = read_field(gpu, &Gpu::identity, &Identity::primary).value_or(0);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t path_between(const char* pci_a, const char* pci_b, u32* out) {
  Store* store = current_store();
  if (store == nullptr) return NVML_ERROR_UNINITIALIZED;
  if (any_null(pci_a, pci_b, out)) return NVML_ERROR_INVALID_ARGUMENT;
  const GpuSlot* a = find_by_pci(*store, pci_a);
  const GpuSlot* b = find_by_pci(*store, pci_b);
  if (a == nullptr || b == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *out = path_code(*a, *b);
  return NVML_SUCCESS;
}

nvmlReturn_t debug_log() { return NVML_SUCCESS; }

nvmlReturn_t architecture(nvmlDevice_t device, u32* out) {
  return give_field(device, &Gpu::identity, &Identity::architecture, out);
}

nvmlReturn_t is_monitored(nvmlDevice_t device, u32* out) {
  return with_device(device, out, [out](const GpuSlot&) {
    *out = 1;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t pci_place(u32 index, u32* domain, u32* bus, u32* device) {
  Store* store = current_store();
  if (store == nullptr) return NVML_ERROR_UNINITIALIZED;
  const GpuSlot* gpu = nth_gpu(*store, index);
  if (gpu == nullptr || any_null(domain, bus, device)) return NVML_ERROR_INVALID_ARGUMENT;
  const PciAddress address = address_of(fetch(*gpu, &Gpu::pci));
  *domain = address.domain;
  *bus = address.bus;
  *device = address.device;
  return NVML_SUCCESS;
}

nvmlReturn_t pci_id_text(u32 index, char* text, u32 length) {
  Store* store = current_store();
  if (store == nullptr) return NVML_ERROR_UNINITIALIZED;
  const GpuSlot* gpu = nth_gpu(*store, index);
  if (gpu == nullptr || text == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  char formatted[17];
  format_pci_address(address_of(fetch(*gpu, &Gpu::pci)), 8, formatted);
  return put_text(text, length, formatted);
}

nvmlReturn_t enforced_power_limit(nvmlDevice_t device, u32* milliwatts) {
  return with_device(device, milliwatts, [milliwatts](const GpuSlot& gpu) {
    return give(consistent(gpu, derived::enforced_limit), milliwatts);
  });
}

nvmlReturn_t thermal_violation(nvmlDevice_t device, u32* out) {
  return with_device(device, out, [out](const GpuSlot&) {
    *out = 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t lists_graphics(nvmlDevice_t device, u32* can, u32* unknown) {
  if (unknown == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return with_device(device, can, [=](const GpuSlot&) {
    *can = 1;
    *unknown = 0;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t field_values(nvmlDevice_t device, u32 count, nvmlFieldValue_t* entries) {
  return with_device(device, entries, [=](const GpuSlot& gpu) {
    const Modes modes = fetch(gpu, &Gpu::modes);
    for (u32 i = 0; i < count; ++i) {
      nvmlFieldValue_t& entry = entries[i];
      Fact<u32> fact{};
      if (entry.fieldId == 1) fact = modes.relaxed_ordering;
      if (entry.fieldId == 4) fact = modes.reset_required;
      if (entry.fieldId == 5) fact = modes.drain_and_reset_recommended;
      entry.value.ullVal = 0;
      entry.valueType = NVML_VALUE_TYPE_UNSIGNED_INT;
      entry.nvmlReturn = give(fact, &entry.value.uiVal);
    }
    return NVML_SUCCESS;
  });
}

nvmlReturn_t set_compute_policy(nvmlDevice_t device, const ComputePolicy* policy) {
  return with_device(device, policy, [=](const GpuSlot& slot) {
    if (policy->id != kTimeslice) return NVML_ERROR_INVALID_ARGUMENT;
    return set_field(slot, policy->value, place(&Gpu::modes, &Modes::timeslice));
  });
}

nvmlReturn_t compute_policies(nvmlDevice_t device, ComputePolicies* out) {
  return with_device(device, out, [out](const GpuSlot& gpu) {
    const Fact<u32> timeslice = read_field(gpu, &Gpu::modes, &Modes::timeslice);
    if (!timeslice.has_value()) return code_of(timeslice.code());
    *out = {1, {{kTimeslice, timeslice.value}}};
    return NVML_SUCCESS;
  });
}

nvmlReturn_t module_id(nvmlDevice_t device, u32* out) {
  return give_field(device, &Gpu::identity, &Identity::module_id, out);
}

nvmlReturn_t voltage(nvmlDevice_t device, u32* microvolts) {
  return give_field(device, &Gpu::clocks, &Clocks::voltage_uv, microvolts);
}

nvmlReturn_t base_clock(nvmlDevice_t device, u32 clock_type, u32* megahertz) {
  switch (clock_type) {
    case NVML_CLOCK_GRAPHICS:
    case NVML_CLOCK_SM:
      return give_field(device, &Gpu::clocks, &Clocks::base_graphics_mhz, megahertz);
    case NVML_CLOCK_MEM:
      return give_field(device, &Gpu::clocks, &Clocks::base_memory_mhz, megahertz);
    default:
      return NVML_ERROR_NOT_SUPPORTED;
  }
}

nvmlReturn_t gsp_version(nvmlDevice_t device, char* text) {
  return give_text(device, &Gpu::identity, &Identity::gsp_version, text, 80);
}

nvmlReturn_t nearby_numa_nodes(nvmlDevice_t device, u32 words, std::uint64_t* mask) {
  return with_device(device, mask, [&](const GpuSlot& gpu) {
    const u32 node = read_field(gpu, &Gpu::topology, &Topology::numa_node).value_or(words * 64);
    if (node / 64 >= words) return NVML_ERROR_NOT_SUPPORTED;
    std::memset(mask, 0, words * sizeof *mask);
    mask[node / 64] = std::uint64_t{1} << node % 64;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t atomics_outbound(nvmlDevice_t device, u32* mask) {
  return give_field(device, &Gpu::pci, &Pci::atomics_outbound, mask);
}

nvmlReturn_t host_link_generation(nvmlDevice_t device, u32* out) {
  return give_field(device, &Gpu::pci, &Pci::link_gen_host_max, out);
}

nvmlReturn_t gpu_part_number(nvmlDevice_t device, char* text, u32 length) {
  return give_text(device, &Gpu::identity, &Identity::gpu_part_number, text, length);
}

nvmlReturn_t deferred_memory_clock(nvmlDevice_t device, u32* words) {
  return with_device(device, words, [words](const GpuSlot& gpu) {
    const Fact<u32> clock = read_field(gpu, &Gpu::clocks, &Clocks::deferred_memory_mhz);
    if (!clock.has_value()) return code_of(clock.code());
    words[0] = 1;
    words[1] = clock.value;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t fru_part_number(nvmlDevice_t device, char* text, u32 length) {
  return give_text(device, &Gpu::identity, &Identity::fru_part_number, text, length);
}

nvmlReturn_t temperature_limit(nvmlDevice_t device, std::int32_t* out) {
  return with_device(device, out, [out](const GpuSlot& gpu) {
    return give(told(consistent(gpu, derived::margin_to_limit), gpu), out);
  });
}

nvmlReturn_t addressing_mode(nvmlDevice_t device, u32* out) {
  return give_field(device, &Gpu::modes, &Modes::addressing_mode, out);
}

nvmlReturn_t sparse_operation(nvmlDevice_t device, u32* out) {
  return give_field(device, &Gpu::modes, &Modes::sparse_operation, out);
}

nvmlReturn_t set_sparse_operation(nvmlDevice_t device, u32 mode) {
  return with_device(device, &mode, [mode](const GpuSlot& slot) {
    return set_field(slot, mode, place(&Gpu::modes, &Modes::sparse_operation));
  });
}

nvmlReturn_t set_persistence_mode(nvmlDevice_t device, u32 mode) {
  return with_device(device, &mode, [mode](const GpuSlot& slot) {
    return set_field(slot, mode, place(&Gpu::modes, &Modes::persistence));
  });
}

}  // extern "C"

}  // namespace nvmlab::driver::slot
