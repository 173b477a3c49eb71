// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/presence.hpp"

#include <charconv>
#include <utility>

#include "codegen/model/version.hpp"

namespace nvmlab::codegen {
namespace {

unsigned major_of(const std::string& version) {
  unsigned value = 0;
  std::from_chars(version.data(), version.data() + version.size(), value);
  return value;
}

// The driver branch that a CUDA release came with (the pairing that nvidia-smi shows). Branches after 595 are counted
// on in fives, as the header names no driver; such functions are absent from every driver that we can simulate.
unsigned branch_of_header(const std::string& header) {
  static constexpr std::pair<const char*, unsigned> pairing[] = {
      {"11.0", 450}, {"11.1", 455}, {"11.2", 460}, {"11.3", 465}, {"11.4", 470}, {"11.5", 495},
      {"11.6", 510}, {"11.7", 515}, {"11.8", 520}, {"12.0", 525}, {"12.1", 530}, {"12.2", 535},
      {"12.3", 545}, {"12.4", 550}, {"12.5", 555}, {"12.6", 560}, {"12.7", 565}, {"12.8", 570},
      {"12.9", 575}, {"13.0", 580}, {"13.1", 590}, {"13.2", 595}, {"13.3", 600}, {"13.4", 605}};
  unsigned branch = 610;
  for (const auto& [version, driver] : pairing) {
    if (header == version || header.starts_with(std::string(version) + ".")) branch = driver;
  }
  return branch;
}

}  // namespace

Presence presence(const Inputs& inputs, const std::string& function) {
  Presence found;
  if (const auto exported = inputs.drivers.symbols.find(function); exported != inputs.drivers.symbols.end()) {
    found.first = major_of(exported->second.front());
    if (exported->second.back() != inputs.drivers.versions.back()) found.last = major_of(exported->second.back());
  } else if (const auto* spans = history(inputs.registry.functions, function)) {
    // Later than the newest driver whose symbols we know, whatever the header says: that driver does not have it.
    found.first = branch_of_header(spans->front().since);
    const unsigned newest_known = major_of(inputs.drivers.versions.back());
    if (found.first <= newest_known) found.first = newest_known + 1;
  }
  return found;
}

}  // namespace nvmlab::codegen
