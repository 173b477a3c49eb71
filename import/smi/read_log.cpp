// SPDX-License-Identifier: Apache-2.0
#include "import/smi/read_log.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "compiler/texts.hpp"
#include "import/formats/section_reader.hpp"

namespace nvmlab::importer {

yaml::Place place_of(const capture::Capture& capture, const capture::Leaf& leaf) {
  return {std::make_shared<const std::string>(capture.name), leaf.line, 1};
}

Subject* subject_of(Evidence& evidence, const capture::Capture& capture, int gpu) {
  const std::string address = upper_hex(capture.gpus[static_cast<std::size_t>(gpu)]);
  const auto found = std::ranges::find(evidence.gpus, address, &Subject::address);
  return found == evidence.gpus.end() ? nullptr : &*found;
}

void read_log(Evidence& evidence, const capture::Capture& log, std::span<Subject* const> gpus, std::size_t source) {
  read_leaves(evidence, log, gpus, source);
  std::vector<std::vector<const capture::Leaf*>> leaves(gpus.size());
  for (const auto& leaf : log.leaves) {
    if (leaf.gpu != capture::node) leaves[static_cast<std::size_t>(leaf.gpu)].push_back(&leaf);
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (gpus[i] == nullptr) continue;
    read_composites(evidence, log, leaves[i], *gpus[i], source);
    read_mig_devices(log, leaves[i], *gpus[i], source);
  }
}

namespace {

ProfileSource source_of(const capture::Capture& capture) {
  ProfileSource source{.id = "capture",
                       .kind = "capture",
                       .file = std::string(last_part(capture.name)),
                       .note = std::string(state_of(capture.section))};
  const auto* driver = capture.find(capture::node, "driver_version");
  if (driver == nullptr) driver = capture.find(capture::node, "Driver Version");
  if (driver != nullptr && compiler::text_flaw(driver->value) == nullptr) source.driver = driver->value;
  return source;
}

// The first capture says which GPUs the machine has.
void meet_gpus(Evidence& evidence, const capture::Capture& capture, std::size_t source) {
  for (std::size_t i = 0; i < capture.gpus.size(); ++i) {
    if (subject_of(evidence, capture, static_cast<int>(i)) != nullptr) continue;
    if (!evidence.open) {
      evidence.notes.push_back(fmt::format("{}: GPU {} is not among those of the first capture and is left out",
                                           capture.name, in_quotes(capture.gpus[i])));
      continue;
    }
    evidence.gpus.push_back({.who = fmt::format("GPU {}", i), .address = upper_hex(capture.gpus[i]), .index = i});
    const auto* id = capture.find(static_cast<int>(i), "@id");
    observe_address(evidence, evidence.gpus.back(), {source, id == nullptr ? yaml::Place{} : place_of(capture, *id)});
  }
}

Complaints read_capture(Evidence& evidence, const Section& section) {
  const capture::Capture& capture = *section.log;
  const auto source = evidence.add_source(source_of(capture));
  evidence.logged = true;
  meet_gpus(evidence, capture, source);
  std::vector<Subject*> gpus;
  for (std::size_t i = 0; i < capture.gpus.size(); ++i)
    gpus.push_back(subject_of(evidence, capture, static_cast<int>(i)));
  read_log(evidence, capture, gpus, source);
  return {};
}

}  // namespace

constinit const ForeignFormat kLogFormat{
    .name = "nvidia-smi -q", .recognises = capture::holds_log, .read = read_capture, .momentary = true};

}  // namespace nvmlab::importer
