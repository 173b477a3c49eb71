// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/config.hpp"

#include <unistd.h>
#include <cstdlib>
#include <cstring>

#include "drivers/nvml/embedded.hpp"
#include "drivers/nvml/library_machine.h"
#include "drivers/nvml/log.hpp"
#include "engine/store/driver_version.hpp"
#include "engine/store/hash.hpp"
#include "engine/store/image.hpp"
#include "engine/store/variables.hpp"

namespace nvmlab::driver {
namespace {

bool begins_with(const char* entry, const char* beginning) {
  while (*beginning != '\0' && *entry == *beginning) {
    ++entry;
    ++beginning;
  }
  return *beginning == '\0';
}
// Whether we, or that mock, may have been meant; in most processes no entry of the environment is.
bool may_be_read(const char* entry) { return begins_with(entry, "NVMLAB_") || begins_with(entry, "MOCK_"); }

// Those entries, found in one pass.
class Environment {
 public:
  Environment() {
    for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
      if (!may_be_read(*entry)) continue;
      if (count_ < kKept) entries_[count_] = *entry;
      ++count_;
    }
  }

  bool empty() const { return count_ == 0; }

  // An empty variable is one that is not set. A set-user-id program does not listen to its caller's environment.
  const char* variable(const char* name) const {
    if (!may_have(name)) return nullptr;
    const char* value = ::secure_getenv(name);
    return value == nullptr || *value == '\0' ? nullptr : value;
  }

 private:
  static constexpr std::uint32_t kKept = 32;

  bool may_have(const char* name) const {
    for (std::uint32_t i = 0; i < count_ && i < kKept; ++i) {
      if (begins_with(entries_[i], name)) return true;
    }
    return count_ > kKept;
  }

  const char* entries_[kKept];
  std::uint32_t count_ = 0;
};

// A variable of ours, else the one of NVIDIA's Go mock; messages name the one that was set.
struct Setting {
  const char* name;
  const char* value;
};

Setting either(const Environment& environment, const char* ours, const char* theirs) {
  if (const char* value = environment.variable(ours)) return {ours, value};
  return {theirs, environment.variable(theirs)};
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
  constexpr const char* kOfMock[] = {"MOCK_NVML_EPOCH", "MOCK_TOPOLOGY_CONFIG"};
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

// As Go writes a span of time: 500ms, 1.5s, 1m30s.
bool parse_span(const char* text, std::uint64_t* ns) {
  struct Unit {
    const char* name;
    std::uint64_t ns;
  };
  constexpr Unit units[] = {{"ns", 1},
                            {"us", 1'000},
                            {"ms", 1'000'000},
                            {"s", 1'000'000'000},
                            {"m", 60'000'000'000},
                            {"h", 3'600'000'000'000}};
  constexpr std::uint64_t most = 1'000'000;
  *ns = 0;
  const char* at = text;
  while (*at != '\0') {
    std::uint64_t number = 0;
    std::uint64_t parts = 1;
    bool point = false;
    const char* const begin = at;
    for (; (*at >= '0' && *at <= '9') || (*at == '.' && !point); ++at) {
      if (*at == '.') {
        point = true;
        continue;
      }
      if (number > most * 1000 || parts > most) return false;
      number = number * 10 + static_cast<std::uint64_t>(*at - '0');
      parts *= point ? 10 : 1;
    }
    const Unit* unit = nullptr;
    for (const Unit& each : units) {
      const std::size_t length = std::strlen(each.name);
      const char behind = std::strncmp(at, each.name, length) == 0 ? at[length] : 'x';
      if (behind == '\0' || behind == '.' || (behind >= '0' && behind <= '9')) unit = &each;
    }
    if (at == begin || unit == nullptr || number / parts > most) return false;
    *ns += number * (unit->ns / (unit->ns < parts ? 1 : parts));
    at += std::strlen(unit->name);
  }
  return *ns > 0;
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
  config->good = *role == '\0' || find_role(role, &config->role);
  return true;
}

}  // namespace

Config read_config() {
  Config config;
  const Environment environment;
  if (environment.empty()) {
    configure_log(nullptr);
    if (!read_library(&config)) configure_records(nullptr);
    return config;
  }
  config.log = environment.variable("NVMLAB_LOG");
  if (config.log == nullptr && environment.variable("MOCK_NVML_DEBUG") != nullptr) config.log = "trace";
  configure_log(config.log);
  if (read_library(&config)) return config;
  configure_records(environment.variable("NVMLAB_RECORD_CALLS"));
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (may_be_read(*entry)) say_unread(*entry);
  }
  config.machine = environment.variable("NVMLAB_MACHINE");
  config.runtime_dir = environment.variable("NVMLAB_RUNTIME_DIR");
  config.profile = environment.variable("NVMLAB_PROFILE");
  config.mock_config = environment.variable("MOCK_NVML_CONFIG");
  config.mock_overrides = environment.variable("MOCK_NVML_OVERRIDES");
  const Setting span{"MOCK_NVML_OVERRIDES_TTL", environment.variable("MOCK_NVML_OVERRIDES_TTL")};
  if (span.value != nullptr && !parse_span(span.value, &config.overrides_ttl_ns))
    refuse(span, "a span of time such as 500ms or 1s", &config);
  config.strict = environment.variable("MOCK_NVML_STRICT") != nullptr;
  const Setting driver = either(environment, "NVMLAB_DRIVER", "MOCK_NVML_DRIVER_VERSION");
  config.driver = driver.value;
  if (DriverVersion version{}; driver.value != nullptr && !find_driver_version(driver.value, &version)) {
    refuse(driver, "a driver branch such as 535 or a version such as 550.163.01", &config);
  }
  const Setting gpus = either(environment, "NVMLAB_GPUS", "MOCK_NVML_NUM_DEVICES");
  static_assert(kMaxGpus == 4096);
  if (gpus.value != nullptr && !parse_number(gpus.value, 0, kMaxGpus, &config.gpus))
    refuse(gpus, "a number of GPUs from 0 to 4096", &config);
  const Setting init_error{"NVMLAB_INIT_ERROR", environment.variable("NVMLAB_INIT_ERROR")};
  if (std::int64_t code = 0; init_error.value != nullptr) {
    if (!parse_number(init_error.value, 1, 999, &code)) refuse(init_error, "a return code from 1 to 999", &config);
    config.init_error = static_cast<int>(code);
  }
  const Setting role{"NVMLAB_ROLE", environment.variable("NVMLAB_ROLE")};
  if (role.value != nullptr && !find_role(role.value, &config.role)) refuse(role, kExpectedRole, &config);
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
