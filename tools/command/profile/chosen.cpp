// SPDX-License-Identifier: Apache-2.0
#include "command/profile/chosen.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <memory>

#include "base/nearest.hpp"
#include "command/cli/driver_branches.hpp"
#include "command/mock/document.hpp"
#include "compiler/mock/config.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "engine/store/driver_version.hpp"

namespace nvmlab::tool {
namespace {

struct Setting {
  const char* name = nullptr;
  std::string value;
};

// The first of two variables that is set and not empty.
std::optional<Setting> either(const char* ours, const char* theirs) {
  for (const char* name : {ours, theirs}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return Setting{name, value};
  }
  return std::nullopt;
}

std::expected<void, Complaints> complete_from_environment(compiler::CompileOptions& options) {
  if (const auto gpus = either("NVMLAB_GPUS", "MOCK_NVML_NUM_DEVICES"); gpus && !options.gpus) {
    unsigned count = 0;
    const char* const last = gpus->value.data() + gpus->value.size();
    const auto [end, error] = std::from_chars(gpus->value.data(), last, count);
    if (error != std::errc() || end != last || count > kMaxGpus) {
      return refuse(
          fmt::format("{}={}: a whole number from 0 to {} was expected", gpus->name, in_quotes(gpus->value), kMaxGpus));
    }
    options.gpus = count;
  }
  if (const auto driver = either("NVMLAB_DRIVER", "MOCK_NVML_DRIVER_VERSION"); driver && !options.driver) {
    DriverVersion version{};
    if (!find_driver_version(driver->value.c_str(), &version)) {
      return refuse(fmt::format("{}={}: there is no such driver; a version such as 550.163.01 or a branch: {}",
                                driver->name, in_quotes(driver->value), driver_branch_names()));
    }
    options.driver = driver->value;
  }
  return {};
}

Complaints lines_of_mock(const char* variable, const compiler::Problems& problems) {
  Complaints lines;
  for (const compiler::Problem& problem : problems)
    lines.push_back(fmt::format("{}={}", variable, problem.text()));
  return lines;
}

constexpr const char* kOverrides = "MOCK_NVML_OVERRIDES";

// Of this configuration, as they are now; none where there is no such file.
std::expected<std::unique_ptr<compiler::MockOverrides>, Complaints> read_overrides(const std::string& config) {
  const std::string path = mock::overrides_path(config);
  const auto document = mock::OverridesDocument::read(path);
  if (!document) return refuse(fmt::format("{}={}", kOverrides, document.error()));
  auto overrides = compiler::parse_mock_overrides(document->text_as_read(), path);
  if (!overrides) return std::unexpected(lines_of_mock(kOverrides, overrides.error()));
  return std::move(*overrides);
}

}  // namespace

std::expected<ChosenMachine, Complaints> load_chosen_machine(const std::optional<std::string>& profile,
                                                             compiler::CompileOptions options) {
  if (auto good = complete_from_environment(options); !good) return std::unexpected(good.error());
  const std::optional<Setting> wanted =
      profile ? Setting{"--profile", *profile} : either("NVMLAB_PROFILE", "MOCK_NVML_CONFIG");
  if (wanted && wanted->name == std::string_view("MOCK_NVML_CONFIG")) {
    const auto overrides = read_overrides(wanted->value);
    if (!overrides) return std::unexpected(overrides.error());
    auto mock = compiler::compile_mock_config(wanted->value, options, overrides->get());
    if (!mock) return std::unexpected(lines_of_mock("MOCK_NVML_CONFIG", mock.error()));
    Complaints notes = lines_of_mock(kOverrides, mock->override_notes);
    if (const std::string note = compiler::describe_unheeded(*mock); !note.empty())
      notes.push_back(fmt::format("MOCK_NVML_CONFIG={}: {}", wanted->value, note));
    return ChosenMachine{std::move(mock->machine), std::move(notes), std::move(mock->changes)};
  }
  auto machine = load_machine(wanted ? wanted->value : control::kDefaultProfile, options);
  if (!machine) return std::unexpected(machine.error());
  return ChosenMachine{std::move(*machine), {}};
}

Complaints make_changes(const ChosenMachine& chosen, Machine& machine) {
  Complaints refused;
  for (const Change& change : chosen.changes) {
    if (change.target.is_gpu() && change.target.gpu >= machine.gpu_count()) continue;
    if (const auto made = machine.apply(change); !made)
      refused.push_back("MOCK_NVML_CONFIG: a failure is left out: " + made.error().text);
  }
  return refused;
}

}  // namespace nvmlab::tool
