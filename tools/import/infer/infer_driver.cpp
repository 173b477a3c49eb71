// SPDX-License-Identifier: Apache-2.0
//
// Which driver the machine has, where no input names it: what the user says, what goes with the CUDA version, or what
// printed such a format. Tests: tests/unit/import/published_test.cpp.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/store/driver_version.hpp"
#include "import/infer/infer.hpp"

namespace nvmlab::importer {
namespace {

constexpr const char* kDriver = "system.driver_version";
constexpr const char* kCuda = "system.cuda_version";

// The format's own version, and the branches whose nvidia-smi prints it (captures of 418 to 595). The branch that is
// taken is a known one among them, rather a long-lived one.
struct FormatOfDrivers {
  std::string_view dtd;
  std::string_view range;
  const char* branch;
};
constexpr FormatOfDrivers kFormats[] = {
    {"v4", "before 340", "340"},    {"v5", "340 and before", "340"}, {"v6", "341 to 346", "390"},
    {"v7", "352 to 361", "390"},    {"v8", "367 to 378", "390"},     {"v9", "381 to 390", "390"},
    {"v10", "396 to 440", "418"},   {"v11", "450 to 524", "470"},    {"v12", "525 to 575", "550"},
    {"v13", "580 or newer", "580"},
};

// What the text says since when: its version is printed nowhere. The newest first.
struct TextOfDrivers {
  std::string_view path;  // of a leaf, or what its path starts with
  std::string_view range;
  const char* branch;
};
constexpr TextOfDrivers kTexts[] = {
    {"Platform Info/RACK Serial Number", "570 or newer", "580"},
    {"Clocks Event Reasons", "535 or newer", "550"},
    {"GPU Power Readings", "530 or newer", "535"},
    {"GSP Firmware Version", "510 to 529", "525"},
    {"MIG Mode", "450 to 509", "470"},
};

struct Guess {
  std::string why;  // for the profile: no quotes in it
  std::string branch;
};

std::optional<Guess> guess_by_format(const Evidence& evidence) {
  for (const ReadLog& read : evidence.ledger.logs) {
    for (const auto& [dtd, range, branch] : kFormats) {
      if (read.log().dtd == dtd) return Guess{fmt::format("the format {} is that of drivers {}", dtd, range), branch};
    }
    for (const auto& [path, range, branch] : kTexts) {
      const bool there = std::ranges::any_of(read.log().leaves,
                                             [&](const capture::Leaf& leaf) { return leaf.path.starts_with(path); });
      if (there) return Guess{fmt::format("the log has {}, as that of drivers {}", path, range), branch};
    }
  }
  return std::nullopt;
}

const DriverRelease* release_of_cuda(std::uint64_t cuda) {
  const DriverRelease* best = nullptr;
  for (std::uint32_t row = 0; row < driver_release_count(); ++row) {
    const DriverRelease& release = driver_release(row);
    if (release.release[0] != '\0' && (best == nullptr || release.cuda <= cuda)) best = &release;
  }
  return best;
}

void set_driver(Evidence& evidence, const char* driver, std::uint32_t cuda, const Origin& origin) {
  evidence.observe(evidence.node, kDriver, driver, origin);
  if (evidence.node.find(kCuda) == nullptr) evidence.observe(evidence.node, kCuda, cuda, origin);
}

// What the user says, of captures that say nothing.
void chosen_driver(Evidence& evidence, const std::string& wanted) {
  DriverVersion version{};
  if (!find_driver_version(wanted.c_str(), &version)) return;  // the tool has checked it
  if (const FieldValue* said = evidence.node.value(kDriver); said != nullptr) {
    if (said->text() != version.text) {
      evidence.note(
          fmt::format("the inputs say that the driver is {}, which stands; --driver {} is for those that do "
                      "not say (`nvmlab run --driver {}` simulates another one)",
                      said->text(), wanted, wanted));
    }
    return;
  }
  const auto source = evidence.add_source(
      {.id = "chosen", .kind = "assumed", .why = "no input names the driver; --driver of nvmlab import does"});
  set_driver(evidence, version.text, version.cuda, {source, {}});
}

void guessed_driver(Evidence& evidence) {
  constexpr std::uint64_t usual = 12040;
  const Observation* cuda = evidence.node.find(kCuda);
  const auto known_cuda = cuda == nullptr ? std::nullopt : cuda->value.number();
  if (const auto guess = known_cuda || !evidence.logged ? std::nullopt : guess_by_format(evidence)) {
    DriverVersion version{};
    if (!find_driver_version(guess->branch.c_str(), &version)) return;
    const auto source =
        evidence.add_source({.id = "format", .kind = "derived", .why = "no input names the driver; " + guess->why});
    set_driver(evidence, version.text, version.cuda, {source, {}});
    evidence.note(fmt::format("no input names the driver; {} is taken, because {}; --driver takes another",
                              version.text, guess->why));
    return;
  }
  if (evidence.logged && !known_cuda) return;
  const DriverRelease* best = release_of_cuda(known_cuda.value_or(usual));
  if (best == nullptr) return;
  const Origin origin{
      evidence.add_source({.id = "release",
                           .kind = "derived",
                           .why = "no input names the driver; the release that goes with the CUDA version"}),
      cuda == nullptr ? yaml::Place{} : cuda->origin.place};
  set_driver(evidence, best->release, best->cuda, origin);
  evidence.note(
      fmt::format("no input names the driver; {} is taken, which goes with CUDA {}.{}; --driver takes another",
                  best->release, best->cuda / 1000, best->cuda % 1000 / 10));
}

// nvidia-smi reads processes by other functions since then.
void note_processes(Evidence& evidence) {
  constexpr unsigned first = 525;
  const FieldValue* driver = evidence.node.value(kDriver);
  DriverVersion known{};
  if (driver == nullptr || !find_driver_version(std::string(driver->text()).c_str(), &known)) return;
  if (driver_release(driver_row(known.text)).major >= first) return;
  const bool running = std::ranges::any_of(evidence.gpus, [](const Subject& gpu) {
    const FieldValue* list = gpu.value("processes.running");
    return list != nullptr && list->list_count() > 0;
  });
  if (!running) return;
  evidence.note(
      fmt::format("processes: an nvidia-smi of {} or newer shows none on a driver as old as {}, because it asks "
                  "by functions that this driver lacks; one of its own time does, or `nvmlab run --driver 550`",
                  first, known.text));
}

}  // namespace

void infer_driver(Evidence& evidence, const std::string& wanted) {
  if (evidence.gpus.empty()) return;
  if (!wanted.empty()) chosen_driver(evidence, wanted);
  if (evidence.node.find(kDriver) == nullptr) guessed_driver(evidence);
  if (evidence.logged) note_processes(evidence);
}

}  // namespace nvmlab::importer
