// SPDX-License-Identifier: Apache-2.0
// What a unit test makes of the headers' templates, compiled by ./warnings: of a number, a list, a struct of several
// layouts, a command, and a lambda that captures.
#include <nvmlab/nvml.hpp>
#include <nvmlab/nvml/fake.hpp>
#include <vector>

unsigned long fakes();

unsigned long fakes() {
  nvml::Fake fake;
  const auto number = fake.on<&nvml::Device::power_usage>(nvml::Milliwatts{250'000});
  const auto list = fake.on<nvml::overload<>(&nvml::Device::accounting_pids)>(std::vector<unsigned>{7});
  const auto layouts = fake.on<&nvml::Device::gpu_instance_profile_info_v2>(nvml::GpuInstanceProfileInfo{});
  const auto command =
      fake.on<nvml::overload<nvml::Milliwatts>(&nvml::Device::set_power_management_limit)>(nvml::Return::no_permission);
  unsigned long devices = 0;
  fake.set<&nvml::Functions::nvmlDeviceGetCount_v2>([&devices](unsigned* count) {
    *count = static_cast<unsigned>(++devices);
    return nvml::abi::NVML_SUCCESS;
  });
  return number.count() + list.count() + layouts.count() + command.count() + devices;
}
