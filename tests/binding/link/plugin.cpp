// SPDX-License-Identifier: Apache-2.0
// A plugin: tests/binding/link/plugins looks at what it shows to other plugins of the same process.
#include <nvmlab/nvml.hpp>
#include <nvmlab/nvml/json.hpp>
#include <nvmlab/nvml/snapshot.hpp>
#include <nvmlab/nvml/watch.hpp>

extern "C" int plugin_gpus() {
  const auto library = nvml::Library::open();
  if (!library) return -static_cast<int>(library.error().code());
  int bytes = 0;
  for (const auto& device : library->devices())
    bytes += static_cast<int>(nvml::to_json(nvml::snapshot(device)).size());
  return bytes > 0 ? static_cast<int>(library->devices().size()) : 0;
}
