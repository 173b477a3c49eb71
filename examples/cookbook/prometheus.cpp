// SPDX-License-Identifier: Apache-2.0
// prometheus [PORT]: a daemon that answers http://127.0.0.1:PORT/metrics with power, temperature, use and memory of
// every GPU in the text form that Prometheus reads; without PORT it writes them once. What a GPU does not have is left
// out; one that is lost is counted by itself. Each GPU is asked once, for what is written of it and nothing else.
#include <cstdlib>
#include <functional>
#include <iostream>
#include <nvmlab/nvml.hpp>
#include <nvmlab/nvml/snapshot.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http.hpp"

namespace {

using Member = nvml::SnapshotMember;

struct Gpu {
  std::string labels;
  nvml::Snapshot now;
};

// One metric of all GPUs: `read` gives a Result of a number.
template <class Read>
void metric(std::ostream& out, const std::vector<Gpu>& gpus, std::string_view name, std::string_view help, Read read) {
  out << "# HELP " << name << ' ' << help << "\n# TYPE " << name << " gauge\n";
  for (const Gpu& gpu : gpus) {
    if (const nvml::Result<double> value = read(gpu.now)) out << name << gpu.labels << ' ' << *value << '\n';
  }
}

// The number in what a getter answered, or in a part of it.
template <class Value, class Part>
nvml::Result<double> number(const nvml::Result<Value>& value, Part part, double factor = 1) {
  if (!value) return nvml::unexpected(value.error());
  return static_cast<double>(std::invoke(part, *value).count()) * factor;
}

std::string scrape(const nvml::Library& library) {
  std::vector<Gpu> gpus;
  unsigned lost = 0;
  for (const auto& device : library.devices()) {
    if (const auto refusal = device.refusal()) {
      std::cerr << *refusal << '\n';
      ++lost;
    } else {
      auto now = nvml::snapshot(device, {Member::uuid, Member::name, Member::power_usage, Member::temperature,
                                         Member::utilization_rates, Member::memory_info});
      gpus.push_back(
          {"{uuid=\"" + now.uuid.value_or("") + "\",name=\"" + now.name.value_or("") + "\"}", std::move(now)});
    }
  }
  std::ostringstream out;
  out.precision(12);
  out << "# HELP gpus_refused GPUs that cannot be asked.\n# TYPE gpus_refused gauge\ngpus_refused " << lost << '\n';
  metric(out, gpus, "gpu_power_watts", "Power that the board draws.",
         [](const nvml::Snapshot& gpu) { return number(gpu.power_usage, std::identity{}, 1e-3); });
  metric(out, gpus, "gpu_temperature_celsius", "Temperature of the chip.", [](const nvml::Snapshot& gpu) {
    return number(gpu.temperature[nvml::TemperatureSensor::gpu], std::identity{});
  });
  metric(out, gpus, "gpu_use_percent", "Time in which a kernel ran.",
         [](const nvml::Snapshot& gpu) { return number(gpu.utilization_rates, &nvml::Utilization::gpu); });
  metric(out, gpus, "gpu_memory_used_bytes", "Memory in use.",
         [](const nvml::Snapshot& gpu) { return number(gpu.memory_info, &nvml::Memory::used); });
  return out.str();
}

}  // namespace

int main(int argc, char** argv) {
  const auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  if (argc == 1) {
    std::cout << scrape(*library);
    return 0;
  }
  return serve(std::atoi(argv[1]), [&] { return scrape(*library); });
}
