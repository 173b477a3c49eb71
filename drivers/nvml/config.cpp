// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/config.hpp"

#include <unistd.h>
#include <cstdlib>
#include <cstring>

#include "drivers/nvml/embedded.hpp"
#include "drivers/nvml/library_machine.h"
#include "drivers/nvml/log.hpp"
#include "engine/machine/driver_version.hpp"
#include "engine/machine/hash.hpp"
#include "engine/machine/image.hpp"
#include "engine/machine/variables.hpp"

namespace nvmlab::driver {
namespace {

// An empty variable is one that is not set. A set-user-id program does not listen to its caller's environment.
const char* variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value == nullptr || *value == '\0' ? nullptr : value;
}

// A variable of ours, else the one of NVIDIA's Go mock; messages name the one that was set.
struct Setting {
  const char* name;
  const char* value;
};

Setting either(const char* ours, const char* theirs) {
  if (const char* value = variable(ours)) return {ours, value};
  return {theirs, variable(theirs)};
}

void refuse(const Setting& setting, const char* expected, Config* config) {
  Line line;
  line << setting.name << "=" << Quoted{setting.value} << ": " << expected << " was expected";
  log_error(line);
  config->good = false;
}

bool parse_number(const char* text, std::int64_t lowest, std::int64_t highest, std::int64_t* number) {
  std::int64_t value = 0;
  for (const char* digit = text; *digit != '\0'; ++digit) {
    if (*digit < '0' || *digit > '9') return false;
    value = value * 10 + (*digit - '0');
    if (value > highest) return false;
  }
  if (value < lowest) return false;
  *number = value;
  return true;
}

// What would be read if it were spelt right, or if this were that mock. It changes nothing, so it is no failure.
void say_unread(const char* entry) {
  const char* const equals = std::strchr(entry, '=');
  if (equals == nullptr) return;
  const auto length = static_cast<std::uint32_t>(equals - entry);
  constexpr const char* kOfMock[] = {"MOCK_NVML_OVERRIDES", "MOCK_NVML_OVERRIDES_TTL", "MOCK_NVML_EPOCH",
                                     "MOCK_NVML_STRICT", "MOCK_TOPOLOGY_CONFIG"};
  Line line;
  if (const char* meant = misspelt_variable(entry, length)) {
    line.append(entry, length) << ": there is no such variable; did you mean " << meant << "?";
    return log_error(line);
  }
  for (const char* name : kOfMock) {
    if (std::strlen(name) != length || std::memcmp(entry, name, length) != 0 || equals[1] == '\0') continue;
    line << name << ": not read here; docs/guide/from-mock-nvml.md says what takes its place";
    return log_error(line);
  }
}

bool parse_role(const char* text, Role* role) {
  if (std::strcmp(text, "root") == 0) {
    *role = Role::root;
  } else if (std::strcmp(text, "user") == 0) {
    *role = Role::user;
  } else {
    return false;
  }
  return true;
}

// What this copy of the library says in place of the environment (library_machine.h).
bool read_library(Config* config) {
  const char* const machine = nvmlab_library_machine + sizeof NVMLAB_LIBRARY_MACHINE_MARK - 1;
  if (*machine == '\0') return false;
  const char* const record = machine + std::strlen(machine) + 1;
  const char* const role = record + std::strlen(record) + 1;
  config->machine = machine;
  config->machine_of_library = true;
  configure_records(*record != '\0' ? record : nullptr);
  config->good = *role == '\0' || parse_role(role, &config->role);
  return true;
}

}  // namespace

Config read_config() {
  Config config;
  config.log = variable("NVMLAB_LOG");
  if (config.log == nullptr && variable("MOCK_NVML_DEBUG") != nullptr) config.log = "trace";
  configure_log(config.log);
  if (read_library(&config)) return config;
  configure_records(variable("NVMLAB_RECORD_CALLS"));
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry)
    say_unread(*entry);
  config.machine = variable("NVMLAB_MACHINE");
  config.runtime_dir = variable("NVMLAB_RUNTIME_DIR");
  config.profile = variable("NVMLAB_PROFILE");
  config.mock_config = variable("MOCK_NVML_CONFIG");
  const Setting driver = either("NVMLAB_DRIVER", "MOCK_NVML_DRIVER_VERSION");
  config.driver = driver.value;
  if (DriverVersion version{}; driver.value != nullptr && !find_driver_version(driver.value, &version)) {
    refuse(driver, "a driver branch such as 535 or a version such as 550.163.01", &config);
  }
  const Setting gpus = either("NVMLAB_GPUS", "MOCK_NVML_NUM_DEVICES");
  static_assert(kMaxGpus == 4096);
  if (gpus.value != nullptr && !parse_number(gpus.value, 0, kMaxGpus, &config.gpus))
    refuse(gpus, "a number of GPUs from 0 to 4096", &config);
  const Setting init_error{"NVMLAB_INIT_ERROR", variable("NVMLAB_INIT_ERROR")};
  if (std::int64_t code = 0; init_error.value != nullptr) {
    if (!parse_number(init_error.value, 1, 999, &code)) refuse(init_error, "a return code from 1 to 999", &config);
    config.init_error = static_cast<int>(code);
  }
  const Setting role{"NVMLAB_ROLE", variable("NVMLAB_ROLE")};
  if (role.value != nullptr && !parse_role(role.value, &config.role)) refuse(role, "root or user", &config);
  return config;
}

std::uint64_t fingerprint(const Config& config) {
  std::uint64_t sum = kEmptyHash;
  const auto add = [&sum](const char* text) {
    if (text != nullptr) sum = fnv1a(text, std::strlen(text), sum);
    sum = fnv1a("\xFF", 1, sum);  // the end of a text, which none holds
  };
  add(config.machine);
  add(config.runtime_dir);
  add(config.profile);
  add(config.mock_config);
  add(config.driver);
  return sum ^ static_cast<std::uint64_t>(config.gpus);
}

}  // namespace nvmlab::driver
