// SPDX-License-Identifier: Apache-2.0
#include "command/play/reader.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/nearest.hpp"
#include "command/cli/driver_branches.hpp"
#include "command/play/mapping_reader.hpp"
#include "command/play/steps.hpp"
#include "control/machine.hpp"
#include "control/machines.hpp"
#include "engine/store/driver_version.hpp"

namespace nvmlab::tool {
namespace {

using compiler::Problems;

constexpr std::string_view kScenarioKeys[] = {"about", "source", "machine", "steps"};
constexpr std::string_view kMachineKeys[] = {"profile", "gpus", "driver", "clock", "scale", "seed"};

std::vector<std::string> read_source(const yaml::Node& node, Problems& problems) {
  const auto wanted = "a reference such as owner/repository#7, a title, a list of these, or 'no public case'";
  std::vector<std::string> sources;
  const auto take = [&](const yaml::Node& each) {
    if (each.is_scalar() && !each.scalar.empty()) return sources.push_back(each.scalar);
    problems.push_back(each.error(found_instead(each, wanted)));
  };
  if (!node.is_sequence()) {
    take(node);
    return sources;
  }
  for (const yaml::Node& each : node.items)
    take(each);
  if (node.items.empty()) problems.push_back(node.error(found_instead(node, wanted)));
  return sources;
}

// A file lies beside the scenario that names it.
std::string profile_beside(const std::string& profile, const std::string& scenario_file) {
  const bool is_file = profile.contains('/') || profile.ends_with(".yaml") || profile.ends_with(".machine");
  if (!is_file) return profile;
  const auto path = std::filesystem::path(scenario_file).parent_path() / profile;
  return path.has_parent_path() ? path.string() : "./" + path.string();
}

void read_driver(const MappingReader& reader, std::optional<std::string>& driver) {
  driver = reader.text("driver");
  DriverVersion version{};
  if (!driver || find_driver_version(driver->c_str(), &version)) return;
  reader.problem(*reader.find("driver"),
                 fmt::format("there is no driver {}; a version such as 550.163.01 or a branch: {}", in_quotes(*driver),
                             driver_branch_names()));
}

void read_clock(const MappingReader& reader, ScenarioMachine& machine) {
  ClockOptions options;
  options.mode = reader.text("clock");
  options.scale = reader.text("scale");
  if (!options.mode && !options.scale) options.mode = name_of(ClockMode::virtual_time);
  const auto seed = reader.number("seed");
  options.seed = fmt::format("{}", seed.value_or(0));
  const auto beginning = options.read();
  const yaml::Node* const place = reader.find(options.mode && reader.find("clock") != nullptr ? "clock" : "scale");
  if (!beginning) return reader.problem(*place, beginning.error());
  machine.clock = *beginning;
  if (machine.clock.mode == ClockMode::frozen)
    reader.problem(*place, "the time of a scenario has to pass; its clock is virtual, real or scaled");
}

ScenarioMachine read_machine(const yaml::Node* node, const yaml::Node& root, const std::string& file,
                             Problems& problems) {
  yaml::Node nothing;
  nothing.kind = yaml::Kind::mapping;
  nothing.place = root.place;
  const MappingReader reader(node == nullptr ? nothing : *node, "'machine'", kMachineKeys, problems);
  ScenarioMachine machine;
  const yaml::Node* const profile = reader.find("profile");
  machine.place = profile != nullptr ? profile->place : node != nullptr ? node->place : root.place;
  machine.profile = profile_beside(reader.text("profile").value_or(control::kDefaultProfile), file);
  if (const auto gpus = reader.number("gpus", kMaxGpus)) machine.options.gpus = static_cast<unsigned>(*gpus);
  read_driver(reader, machine.options.driver);
  read_clock(reader, machine);
  return machine;
}

std::expected<Scenario, Problems> from_tree(const yaml::Node& root, const std::string& file) {
  Problems problems;
  const MappingReader reader(root, "a scenario", kScenarioKeys, problems);
  Scenario scenario;
  scenario.name = std::filesystem::path(file).stem().string();
  reader.require("about");
  scenario.about = reader.text("about").value_or("");
  if (const yaml::Node* const source = reader.require("source")) scenario.sources = read_source(*source, problems);
  scenario.machine = read_machine(reader.find("machine"), root, file, problems);
  if (const yaml::Node* const steps = reader.require("steps")) scenario.steps = read_steps(*steps, problems);
  if (!problems.empty()) return std::unexpected(compiler::in_file_order(std::move(problems)));
  return scenario;
}

std::expected<Scenario, Problems> from_parsed(const std::expected<yaml::Node, LocatedError>& parsed,
                                              const std::string& file) {
  if (!parsed) return std::unexpected(Problems{parsed.error()});
  return from_tree(*parsed, file);
}

}  // namespace

std::expected<Scenario, Problems> read_scenario_file(const std::string& path) {
  return from_parsed(yaml::parse_file(path), path);
}

std::expected<Scenario, Problems> read_scenario(std::string_view text, const std::string& file) {
  return from_parsed(yaml::parse(text, file), file);
}

}  // namespace nvmlab::tool
