// SPDX-License-Identifier: Apache-2.0
#include "import/formats/foreign_format.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "import/recording/recording.hpp"
#include "import/replay/read_recording.hpp"

namespace nvmlab::importer {
namespace {

// Such a file says so among its first keys.
bool is_profile(std::string_view bytes) {
  constexpr std::size_t beginning = 4096;
  bytes = bytes.substr(0, beginning);
  const auto has = [&](std::string_view key) {
    const auto at = bytes.find(key);
    return at != std::string_view::npos && (at == 0 || bytes[at - 1] == '\n');
  };
  return has("machine: ") || has("profile: ");
}

// Nothing has to be imported of what nvmlab reads as it is.
std::expected<void, Complaints> refuse_profile(Evidence& /*evidence*/, const Input& input, const Options& /*options*/) {
  return std::unexpected(Complaints{
      fmt::format("{}:1:1: this is a profile of nvmlab already; `nvmlab run --profile {}` runs on it as it is",
                  input.name, input.name)});
}

std::expected<void, Complaints> read_recording(Evidence& evidence, const Input& input, const Options& /*options*/) {
  return replay::read_recording(evidence, input);
}

constexpr Kind kKinds[] = {
    {"a recording of nvmlab record", recording::is_recording, read_recording},
    {"a profile of nvmlab", is_profile, refuse_profile},
    {"a configuration of Mock NVML", is_mock_config, read_mock_config},
};

}  // namespace

const Kind* kind_of(std::string_view bytes) {
  const auto* found = std::ranges::find_if(kKinds, [&](const Kind& kind) { return kind.is(bytes); });
  return found == std::end(kKinds) ? nullptr : found;
}

}  // namespace nvmlab::importer
