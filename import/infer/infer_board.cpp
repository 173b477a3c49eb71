// SPDX-License-Identifier: Apache-2.0
//
// What follows from the captures without being printed: which chip a PCI device id belongs to, and values that only
// newer tools print although older ones show another that is the same.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "compiler/shipped.hpp"
#include "import/infer/infer.hpp"

namespace nvmlab::importer {
namespace {

// Chips by the range of their PCI device ids, which NVIDIA gives out in blocks. `family` is the profile of boards with
// that chip.
struct Chips {
  std::uint32_t first;
  std::uint32_t last;
  std::string_view architecture;
  std::string_view family;
  unsigned major;
  unsigned minor;
};

constexpr Chips kChips[] = {
    {0x0FC0, 0x103F, "kepler", "kepler", 3, 5},
    {0x1180, 0x12BF, "kepler", "kepler", 3, 0},
    {0x1340, 0x13BF, "maxwell", "maxwell", 5, 0},
    {0x13C0, 0x143F, "maxwell", "maxwell", 5, 2},
    {0x15F0, 0x15FF, "pascal", "pascal", 6, 0},
    {0x1600, 0x17FF, "maxwell", "maxwell", 5, 2},
    {0x1B00, 0x1D7F, "pascal", "pascal", 6, 1},
    {0x1D80, 0x1DFF, "volta", "volta", 7, 0},
    {0x1E00, 0x1FFF, "turing", "turing", 7, 5},
    {0x20B0, 0x20FF, "ampere", "ga100", 8, 0},
    {0x2180, 0x21FF, "turing", "turing", 7, 5},
    {0x2200, 0x22FF, "ampere", "ampere", 8, 6},
    {0x2300, 0x23FF, "hopper", "hopper", 9, 0},
    {0x2400, 0x25FF, "ampere", "ampere", 8, 6},
    {0x2600, 0x28FF, "ada", "ada", 8, 9},
    {0x2900, 0x29FF, "blackwell", "gb100", 10, 0},
    {0x2B00, 0x2FFF, "blackwell", "blackwell", 12, 0},
    {0x3180, 0x31FF, "blackwell", "gb100", 10, 3},
};

const Chips* chip_of(const Subject& gpu) {
  const FieldValue* id = gpu.value("pci.device_id");
  if (id == nullptr) return nullptr;
  const auto device = *id->number() >> 16;
  const auto* found =
      std::ranges::find_if(kChips, [&](const Chips& row) { return device >= row.first && device <= row.last; });
  return found == std::end(kChips) ? nullptr : found;
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
  const Chips* chip = chip_of(gpu);
  std::string_view architecture = label_of("identity.architecture");
  if ((architecture.empty() || architecture == "unknown") && chip != nullptr) architecture = chip->architecture;
  if (architecture.empty() || architecture == "unknown") return {};
  const bool same = chip != nullptr && chip->architecture == architecture;
  std::vector<std::string> families{std::string(same ? chip->family : architecture)};

  // What it is sold as. Chips that are found on nothing else say it themselves.
  if (families.front() == "ga100" || families.front() == "gb100" || families.front() == "hopper") return families;
  const std::string_view brand = label_of("identity.brand");
  constexpr std::string_view consumer[] = {"geforce", "geforce_rtx", "titan", "titan_rtx"};
  constexpr std::string_view by_page[] = {"kepler", "maxwell", "pascal", "volta", "turing"};
  if (std::ranges::find(consumer, brand) != std::end(consumer)) {
    families.emplace_back("geforce");
  } else if ((brand == "nvidia" || brand == "tesla") && gpu.value("ecc.mode") != nullptr) {
    const bool pages = std::ranges::find(by_page, architecture) != std::end(by_page);
    families.emplace_back(pages ? "datacenter-pages" : "datacenter-rows");
  }
  return families;
}

}  // namespace

std::vector<std::string> families_of(const Subject& gpu) {
  auto families = family_names(gpu);
  std::erase_if(families, [](const auto& name) { return compiler::find_shipped(name) == nullptr; });
  return families.empty() ? std::vector{std::string(kAnyFamily)} : families;
}

void infer_board(Evidence& evidence) {
  for (Subject& gpu : evidence.gpus) {
    if (gpu.complete) continue;
    if (!gpu.exact) name_part(evidence, gpu);
    if (const Chips* chip = chip_of(gpu); chip != nullptr) {
      const Origin by_id{
          evidence.add_source({.id = "chip", .kind = "derived", .why = "the PCI device id says which chip it is"}),
          gpu.find("pci.device_id")->origin.place};
      // A tool that is older than the chip prints "Unknown" although the driver knows it.
      const FieldValue* printed = gpu.value("identity.architecture");
      if (printed != nullptr && printed->label() == "unknown") gpu.observed.erase("identity.architecture");
      if (gpu.find("identity.architecture") == nullptr)
        evidence.observe(gpu, "identity.architecture", compiler::Label{std::string(chip->architecture)}, by_id);
      if (gpu.find("identity.compute_capability_major") == nullptr) {
        evidence.observe(gpu, "identity.compute_capability_major", chip->major, by_id);
        evidence.observe(gpu, "identity.compute_capability_minor", chip->minor, by_id);
      }
    }
    if (gpu.exact) continue;  // what a recording lacks is not to be guessed from what it has
    for (const auto& [field, by] : kSameValues) {
      const Observation* other = gpu.find(by);
      if (gpu.value(field) != nullptr || other == nullptr || !other->value.has_value()) continue;
      // Where the capture has an error code, the board does not report the value.
      if (gpu.find(field) != nullptr && field != "power.draw_mw") continue;
      const auto source = evidence.add_source(
          {.id = "same",
           .kind = "derived",
           .why = "the driver of the capture prints another value that is the same"});
      evidence.observe(gpu, field, *other->value.number(), {source, other->origin.place});
    }
    infer_absences(evidence, gpu);
  }
}

}  // namespace nvmlab::importer
