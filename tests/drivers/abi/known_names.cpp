// SPDX-License-Identifier: Apache-2.0
// See known_names.hpp.
#include "tests/drivers/abi/known_names.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

namespace nvmlab::abi_test {
namespace {

nlohmann::json read(const std::string& file) {
  const char* source = std::getenv("NVMLAB_SOURCE_DIR");
  std::ifstream stream(fmt::format("{}/model/facts/{}", source == nullptr ? "." : source, file));
  return nlohmann::json::parse(stream);
}

}  // namespace

std::expected<KnownNames, std::string> known_names() {
  KnownNames known;
  try {
    const auto header = read("nvml.json");
    for (const auto& [name, history] : header.at("functions").items()) {
      const auto& newest = history.back();
      const auto& parameters = newest.at("parameters");
      known.first_parameter[name] = parameters.empty() ? "" : parameters.front().at("type").get<std::string>();
      if (!newest.contains("until")) known.exports.insert(name);
    }
    const auto drivers = read("drivers.json");
    for (const auto& [name, versions] : drivers.at("symbols").items()) {
      if (name.starts_with("nvml")) known.exports.insert(name);
    }
  } catch (const std::exception& error) {
    return std::unexpected(fmt::format("model/facts: {}", error.what()));
  }
  known.exports.insert("nvmlInternalGetExportTable");
  return known;
}

}  // namespace nvmlab::abi_test
