// SPDX-License-Identifier: Apache-2.0
//
// What follows from the captures without being printed: which chip a PCI device id belongs to, and values that only
// newer tools print although older ones show another that is the same.
#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "import/evidence/evidence.hpp"

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
  const Fact* id = gpu.find("pci.device_id");
  if (id == nullptr || !id->known) return nullptr;
  std::uint32_t number = 0;
  std::from_chars(id->yaml.data(), id->yaml.data() + id->yaml.size(), number);
  const auto device = number >> 16;
  const auto* found =
      std::ranges::find_if(kChips, [&](const Chips& row) { return device >= row.first && device <= row.last; });
  return found == std::end(kChips) ? nullptr : found;
}

// A field that a capture left open, and those that tell it, best first.
struct Same {
  std::string_view field;
  std::string_view by;
};

constexpr Same kSame[] = {
    {"power.draw_mw", "power.draw_average_mw"},      {"power.draw_mw", "power.draw_instant_mw"},
    {"power.draw_average_mw", "power.draw_mw"},      {"power.draw_instant_mw", "power.draw_mw"},
    {"power.enforced_limit_mw", "power.limit_mw"},   {"power.state", "clocks.performance_state"},
    {"pci.link_gen_device_max", "pci.link_gen_max"},
};

// What a board without one thing does not have either, whatever its family has.
struct Follows {
  std::string_view without;
  std::string_view field;
  std::string_view yaml;
};

constexpr Follows kFollows[] = {
    {"modes.mig", "modes.mig_max_devices", "null"},      {"modes.mig", "modes.mig_without_reset", "null"},
    {"modes.mig", "modes.mig_query_always", "null"},     {"ecc.mode", "ecc.mode_default", "null"},
    {"identity.gsp_version", "identity.gsp_mode", "no"}, {"fabric.state", "fabric.health_mask", "null"},
};

// A nvidia-smi that does not print the board's part number prints it as that of the GPU.
void name_part(Subject& gpu) {
  auto printed = gpu.facts.extract("identity.gpu_part_number");
  if (printed.empty()) return;
  if (gpu.find("identity.board_part_number") == nullptr) printed.key() = "identity.board_part_number";
  gpu.facts.insert(std::move(printed));
}

void follow(Evidence& evidence, Subject& gpu) {
  // A mask without a bit is all that a section of N/A comes to.
  if (const Fact* state = gpu.find("fabric.state"); state != nullptr && !state->known)
    gpu.facts.erase("fabric.health_mask");
  for (const auto& [without, field, yaml] : kFollows) {
    const Fact* fact = gpu.find(without);
    if (fact == nullptr || fact->yaml != "null") continue;
    const auto source =
        evidence.source("without", "{kind: derived, why: the board does not have what this belongs to}");
    evidence.state(gpu, field, std::string(yaml), source, fact->place);
  }
}

}  // namespace

std::vector<std::string> families_of(const Subject& gpu) {
  const auto says = [&](std::string_view field) {
    const Fact* fact = gpu.find(field);
    return fact == nullptr || !fact->known ? std::string_view() : std::string_view(fact->yaml);
  };
  const Chips* chip = chip_of(gpu);
  std::string_view architecture = says("identity.architecture");
  if ((architecture.empty() || architecture == "unknown") && chip != nullptr) architecture = chip->architecture;
  if (architecture.empty() || architecture == "unknown") return {};
  const bool same = chip != nullptr && chip->architecture == architecture;
  std::vector<std::string> families{std::string(same ? chip->family : architecture)};

  // What it is sold as. Chips that are found on nothing else say it themselves.
  if (families.front() == "ga100" || families.front() == "gb100" || families.front() == "hopper") return families;
  const std::string_view brand = says("identity.brand");
  constexpr std::string_view consumer[] = {"geforce", "geforce_rtx", "titan", "titan_rtx"};
  constexpr std::string_view by_page[] = {"kepler", "maxwell", "pascal", "volta", "turing"};
  if (std::ranges::find(consumer, brand) != std::end(consumer)) {
    families.emplace_back("geforce");
  } else if ((brand == "nvidia" || brand == "tesla") && !says("ecc.mode").empty()) {
    const bool pages = std::ranges::find(by_page, architecture) != std::end(by_page);
    families.emplace_back(pages ? "datacenter-pages" : "datacenter-rows");
  }
  return families;
}

void conclude(Evidence& evidence) {
  for (Subject& gpu : evidence.gpus) {
    if (gpu.whole) continue;
    if (!gpu.exact) name_part(gpu);
    if (const Chips* chip = chip_of(gpu); chip != nullptr) {
      const auto by_id = evidence.source("chip", "{kind: derived, why: the PCI device id says which chip it is}");
      const auto place = gpu.find("pci.device_id")->place;
      // A tool that is older than the chip prints "Unknown" although the driver knows it.
      const Fact* printed = gpu.find("identity.architecture");
      if (printed != nullptr && printed->yaml == "unknown") gpu.facts.erase("identity.architecture");
      if (gpu.find("identity.architecture") == nullptr)
        evidence.state(gpu, "identity.architecture", std::string(chip->architecture), by_id, place);
      if (gpu.find("identity.compute_capability_major") == nullptr) {
        evidence.state(gpu, "identity.compute_capability_major", std::to_string(chip->major), by_id, place);
        evidence.state(gpu, "identity.compute_capability_minor", std::to_string(chip->minor), by_id, place);
      }
    }
    if (gpu.exact) continue;  // what it does not tell is not to be guessed from what it does
    for (const auto& [field, by] : kSame) {
      const Fact* known = gpu.find(field);
      const Fact* other = gpu.find(by);
      if ((known != nullptr && known->known) || other == nullptr || !other->known) continue;
      if (known != nullptr && field != "power.draw_mw") continue;  // the capture says that the board does not tell
      const auto source = evidence.source(
          "same", "{kind: derived, why: the driver of the capture prints another value that is the same}");
      evidence.state(gpu, field, other->yaml, source, other->place);
    }
    follow(evidence, gpu);
  }
}

}  // namespace nvmlab::importer
