// SPDX-License-Identifier: Apache-2.0
//
// S-class units, the host interface cards that lead to them, and GPUs that an administrator excluded: lists of the
// node, empty in most. A unit's handle is checked as a GPU's is, against the handle that this machine would give out.
// Tests: tests/drivers/functions/unit_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/hooks/pci.hpp"
#include "drivers/nvml/shapes/write.hpp"
#include "drivers/nvml/visible_gpus.hpp"

namespace nvmlab::driver {
namespace {

using Box = Unit::Box;

// A list may be long, and its length is all that is asked for.
template <class T, std::uint32_t N>
std::uint32_t length_of(const List<T, N>& list) {
  const std::uint32_t count = __atomic_load_n(&list.count, __ATOMIC_ACQUIRE);
  return count < N ? count : N;
}

std::uint32_t unit_count(const Store& store) {
  return consistent(store.node, [](const Node& node) { return length_of(node.unit.boxes); });
}

// Hands a copy of the unit that the handle names to `ask`.
template <class Ask>
nvmlReturn_t ask_unit(const Store& store, nvmlUnit_t unit, Ask&& ask) {
  const std::uint32_t count = unit_count(store);
  const std::uint32_t index = find_unit(store, reinterpret_cast<std::uint64_t>(unit), count);
  if (index == count) return NVML_ERROR_INVALID_ARGUMENT;
  const Box box = consistent(store.node, [index](const Node& node) { return load(node.unit.boxes.items[index]); });
  return ask(box);
}

// The whole of a list, or INSUFFICIENT_SIZE and nothing at all.
template <class Item, class Give>
nvmlReturn_t give_list(std::uint32_t count, unsigned int* room, Item* items, Give&& give) {
  if (*room < count) return NVML_ERROR_INSUFFICIENT_SIZE;
  if (items == nullptr && count > 0) return NVML_ERROR_INVALID_ARGUMENT;
  for (std::uint32_t i = 0; i < count; ++i)
    give(i, items[i]);
  *room = count;
  return NVML_SUCCESS;
}

nvmlReturn_t give_excluded(const Store& store, unsigned int index, nvmlExcludedDeviceInfo_t* info) {
  const Excluded excluded = consistent(store.node, [](const Node& node) { return load(node.excluded); });
  if (index >= excluded.gpus.size()) return NVML_ERROR_INVALID_ARGUMENT;
  const Excluded::Gpu& gpu = excluded.gpus[index];
  if (!gpu.uuid.has_value()) return code_of(gpu.uuid.code());
  Pci pci{};
  pci.domain = gpu.domain;
  pci.bus = gpu.bus;
  pci.device = gpu.device;
  pci.device_id = gpu.device_id;
  pci.subsystem_id = gpu.subsystem_id;
  fill_pci_info(pci, &info->pciInfo);
  put_text(info->uuid, gpu.uuid);
  return NVML_SUCCESS;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlUnitGetCount(Store& node, unsigned int* unitCount) {
  *unitCount = unit_count(node);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlUnitGetHandleByIndex(Store& node, unsigned int index, nvmlUnit_t* unit) {
  if (index >= unit_count(node)) return NVML_ERROR_INVALID_ARGUMENT;
  *unit = reinterpret_cast<nvmlUnit_t>(unit_handle(node, index));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlUnitGetUnitInfo(Store& node, nvmlUnit_t unit, nvmlUnitInfo_t* info) {
  return ask_unit(node, unit, [info](const Box& box) {
    if (!box.name.has_value()) return code_of(box.name.code());
    put_text(info->name, box.name);
    put_text(info->id, box.id);
    put_text(info->serial, box.serial);
    put_text(info->firmwareVersion, box.firmware_version);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlUnitGetLedState(Store& node, nvmlUnit_t unit, nvmlLedState_t* state) {
  return ask_unit(node, unit, [state](const Box& box) {
    if (!box.led_color.has_value()) return code_of(box.led_color.code());
    state->color = static_cast<nvmlLedColor_t>(box.led_color.value);
    put_text(state->cause, state->color == NVML_LED_COLOR_AMBER ? box.led_cause : Text<256>{});
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlUnitSetLedState(Store& node, nvmlUnit_t unit, nvmlLedColor_t color) {
  static_assert(NVML_LED_COLOR_GREEN == 0 && NVML_LED_COLOR_AMBER == 1);
  return ask_unit(node, unit, [&](const Box& box) {
    if (!box.led_color.has_value()) return code_of(box.led_color.code());
    return apply(node, SetUnitLights{static_cast<std::uint32_t>(color)});
  });
}

nvmlReturn_t nvmlUnitGetPsuInfo(Store& node, nvmlUnit_t unit, nvmlPSUInfo_t* psu) {
  return ask_unit(node, unit, [psu](const Box& box) {
    if (!box.psu_state.has_value()) return code_of(box.psu_state.code());
    put_text(psu->state, box.psu_state);
    psu->current = box.psu_current_ca.value_or(0);
    psu->voltage = box.psu_voltage_cv.value_or(0);
    psu->power = box.psu_power_w.value_or(0);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlUnitGetTemperature(Store& node, nvmlUnit_t unit, unsigned int type, unsigned int* temp) {
  return ask_unit(node, unit, [type, temp](const Box& box) {
    const Fact<std::uint32_t>* const sensors[] = {&box.intake_c, &box.exhaust_c, &box.board_c};
    return type < 3 ? give(*sensors[type], temp) : NVML_ERROR_INVALID_ARGUMENT;
  });
}

nvmlReturn_t nvmlUnitGetFanSpeedInfo(Store& node, nvmlUnit_t unit, nvmlUnitFanSpeeds_t* fanSpeeds) {
  return ask_unit(node, unit, [fanSpeeds](const Box& box) {
    if (box.fans.size() == 0) return NVML_ERROR_NOT_SUPPORTED;
    *fanSpeeds = {};
    for (const Unit::Fan& fan : box.fans) {
      nvmlUnitFanInfo_t& to = fanSpeeds->fans[fanSpeeds->count++];
      to.speed = fan.speed_rpm.value_or(0);
      to.state = static_cast<nvmlFanState_t>(fan.state.value_or(NVML_FAN_NORMAL));
    }
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlUnitGetDevices(Store& node, nvmlUnit_t unit, unsigned int* deviceCount, nvmlDevice_t* devices) {
  return ask_unit(node, unit, [&](const Box& box) {
    // A machine that was brought up with fewer GPUs has fewer in its units, and removed or draining ones are not seen.
    std::uint64_t present[decltype(box.gpus)::capacity];
    std::uint32_t count = 0;
    for (const std::uint32_t gpu : box.gpus) {
      if (gpu >= node.header.gpu_count || !counted(node, node.gpus()[gpu])) continue;
      present[count++] = __atomic_load_n(&node.gpus()[gpu].handle, __ATOMIC_RELAXED);
    }
    return give_list(count, deviceCount, devices, [&present](std::uint32_t i, nvmlDevice_t& device) {
      device = reinterpret_cast<nvmlDevice_t>(present[i]);
    });
  });
}

nvmlReturn_t nvmlSystemGetHicVersion(Store& node, unsigned int* hwbcCount, nvmlHwbcEntry_t* hwbcEntries) {
  const auto cards = consistent(node.node, [](const Node& state) { return load(state.unit.cards); });
  return give_list(cards.size(), hwbcCount, hwbcEntries, [&cards](std::uint32_t i, nvmlHwbcEntry_t& entry) {
    entry.hwbcId = cards[i].id.value_or(0);
    put_text(entry.firmwareVersion, cards[i].firmware_version);
  });
}

nvmlReturn_t nvmlGetExcludedDeviceCount(Store& node, unsigned int* deviceCount) {
  *deviceCount = consistent(node.node, [](const Node& state) { return length_of(state.excluded.gpus); });
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlGetExcludedDeviceInfoByIndex(Store& node, unsigned int index, nvmlExcludedDeviceInfo_t* info) {
  return give_excluded(node, index, info);
}

// The struct had another name, too, and the same layout.
nvmlReturn_t nvmlGetBlacklistDeviceInfoByIndex(Store& node, unsigned int index, void* info) {
  return give_excluded(node, index, static_cast<nvmlExcludedDeviceInfo_t*>(info));
}

}  // namespace hooks
}  // namespace nvmlab::driver
