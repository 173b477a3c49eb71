// SPDX-License-Identifier: Apache-2.0
#include "command/machine/clocks.hpp"

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "compiler/numbers.hpp"

namespace nvmlab::tool {
namespace {

constexpr ClockMode kClockModes[] = {ClockMode::real, ClockMode::scaled, ClockMode::frozen, ClockMode::virtual_time};

std::expected<ClockMode, std::string> read_clock_mode(const std::string& word) {
  std::vector<std::string> names;
  for (const ClockMode mode : kClockModes) {
    if (word == name_of(mode)) return mode;
    names.emplace_back(name_of(mode));
  }
  return std::unexpected(fmt::format("there is no clock {}; {}", in_quotes(word), hint(word, names, "clocks")));
}

}  // namespace

std::string_view name_of(ClockMode mode) {
  switch (mode) {
    case ClockMode::real:
      return "real";
    case ClockMode::scaled:
      return "scaled";
    case ClockMode::frozen:
      return "frozen";
    case ClockMode::virtual_time:
      return "virtual";
  }
  return "unknown";
}

std::expected<std::uint64_t, std::string> read_rate(const std::string& word) {
  const auto rate = compiler::parse_millionths(word);
  if (!rate || *rate < kSlowestRate || *rate > kFastestRate)
    return std::unexpected(
        fmt::format("{}: a factor from 0.000001 to 1000000 was expected, such as 60 or 0.5", in_quotes(word)));
  return *rate;
}

std::string text_of_rate(std::uint64_t rate) {
  std::string text = fmt::format("{}.{:06}", rate / kRealRate, rate % kRealRate);
  text.resize(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

void ClockOptions::declare(CommandLine& line) {
  line.option("--clock", "CLOCK", mode, "The clock of the machine: real (the default), scaled, frozen or virtual");
  line.option("--scale", "FACTOR", scale, "A scaled clock, this many times as fast as the host's, such as 60 or 0.5");
  line.option(
      "--seed", "N", seed,
      "Number from which follows what could differ between two machines; with a virtual clock, two runs are the "
      "same");
}

std::expected<ClockBeginning, std::string> ClockOptions::read() const {
  ClockBeginning beginning;
  if (scale) beginning.mode = ClockMode::scaled;
  if (mode) {
    const auto read = read_clock_mode(*mode);
    if (!read) return std::unexpected("--clock: " + read.error());
    beginning.mode = *read;
  }
  if (beginning.mode == ClockMode::scaled && !scale)
    return std::unexpected("--clock scaled needs a factor, such as --scale 60");
  if (beginning.mode != ClockMode::scaled && scale)
    return std::unexpected(fmt::format("--scale is for a scaled clock, not for --clock {}", *mode));
  if (scale) {
    const auto rate = read_rate(*scale);
    if (!rate) return std::unexpected("--scale " + rate.error());
    beginning.rate = *rate;
  }
  if (seed) {
    const auto number = whole_number(*seed);
    if (!number)
      return std::unexpected(
          fmt::format("--seed takes a whole number from 0 to {}, not {}", ~std::uint64_t{0}, in_quotes(*seed)));
    beginning.seeded = true;
    beginning.seed = *number;
  }
  return beginning;
}

}  // namespace nvmlab::tool
