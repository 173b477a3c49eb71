// SPDX-License-Identifier: Apache-2.0
#include "command/trace/trace_file.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/duration.hpp"
#include "base/nearest.hpp"
#include "command/profile/input.hpp"
#include "import/capture/capture.hpp"

namespace nvmlab::tool {

bool names_trace(const std::string& word) {
  std::error_code failed;
  return word == "-" || word.find_first_of("./") != std::string::npos || std::filesystem::is_regular_file(word, failed);
}

std::expected<std::uint64_t, std::string> interval_of_rows(const std::optional<std::string>& every) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  constexpr std::uint64_t kLongest = 86'400 * kSecond;
  if (!every) return kSecond;
  const auto span = parse_duration(*every);
  if (!span) return std::unexpected("--every " + span.error());
  if (*span == 0 || *span > kLongest)
    return std::unexpected(fmt::format("--every takes a time from 1ns to 1d, not {}", in_quotes(*every)));
  return *span;
}

std::expected<Trace, LocatedError> load_trace(const std::string& path, std::uint64_t every_ns) {
  const auto text = read_input(path);
  if (!text) return std::unexpected(LocatedError{.message = text.error()});
  if (text->size() > capture::max_bytes)
    return std::unexpected(LocatedError{
        .file = path,
        .message = fmt::format("is larger than {} MiB; a part of it was expected", capture::max_bytes >> 20)});
  return read_trace(*text, path, every_ns);
}

}  // namespace nvmlab::tool
