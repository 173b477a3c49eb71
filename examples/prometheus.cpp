// SPDX-License-Identifier: Apache-2.0
// Power, temperature, use and memory of every GPU in the text form that Prometheus reads. What a GPU does not have is
// left out; one that is lost is counted by itself.
#include <iostream>
#include <nvmlab/nvml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Gpu {
  std::string uuid;
  std::string name;
  nvml::Device device;
};

// One metric of all GPUs: `read` gives a Result of a number.
template <class Read>
void metric(const std::vector<Gpu>& gpus, std::string_view name, std::string_view help, Read read) {
  std::cout << "# HELP " << name << ' ' << help << "\n# TYPE " << name << " gauge\n";
  for (const Gpu& gpu : gpus) {
    if (const nvml::Result<double> value = read(gpu.device)) {
      std::cout << name << "{uuid=\"" << gpu.uuid << "\",name=\"" << gpu.name << "\"} " << *value << '\n';
    }
  }
}

template <class Quantity>
nvml::Result<double> number(const nvml::Result<Quantity>& quantity, double factor = 1) {
  if (!quantity) return std::unexpected(quantity.error());
  return static_cast<double>(quantity->count()) * factor;
}

}  // namespace

int main() {
  const auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  std::vector<Gpu> gpus;
  unsigned lost = 0;
  for (const auto& device : library->devices()) {
    if (const auto refusal = device.refusal()) {
      std::cerr << *refusal << '\n';
      ++lost;
    } else {
      gpus.push_back({device.uuid().value_or(""), device.name().value_or(""), device});
    }
  }
  std::cout.precision(12);
  std::cout << "# HELP gpus_refused GPUs that cannot be asked.\n# TYPE gpus_refused gauge\ngpus_refused " << lost
            << '\n';
  metric(gpus, "gpu_power_watts", "Power that the board draws.",
         [](const nvml::Device& gpu) { return number(gpu.power_usage(), 1e-3); });
  metric(gpus, "gpu_temperature_celsius", "Temperature of the chip.",
         [](const nvml::Device& gpu) { return number(gpu.temperature(nvml::TemperatureSensor::gpu)); });
  metric(gpus, "gpu_use_percent", "Time in which a kernel ran.", [](const nvml::Device& gpu) -> nvml::Result<double> {
    const auto use = gpu.utilization_rates();
    if (!use) return std::unexpected(use.error());
    return use->gpu.count();
  });
  metric(gpus, "gpu_memory_used_bytes", "Memory in use.", [](const nvml::Device& gpu) -> nvml::Result<double> {
    const auto memory = gpu.memory_info();
    if (!memory) return std::unexpected(memory.error());
    return static_cast<double>(memory->used.count());
  });
}
