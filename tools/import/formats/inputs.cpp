// SPDX-License-Identifier: Apache-2.0
#include "import/formats/inputs.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "import/formats/collect.hpp"
#include "import/formats/foreign_format.hpp"

namespace nvmlab::importer {
namespace {

// --state names one that some input shows, or it is a mistake.
std::string missing_state(const std::vector<std::string>& all, const std::string& wanted) {
  if (wanted.empty() || std::ranges::find(all, wanted) != all.end()) return {};
  if (all.empty()) return fmt::format("--state {}: no input shows a machine in several states", wanted);
  return fmt::format("--state {}: the inputs show the states {}", wanted, fmt::join(all, ", "));
}

}  // namespace

Complaints read_inputs(Evidence& evidence, std::span<const Input> inputs, const Options& options) {
  Complaints failed;
  std::vector<CollectedText> texts;
  std::vector<std::string> states;
  const auto read = [&](const Section& section) {
    evidence.open = evidence.gpus.empty();
    const Complaints wrong = section.format->read(evidence, section);
    failed.insert(failed.end(), wrong.begin(), wrong.end());
  };
  for (const Input& input : inputs) {
    if (const ForeignFormat* format = format_of_file(input.bytes); format != nullptr) {
      read({.format = format, .file = std::make_shared<const std::string>(input.name), .text = input.bytes});
      continue;
    }
    auto collected = collect(input);
    if (!collected) {
      failed.push_back(collected.error());
      continue;
    }
    for (auto& state : states_of(*collected))
      states.push_back(std::move(state));
    texts.push_back(std::move(*collected));
    take_state(texts.back(), options.state, evidence.notes);
    for (const Section& section : texts.back().sections) {
      if (section.format == &kLogFormat) read(section);
    }
  }
  if (auto missing = missing_state(states, options.state); !missing.empty()) failed.push_back(std::move(missing));
  std::vector<const Section*> sections;
  for (const CollectedText& text : texts) {
    for (const Section& section : text.sections) {
      if (section.format != &kLogFormat) sections.push_back(&section);
    }
  }
  std::ranges::stable_sort(sections, {}, [](const Section* section) { return order_of(*section->format); });
  for (const Section* section : sections)
    read(*section);
  return failed;
}

}  // namespace nvmlab::importer
