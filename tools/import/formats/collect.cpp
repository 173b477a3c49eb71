// SPDX-License-Identifier: Apache-2.0
#include "import/formats/collect.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "import/capture/decode.hpp"
#include "import/formats/foreign_format.hpp"

namespace nvmlab::importer {
namespace {

constexpr std::string_view kWanted =
    "expected what nvidia-smi, deviceQuery or NCCL printed (`nvidia-smi -q -x` tells most), a recording, or a "
    "configuration of Mock NVML";

}  // namespace

std::expected<CollectedText, std::string> collect(const Input& input) {
  auto text = capture::decode_text(input.bytes, input.name);
  if (!text) return std::unexpected(text.error());
  CollectedText collected{input.name, std::make_shared<const std::string>(std::move(*text)), {}};
  const auto file = std::make_shared<const std::string>(input.name);
  const std::string_view all = *collected.text;
  if (kLogFormat.recognises(all)) {
    auto logs = capture::read_captures(all, input.name);
    if (!logs) return std::unexpected(logs.error().text());
    for (auto& log : *logs) {
      Section section{.format = &kLogFormat, .file = file, .text = all.substr(log.begin, log.end - log.begin)};
      section.heading = log.section;
      section.log = std::make_shared<const capture::Capture>(std::move(log));
      collected.sections.push_back(std::move(section));
    }
  }
  std::ranges::move(find_sections(all, file), std::back_inserter(collected.sections));
  if (collected.sections.empty())
    return std::unexpected(fmt::format("{}:1:1: {}; {}", input.name, capture::looks_like(all), kWanted));
  return collected;
}

std::vector<std::string> states_of(const CollectedText& collected) {
  std::vector<std::string> states;
  for (const Section& section : collected.sections) {
    std::string state(section.format->momentary ? state_of(section.heading) : std::string_view());
    if (!state.empty() && std::ranges::find(states, state) == states.end()) states.push_back(std::move(state));
  }
  return states;
}

void take_state(CollectedText& collected, const std::string& wanted, std::vector<std::string>& notes) {
  const auto states = states_of(collected);
  if (states.size() < 2) return;
  const auto there = [&](std::string_view name) { return std::ranges::find(states, name) != states.end(); };
  const std::string taken = there(wanted) ? wanted : there("idle") ? "idle" : states.front();
  std::erase_if(collected.sections, [&](const Section& section) {
    const auto state = state_of(section.heading);
    return there(state) && state != taken;
  });
  notes.push_back(fmt::format("{}: it shows the machine in the states {}; {} is taken, and --state takes another",
                              collected.name, fmt::join(states, ", "), taken));
}

}  // namespace nvmlab::importer
