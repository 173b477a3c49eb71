// SPDX-License-Identifier: Apache-2.0
//
// What follows from the captures without being printed: which chip a PCI device id belongs to, and values that only
// newer tools print although older ones show another that is the same.
#include <algorithm>

#include "compiler/chips.hpp"
#include "compiler/shipped.hpp"
#include "import/infer/infer.hpp"

namespace nvmlab::importer {
namespace {

const compiler::Chip* chip_of(const Subject& gpu) {
  const FieldValue* id = gpu.value("pci.device_id");
  return id == nullptr ? nullptr : compiler::find_chip(id->number().value_or(0));
}

// A field that a capture left open, and those that have the same value, best first.
struct SameValue {
  std::string_view field;
  std::string_view by;
};

constexpr SameValue kSameValues[] = {
    {"power.draw_mw", "power.draw_average_mw"},      {"power.draw_mw", "power.draw_instant_mw"},
    {"power.draw_average_mw", "power.draw_mw"},      {"power.draw_instant_mw", "power.draw_mw"},
    {"power.enforced_limit_mw", "power.limit_mw"},   {"power.state", "clocks.performance_state"},
    {"pci.link_gen_device_max", "pci.link_gen_max"},
};

// What a board without one thing does not have either, whatever its family has.
struct Absence {
  std::string_view without;
  std::string_view field;
  std::string_view label = {};  // what the field is then; empty: not supported
};

constexpr Absence kAbsences[] = {
    {"modes.mig", "modes.mig_max_devices"},
    {"modes.mig", "modes.mig_without_reset"},
    {"modes.mig", "modes.mig_query_always"},
    {"ecc.mode", "ecc.mode_default"},
    {"identity.gsp_version", "identity.gsp_mode", "no"},
    {"fabric.state", "fabric.health_mask"},
};

// A nvidia-smi that does not print the board's part number prints it as that of the GPU.
void name_part(Evidence& evidence, Subject& gpu) {
  const Observation* printed = gpu.find("identity.gpu_part_number");
  if (printed == nullptr || gpu.find("identity.board_part_number") != nullptr) return;
  const FieldValue& value = printed->value;
  const auto part = value.has_value() ? compiler::Literal(value.text()) : compiler::ErrorCode{value.code()};
  evidence.observe(gpu, "identity.board_part_number", part, printed->origin);
  gpu.observed.erase("identity.gpu_part_number");
}

void infer_absences(Evidence& evidence, Subject& gpu) {
  // A mask without a bit is all that a section of N/A comes to.
  if (const Observation* state = gpu.find("fabric.state"); state != nullptr && !state->value.has_value())
    gpu.observed.erase("fabric.health_mask");
  for (const auto& [without, field, label] : kAbsences) {
    const Observation* absent = gpu.find(without);
    if (absent == nullptr || !absent->value.unsupported()) continue;
    const auto source = evidence.add_source(
        {.id = "without", .kind = "derived", .why = "the board does not have what this belongs to"});
    const auto value = label.empty() ? compiler::Literal() : compiler::Label{std::string(label)};
    evidence.observe(gpu, field, value, {source, absent->origin.place});
  }
}

std::vector<std::string> family_names(const Subject& gpu) {
  const auto label_of = [&](std::string_view field) {
    const FieldValue* value = gpu.value(field);
    return value == nullptr ? std::string_view() : value->label();
  };
  const compiler::Chip* chip = chip_of(gpu);
  std::string_view name = label_of("identity.architecture");
  if ((name.empty() || name == "unknown") && chip != nullptr) name = chip->architecture;
  if (name.empty() || name == "unknown") return {};
  const bool same = chip != nullptr && chip->architecture == name;
  const compiler::Architecture* architecture = compiler::find_architecture(name);
  std::vector<std::string> families{std::string(same ? chip->family : name)};

  // What it is sold as. Chips that are found on nothing else say it themselves.
  if (same ? chip->datacenter_only : architecture != nullptr && architecture->datacenter_only) return families;
  const std::string_view brand = label_of("identity.brand");
  constexpr std::string_view consumer[] = {"geforce", "geforce_rtx", "titan", "titan_rtx"};
  if (std::ranges::find(consumer, brand) != std::end(consumer)) {
    families.emplace_back("geforce");
  } else if ((brand == "nvidia" || brand == "tesla") && gpu.value("ecc.mode") != nullptr) {
    const bool pages = architecture != nullptr && architecture->repairs == compiler::MemoryRepair::pages;
    families.emplace_back(pages ? "datacenter-pages" : "datacenter-rows");
  }
  return families;
}

}  // namespace

std::vector<std::string> families_of(const Subject& gpu) {
  auto families = family_names(gpu);
  if (const std::string table = mig_table_of(gpu); !table.empty()) {
    if (families.empty()) families.emplace_back(kAnyFamily);
    families.push_back(table);
  }
  std::erase_if(families, [](const auto& name) { return compiler::find_shipped(name) == nullptr; });
  return families.empty() ? std::vector{std::string(kAnyFamily)} : families;
}

void infer_board(Evidence& evidence) {
  for (Subject& gpu : evidence.gpus) {
    if (gpu.complete) continue;
    if (!gpu.exact) name_part(evidence, gpu);
    if (const compiler::Chip* chip = chip_of(gpu); chip != nullptr) {
      const Origin by_id{
          evidence.add_source({.id = "chip", .kind = "derived", .why = "the PCI device id says which chip it is"}),
          gpu.find("pci.device_id")->origin.place};
      // A tool that is older than the chip prints "Unknown" although the driver knows it.
      const FieldValue* printed = gpu.value("identity.architecture");
      if (printed != nullptr && printed->label() == "unknown") gpu.observed.erase("identity.architecture");
      if (gpu.find("identity.architecture") == nullptr)
        evidence.observe(gpu, "identity.architecture", compiler::Label{std::string(chip->architecture)}, by_id);
      if (gpu.find("identity.compute_capability_major") == nullptr) {
        evidence.observe(gpu, "identity.compute_capability_major", chip->compute_capability / 10, by_id);
        evidence.observe(gpu, "identity.compute_capability_minor", chip->compute_capability % 10, by_id);
      }
    }
    if (gpu.exact) continue;  // what a recording lacks is not to be guessed from what it has
    for (const auto& [field, by] : kSameValues) {
      const Observation* other = gpu.find(by);
      if (gpu.value(field) != nullptr || other == nullptr || !other->value.has_value()) continue;
      // Where the capture has an error code, the board does not report the value.
      if (gpu.find(field) != nullptr && field != "power.draw_mw") continue;
      const auto source = evidence.add_source(
          {.id = "same", .kind = "derived", .why = "the driver of the capture prints another value that is the same"});
      evidence.observe(gpu, field, other->value.number().value_or(0), {source, other->origin.place});
    }
    infer_absences(evidence, gpu);
  }
}

}  // namespace nvmlab::importer
