// SPDX-License-Identifier: Apache-2.0
// Which device an error is about. The driver is asked once for each handle, when the first call with it fails: what is
// asked for again and again in vain costs no more than the call. Entries are added and never taken out while the
// library is open, so they are read without a lock. Covered by tests/binding/advice_test.cpp.

#include <utility>

#include "nvmlab/loader/state.hpp"

namespace nvml::inline v1::detail {

struct KnownDevice {
  abi::nvmlDevice_t handle;
  Counted<const FailedDevice> device;
  bool asked;  // for its name, or only its index is known
  KnownDevice* next;
};

namespace {

const KnownDevice* find_known(const State& state, abi::nvmlDevice_t handle, bool asked) noexcept {
  const KnownDevice* each = state.known_devices.load();
  while (each != nullptr && (each->handle != handle || each->asked < asked))
    each = each->next;
  return each;
}

void add_known(const State& state, abi::nvmlDevice_t handle, Counted<const FailedDevice> device, bool asked) {
  auto* const made = new KnownDevice{handle, std::move(device), asked, state.known_devices.load()};
  while (!state.known_devices.replace(made->next, made)) {
  }
}

// What the driver says; a device that is lost does not even tell its name, but had an index.
FailedDevice ask_about(const State& state, abi::nvmlDevice_t handle) {
  FailedDevice device;
  if (const KnownDevice* known = find_known(state, handle, false)) device = *known->device;
  unsigned number = 0;
  const Functions& functions = state.functions;
  if (functions.nvmlDeviceIsMigDeviceHandle != nullptr &&
      functions.nvmlDeviceIsMigDeviceHandle(handle, &number) == abi::NVML_SUCCESS)
    device.mig = number != 0;
  if (functions.nvmlDeviceGetIndex != nullptr && functions.nvmlDeviceGetIndex(handle, &number) == abi::NVML_SUCCESS)
    device.index = number;
  char name[abi::DEVICE_NAME_V2_BUFFER_SIZE] = {};
  if (functions.nvmlDeviceGetName != nullptr &&
      functions.nvmlDeviceGetName(handle, name, sizeof name - 1) == abi::NVML_SUCCESS)
    device.name = name;
  return device;
}

}  // namespace

Error about(const State& state, abi::nvmlDevice_t device, const Error& error) noexcept {
  if (error.device() != nullptr || device == nullptr || error.origin() != Origin::driver) return error;
  const bool lost = error.code() == static_cast<Return>(abi::NVML_ERROR_GPU_IS_LOST);
  const KnownDevice* known = find_known(state, device, !lost);
  if (known == nullptr) {
    FailedDevice asked = ask_about(state, device);
    // A GPU that is lost has its name again once it is reset.
    const bool whole = asked.index.has_value() && !asked.name.empty();
    if (!asked.index && asked.name.empty()) return error;
    auto made = Counted<const FailedDevice>::make(std::move(asked));
    if (!whole) return error.with_device(std::move(made));
    add_known(state, device, std::move(made), true);
    known = find_known(state, device, true);
  }
  return error.with_device(known->device);
}

Error about(unsigned index, const Error& error) {
  return error.with_device(Counted<const FailedDevice>::make(FailedDevice{index, {}, false}));
}

void remember_index(const State& state, abi::nvmlDevice_t device, unsigned index) {
  if (const KnownDevice* known = find_known(state, device, false); known != nullptr && known->device->index == index)
    return;
  add_known(state, device, Counted<const FailedDevice>::make(FailedDevice{index, {}, false}), false);
}

void forget_devices(State& state) noexcept {
  for (KnownDevice* each = state.known_devices.exchange(nullptr); each != nullptr;)
    delete std::exchange(each, each->next);
}

}  // namespace nvml::inline v1::detail
