// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "import/formats/foreign_format.hpp"
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
Complaints refuse_profile(Evidence& /*evidence*/, const Section& section) {
  return {fmt::format("{0}:1:1: this is a profile of nvmlab already; `nvmlab run --profile {0}` runs on it as it is",
                      *section.file)};
}

Complaints read_recording(Evidence& evidence, const Section& section) {
  auto read = replay::read_recording(evidence, {*section.file, std::string(section.text)});
  return read ? Complaints() : std::move(read.error());
}

constexpr ForeignFormat kProfileFormat{.name = "a profile of nvmlab", .recognises = is_profile, .read = refuse_profile};

}  // namespace

constinit const ForeignFormat kRecordingFormat{
    .name = "a recording of nvmlab record", .recognises = recording::is_recording, .read = read_recording};

namespace {

constexpr const ForeignFormat* kForeignFormats[] = {
    &kRecordingFormat, &kProfileFormat,     &kMockFormat, &kLogFormat,   &kCsvFormat,
    &kCsvListFormat,   &kDeviceQueryFormat, &kNcclFormat, &kTableFormat, &kVersionFormat,
    &kGpuListFormat,   &kTopologyFormat,    &kMigFormat,
};

}  // namespace

std::span<const ForeignFormat* const> foreign_formats() { return kForeignFormats; }

std::size_t order_of(const ForeignFormat& format) {
  return static_cast<std::size_t>(std::ranges::find(kForeignFormats, &format) - std::begin(kForeignFormats));
}

const ForeignFormat* format_of_file(std::string_view bytes) {
  const auto whole = [&](const ForeignFormat* format) {
    return !format->of_command() && format != &kLogFormat && format->recognises(bytes);
  };
  const auto* found = std::ranges::find_if(kForeignFormats, whole);
  return found == std::end(kForeignFormats) ? nullptr : *found;
}

}  // namespace nvmlab::importer
