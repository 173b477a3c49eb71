// SPDX-License-Identifier: Apache-2.0
// NVIDIA's header first, whose macros rename functions, then the binding. A program on its way from the one to the
// other: C opens and finds, the binding asks.
#include <nvml.h>

#include <nvmlab/nvml.hpp>
#include <nvmlab/nvml/fake.hpp>
#include <nvmlab/nvml/snapshot.hpp>
#include <nvmlab/nvml/watch.hpp>
#include <string>
#include <type_traits>

static_assert(std::is_same_v<nvmlDevice_t, nvml::abi::nvmlDevice_t>, "a handle is of one type");
static_assert(static_cast<nvml::Return>(NVML_ERROR_GPU_IS_LOST) == nvml::Return::gpu_is_lost);

int take_from_the_binding(const nvml::Library& library);

namespace {

// What the macros of the header made of a name before the binding was read, and after it.
bool macros_are_as_they_were() {
  return &nvml::Functions::nvmlDeviceGetCount == &nvml::Functions::nvmlDeviceGetCount_v2;
}

#undef nvmlDeviceGetCount

// The binding's own names were not renamed: its first version is the first.
bool versions_are_two() {
  nvml::Fake fake;
  fake.set<&nvml::Functions::nvmlDeviceGetCount>([](unsigned* count) {
    *count = 1;
    return nvml::abi::NVML_SUCCESS;
  });
  fake.set<&nvml::Functions::nvmlDeviceGetCount_v2>([](unsigned* count) {
    *count = 2;
    return nvml::abi::NVML_SUCCESS;
  });
  const nvml::Library library = fake.library();
  return library.device_count_v1() == 1U && library.device_count_v2() == 2U && library.device_count() == 2U;
}

}  // namespace

int main() {
  if (!macros_are_as_they_were()) return 2;
  if (!versions_are_two()) return 3;
  nvmlDevice_t raw = nullptr;
  if (nvmlInit() != NVML_SUCCESS || nvmlDeviceGetHandleByIndex(1, &raw) != NVML_SUCCESS) return 4;
  char uuid[NVML_DEVICE_UUID_V2_BUFFER_SIZE] = {};
  if (nvmlDeviceGetUUID(raw, uuid, sizeof uuid) != NVML_SUCCESS) return 5;

  const auto library = nvml::Library::open();
  if (!library) return 6;
  const nvml::Device device{*library, raw};
  if (device.uuid() != std::string{uuid}) return 7;
  if (device != library->device(1)) return 8;
  return take_from_the_binding(*library);
}
