// SPDX-License-Identifier: Apache-2.0
// What drivers from 418 to 615 tell of each GPU, with one program: the binding asks the newest function that the
// installed driver has, and says of what it lacks from which branch on there is it.
#include <iostream>
#include <nvmlab/nvml.hpp>

namespace {

std::string why_not(const nvml::Error& error) { return std::error_code{error}.message(); }

void show_memory(const nvml::Device& device) {
  const auto memory = device.memory_info();  // reserved is known from driver 510 on
  std::cout << "  memory: ";
  if (!memory) {
    std::cout << why_not(memory.error()) << '\n';
    return;
  }
  std::cout << nvml::quantity_cast<nvml::Mebibytes>(memory->total).count() << " MiB, reserved: ";
  if (memory->reserved) {
    std::cout << nvml::quantity_cast<nvml::Mebibytes>(*memory->reserved).count() << " MiB\n";
  } else {
    std::cout << "not told\n";
  }
}

void show(const nvml::Device& device) {
  std::cout << device.name().value_or("a GPU") << '\n';
  show_memory(device);
  const auto processes = device.running_compute_processes();  // its third version since driver 510
  std::cout << "  processes: " << (processes ? std::to_string(processes->size()) : why_not(processes.error())) << '\n';
  const auto reasons = device.current_clocks_event_reasons();  // "throttle reasons" before driver 535
  std::cout << "  held back by its limit: "
            << (reasons ? reasons->has(nvml::ClocksEventReason::sw_power_cap) ? "yes" : "no" : why_not(reasons.error()))
            << '\n';
  const auto temperature = device.temperature(nvml::TemperatureSensor::gpu);  // of another name since driver 570
  std::cout << "  temperature: "
            << (temperature ? std::to_string(temperature->count()) + " C" : why_not(temperature.error())) << '\n';
  const auto mode = device.mig_mode();  // since driver 450
  std::cout << "  MIG: " << (!mode ? why_not(mode.error()) : mode->current ? "enabled" : "disabled") << '\n';
  const auto lanes = device.max_pcie_link_width();
  std::cout << "  lanes: " << (lanes ? std::to_string(*lanes) : why_not(lanes.error())) << '\n';
  const auto firmware = device.gsp_firmware_version();  // since driver 495
  std::cout << "  firmware: " << firmware.value_or(firmware ? "" : why_not(firmware.error())) << '\n';
}

}  // namespace

int main() {
  const auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  std::cout << "driver " << library->driver_version().value_or("N/A") << '\n';
  for (const auto& device : library->devices())
    show(device);
}
