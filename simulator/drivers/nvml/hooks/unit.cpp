// SPDX-License-Identifier: Apache-2.0
//
// S-class units, the host interface cards that lead to them, and GPUs that an administrator excluded: lists of the
// node, empty in most. A unit's handle is checked as a GPU's is, against the handle that this machine would give out.
// Tests: tests/drivers/functions/unit_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
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

}  // namespace

namespace hooks {

nvmlReturn_t nvmlUnitSetLedState(Store& node, nvmlUnit_t unit, nvmlLedColor_t color) {
  static_assert(NVML_LED_COLOR_GREEN == 0 && NVML_LED_COLOR_AMBER == 1);
  return ask_unit(node, unit, [&](const Box& box) {
    if (!box.led_color.has_value()) return code_of(box.led_color.code());
    return apply(node, SetUnitLights{static_cast<std::uint32_t>(color)});
  });
}

nvmlReturn_t nvmlUnitGetDevices(Store& node, nvmlUnit_t unit, unsigned int* deviceCount, nvmlDevice_t* devices) {
  return ask_unit(node, unit, [&](const Box& box) {
    // A machine that was brought up with fewer GPUs has fewer in its units, and removed or draining ones are not seen.
    std::uint64_t present[decltype(box.gpus)::capacity];
    std::uint32_t count = 0;
    for (const std::uint32_t gpu : box.gpus) {
      if (gpu >= gpu_count(node) || !counted(node, node.gpus()[gpu])) continue;
      present[count++] = handle_of(node.gpus()[gpu]);
    }
    return give_list(count, deviceCount, devices, [&present](std::uint32_t i, nvmlDevice_t& device) {
      device = reinterpret_cast<nvmlDevice_t>(present[i]);
    });
  });
}

}  // namespace hooks
}  // namespace nvmlab::driver
