// SPDX-License-Identifier: Apache-2.0
#include "engine/workshop/importer/importer.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "engine/workshop/capture/capture.hpp"
#include "engine/workshop/compile.hpp"
#include "engine/workshop/importer/evidence.hpp"
#include "engine/workshop/importer/fold.hpp"
#include "engine/workshop/importer/replay/read_recording.hpp"
#include "engine/workshop/nearest.hpp"
#include "engine/workshop/recording/recording.hpp"
#include "engine/workshop/texts.hpp"

namespace nvmlab::importer {
namespace {

std::string last_part(std::string_view path) { return std::string(path.substr(path.find_last_of('/') + 1)); }

std::string source_yaml(const capture::Capture& capture) {
  std::string yaml = "{kind: capture, file: " + workshop::yaml_scalar(last_part(capture.name));
  const auto* driver = capture.find(capture::node, "driver_version");
  if (driver == nullptr) driver = capture.find(capture::node, "Driver Version");
  if (driver != nullptr && workshop::text_flaw(driver->value) == nullptr)
    yaml += ", driver: " + workshop::yaml_scalar(driver->value);
  return yaml + "}";
}

// "00000000:07:00.0", by which a log knows its GPUs, also where nvidia-smi could not ask for more about PCI.
void state_address(Evidence& evidence, const capture::Capture& capture, int gpu, Subject& subject, std::size_t source) {
  unsigned domain = 0;
  unsigned bus = 0;
  unsigned device = 0;
  int read = 0;
  const int found = std::sscanf(subject.place.c_str(), "%8x:%2x:%2x.%*1x%n", &domain, &bus, &device, &read);
  if (found != 3 || static_cast<std::size_t>(read) != subject.place.size()) return;
  const auto* leaf = capture.find(gpu, "@id");
  const auto place = leaf == nullptr ? yaml::Place{} : place_of(capture, *leaf);
  evidence.state(subject, "pci.domain", std::to_string(domain), source, place);
  evidence.state(subject, "pci.bus", std::to_string(bus), source, place);
  evidence.state(subject, "pci.device", std::to_string(device), source, place);
}

// The first capture says which GPUs the machine has.
void meet_gpus(Evidence& evidence, const capture::Capture& capture, std::size_t source) {
  const bool first = evidence.gpus.empty();
  for (std::size_t i = 0; i < capture.gpus.size(); ++i) {
    if (subject_of(evidence, capture, static_cast<int>(i)) != nullptr) continue;
    if (!first) {
      evidence.notes.push_back(fmt::format("{}: GPU {} is not among those of the first capture and is left out",
                                           capture.name, workshop::in_quotes(capture.gpus[i])));
      continue;
    }
    std::string place = capture.gpus[i];
    for (char& letter : place)
      letter = letter >= 'a' && letter <= 'f' ? static_cast<char>(letter - 'a' + 'A') : letter;
    evidence.gpus.push_back({fmt::format("GPU {}", i), place, {}});
    state_address(evidence, capture, static_cast<int>(i), evidence.gpus.back(), source);
  }
}

void read_capture(Evidence& evidence, const capture::Capture& capture) {
  const auto source = evidence.source("capture", source_yaml(capture));
  if (evidence.gpus.empty()) evidence.gpus.reserve(capture.gpus.size());
  meet_gpus(evidence, capture, source);
  read_leaves(evidence, capture, source);
  std::vector<std::vector<const capture::Leaf*>> leaves(capture.gpus.size());
  for (const auto& leaf : capture.leaves) {
    if (leaf.gpu != capture::node) leaves[static_cast<std::size_t>(leaf.gpu)].push_back(&leaf);
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    Subject* subject = subject_of(evidence, capture, static_cast<int>(i));
    if (subject != nullptr) read_composites(evidence, capture, leaves[i], *subject, source);
  }
}

Complaints complaints_of(const workshop::Problems& problems) {
  Complaints lines;
  for (const auto& problem : problems)
    lines.push_back(problem.text());
  return lines;
}

// A mistake in the profile is one in the capture: what is said of a line is said of the line that it was read from.
Complaints misfits(const workshop::Problems& problems, const Written& written, const std::string& input) {
  Complaints lines;
  for (const auto& problem : problems) {
    const bool known = problem.place.line > 0 && problem.place.line <= written.origins.size() &&
                       written.origins[problem.place.line - 1].file != nullptr;
    lines.push_back(known ? yaml::Error{written.origins[problem.place.line - 1], problem.message}.text()
                          : fmt::format("{}: {}", input, problem.message));
  }
  return lines;
}

}  // namespace

std::expected<Imported, Complaints> import_captures(std::span<const Input> inputs, const std::string& machine) {
  Evidence evidence;
  Complaints failed;
  for (const Input& input : inputs) {
    if (recording::is_recording(input.bytes)) {
      if (const auto read = replay::read_recording(evidence, input); !read)
        failed.insert(failed.end(), read.error().begin(), read.error().end());
      continue;
    }
    const auto captures = capture::read_captures(input.bytes, input.name);
    if (!captures) {
      failed.push_back(captures.error().text());
      continue;
    }
    for (const auto& capture : *captures)
      read_capture(evidence, capture);
  }
  if (!failed.empty()) return std::unexpected(failed);
  if (evidence.gpus.empty()) {
    return std::unexpected(Complaints{fmt::format("{}: no GPU is in it", inputs.empty() ? "" : inputs.front().name)});
  }
  conclude(evidence);
  if (!evidence.problems.empty()) return std::unexpected(complaints_of(evidence.problems));

  const Folded folded = fold(evidence);
  for (const Board& board : folded.boards) {
    if (board.family == kAnyFamily) {
      evidence.notes.push_back(
          fmt::format("{}: its chip is not known; what the capture does not tell is what any board has",
                      workshop::in_quotes(board.product)));
    }
  }
  Written written = write_profile(evidence, folded, machine);
  const auto compiled = workshop::compile_text(written.yaml, machine + ".yaml", machine);
  if (!compiled) return std::unexpected(misfits(compiled.error(), written, inputs.front().name));
  Imported imported{std::move(written.yaml), {}, std::move(evidence.notes)};
  imported.summary = fmt::format("{} GPU{}, {} board{}", folded.gpus.size(), folded.gpus.size() == 1 ? "" : "s",
                                 folded.boards.size(), folded.boards.size() == 1 ? "" : "s");
  return imported;
}

}  // namespace nvmlab::importer
