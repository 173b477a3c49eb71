// SPDX-License-Identifier: Apache-2.0
// snapshot [--processes]: what `nvtop --snapshot` of release 3.2 writes, from gpu.hpp; and, as later releases do, who
// uses each GPU.
#include <cstring>
#include <functional>
#include <iostream>
#include <string_view>

#include "gpu.hpp"

namespace {

template <class Quantity>
void field(std::string_view name, const std::optional<Quantity>& value, std::string_view unit,
           std::string_view end = ",\n") {
  std::cout << "   \"" << name << "\": ";
  if (value) {
    std::cout << '"' << value->count() << unit << '"' << end;
  } else {
    std::cout << "null" << end;
  }
}

template <class From, class Part>
auto part(const std::optional<From>& from, Part reader)
    -> std::optional<std::decay_t<decltype(std::invoke(reader, *from))>> {
  if (!from) return std::nullopt;
  return std::invoke(reader, *from);
}

void write(const nvtop::Static& gpu, const nvtop::Dynamic& now, bool with_processes) {
  std::cout << "   \"device_name\": ";
  if (gpu.name) {
    std::cout << '"' << *gpu.name << "\",\n";
  } else {
    std::cout << "null,\n";
  }
  field("gpu_clock", now.clock, "MHz");
  field("mem_clock", now.memory_clock, "MHz");
  field("temp", now.temperature, "C");
  field("fan_speed", now.fan, "%");
  field("power_draw", part(now.power, [](nvml::Milliwatts power) { return nvml::Watts{power.count() / 1000}; }), "W");
  field("gpu_util", part(now.use, &nvml::Utilization::gpu), "%");
  const auto share = part(now.memory, [](const nvml::Memory& memory) {
    const auto total = memory.total.count();
    return nvml::Percent{static_cast<unsigned>(total == 0 ? 0 : memory.used.count() * 100 / total)};
  });
  field("mem_util", share, "%", with_processes ? ",\n" : "\n");
}

void write(const std::vector<nvtop::Process>& processes) {
  std::cout << "   \"processes\": [";
  for (std::string_view before = "\n"; const nvtop::Process& process : processes) {
    std::cout << before << "    {\"pid\": " << process.info.pid << ", \"graphics\": " << std::boolalpha
              << process.graphics << ", \"sm_util\": " << process.sm.count() << ", \"mem_used\": ";
    if (process.info.used_gpu_memory) {
      std::cout << process.info.used_gpu_memory->count() << '}';
    } else {
      std::cout << "null}";
    }
    before = ",\n";
  }
  std::cout << (processes.empty() ? "]\n" : "\n   ]\n");
}

}  // namespace

int main(int argc, char** argv) {
  const bool with_processes = argc > 1 && std::strcmp(argv[1], "--processes") == 0;
  const auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  std::cout << "[\n";
  std::string_view before;
  for (const nvml::Device& device : library->devices()) {
    if (device.refusal()) continue;  // nvtop knows no GPU that cannot be asked
    nvtop::Gpu gpu(device);
    std::cout << before << "  {\n";
    write(gpu.look_once(), gpu.look(), with_processes);
    if (with_processes) write(gpu.processes());
    std::cout << "  }";
    before = ",\n";
  }
  std::cout << "\n]\n";
}
