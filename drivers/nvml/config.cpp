// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/config.hpp"

#include <cstdlib>

#include "drivers/nvml/log.hpp"
#include "engine/machine/image.hpp"

namespace nvmlab::driver {
namespace {

// An empty variable is one that is not set. A set-user-id program does not listen to its caller's environment.
const char* variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

const char* either(const char* ours, const char* theirs) {
  const char* value = variable(ours);
  return value != nullptr ? value : variable(theirs);
}

bool parse_count(const char* text, std::int64_t* count) {
  std::int64_t value = 0;
  for (const char* digit = text; *digit != '\0'; ++digit) {
    if (*digit < '0' || *digit > '9') return false;
    value = value * 10 + (*digit - '0');
    if (value > kMaxGpus) return false;
  }
  *count = value;
  return true;
}

}  // namespace

Config read_config() {
  Config config;
  config.log = variable("NVMLAB_LOG");
  if (config.log == nullptr && variable("MOCK_NVML_DEBUG") != nullptr) config.log = "trace";
  configure_log(config.log);
  config.machine = variable("NVMLAB_MACHINE");
  config.runtime_dir = variable("NVMLAB_RUNTIME_DIR");
  config.profile = variable("NVMLAB_PROFILE");
  config.mock_config = variable("MOCK_NVML_CONFIG");
  config.driver = either("NVMLAB_DRIVER", "MOCK_NVML_DRIVER_VERSION");
  const char* gpus = either("NVMLAB_GPUS", "MOCK_NVML_NUM_DEVICES");
  if (gpus != nullptr && !parse_count(gpus, &config.gpus)) {
    Line line;
    line << (variable("NVMLAB_GPUS") != nullptr ? "NVMLAB_GPUS=" : "MOCK_NVML_NUM_DEVICES=") << gpus
         << ": a number of GPUs from 0 to " << std::uint64_t{kMaxGpus} << " was expected";
    log_error(line);
    config.good = false;
  }
  return config;
}

std::uint64_t fingerprint(const Config& config) {
  std::uint64_t sum = 0xcbf29ce484222325ull;
  const auto add = [&sum](const char* text) {
    for (; text != nullptr && *text != '\0'; ++text)
      sum = (sum ^ static_cast<unsigned char>(*text)) * 0x100000001b3ull;
    sum = (sum ^ 0xFF) * 0x100000001b3ull;
  };
  add(config.machine);
  add(config.runtime_dir);
  add(config.profile);
  add(config.mock_config);
  add(config.driver);
  return sum ^ static_cast<std::uint64_t>(config.gpus);
}

}  // namespace nvmlab::driver
