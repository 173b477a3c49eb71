// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/hooks/process_name.hpp"
#include "drivers/nvml/log.hpp"

namespace nvmlab::driver {
namespace {

constexpr std::uint32_t kFirstToAnswerBeforeInit = 535;

// "12.550.163.01": the CUDA release and the driver.
nvmlReturn_t give_nvml_version(const Store& store, char* version, unsigned int length) {
  const Text<80> driver = read_field(store.node, &Node::system, &System::driver_version);
  const Fact<std::uint32_t> cuda = read_field(store.node, &Node::system, &System::cuda_version);
  if (!driver.has_value()) return code_of(driver.code());
  Line line;
  line << std::uint64_t{cuda.value_or(0) / 1000} << "." << driver.data;
  return put_text(version, length, line.text());
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned int length) {
  if (Store* store = current_store()) {
    return version == nullptr ? NVML_ERROR_INVALID_ARGUMENT : give_nvml_version(*store, version, length);
  }
  // Drivers from 535 on know their version before init, and look at the pointer first.
  struct Buffer {
    char* to;
    unsigned int length;
    bool asked;
  } buffer{version, length, false};
  const nvmlReturn_t code = ask_before_init(
      [](const Store& store, void* context) {
        auto& into = *static_cast<Buffer*>(context);
        into.asked = true;
        if (simulated_driver().major < kFirstToAnswerBeforeInit) return NVML_ERROR_UNINITIALIZED;
        return into.to == nullptr ? NVML_ERROR_INVALID_ARGUMENT : give_nvml_version(store, into.to, into.length);
      },
      &buffer);
  return buffer.asked ? code : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t nvmlSystemGetProcessName(Store& node, unsigned int pid, char* name, unsigned int length) {
  if (length == 0) return NVML_ERROR_INVALID_ARGUMENT;
  ProcessName found{};
  if (!find_process_name(node, pid, &found)) return NVML_ERROR_NOT_FOUND;
  // This function alone cuts its text to what fits.
  const std::size_t size = found.length < length ? found.length : length - 1;
  std::memcpy(name, found.data, size);
  name[size] = '\0';
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
