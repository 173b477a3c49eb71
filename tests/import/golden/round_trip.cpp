// SPDX-License-Identifier: Apache-2.0
#include "tests/import/golden/round_trip.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::test {
namespace {

std::string driver_of(const capture::Capture& log) {
  for (const auto* path : {"driver_version", "Driver Version"}) {
    if (const auto* leaf = log.find(capture::node, path); leaf != nullptr) return leaf->value;
  }
  return {};
}

// The path without indices: the same kind of leaf.
std::string kind_of(std::string_view path) {
  std::string kind;
  bool inside = false;
  for (char letter : path) {
    inside = inside || letter == '[';
    if (!inside) kind += letter;
    if (letter == ']') inside = false;
  }
  return kind;
}

}  // namespace

std::vector<Sample> find_samples(const std::filesystem::path& folder) {
  std::vector<Sample> samples;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const auto bytes = read_file(entry.path());
    auto log = bytes ? capture::read_capture(*bytes, entry.path().string())
                     : std::unexpected(capture::Error{entry.path().string(), 1, 1, "cannot be read"});
    if (!log) continue;
    const std::string version = driver_of(*log);
    samples.push_back({entry.path(), entry.path().lexically_relative(folder).string(), std::move(*log),
                       release_of(version).branch, version});
  }
  std::ranges::sort(samples, {}, &Sample::name);
  return samples;
}

double RoundTrip::percent() const {
  const auto possible = comparison.total.compared() - beyond_release;
  return possible == 0 ? 0.0 : 100.0 * static_cast<double>(comparison.total.agreeing) / static_cast<double>(possible);
}

std::vector<Difference> RoundTrip::unexplained() const {
  std::vector<Difference> found;
  for (const auto& [difference, reason] : differences) {
    if (reason.blame == Blame::nobody) found.push_back(difference);
  }
  return found;
}

std::expected<RoundTrip, std::string> round_trip(const Sample& sample, const Client& client) {
  const TempFolder folder;
  const auto profile = (folder.path() / "imported.yaml").string();
  Command import;
  import.arguments = {nvmlab_program().string(), "import", sample.file.string(), "--partial", "--output", profile};
  import.environment = node_environment({});
  if (const auto outcome = run(import); !outcome.ok()) return std::unexpected(outcome.story());

  Command print;
  print.arguments = {nvmlab_program().string(), "run", "--profile", profile, "--", client.program.string(), "-q"};
  if (sample.log.format == capture::Format::xml) print.arguments.emplace_back("-x");
  print.environment = node_environment({});
  print.environment["NVMLAB_ROLE"] = "root";  // of a GPU that is cut, the sum of memory is told to root
  print.environment["NVMLAB_RUNTIME_DIR"] = (folder.path() / "run").string();
  const auto outcome = run(print);
  if (!outcome.ok()) return std::unexpected(outcome.story());
  const auto printed = capture::read_capture(outcome.out, client.name);
  if (!printed) return std::unexpected(printed.error().text());

  RoundTrip trip;
  trip.comparison = compare(sample.log.leaves, printed->leaves);
  for (const auto& difference : trip.comparison.different) {
    const auto reason = reason_of(difference, release_of(sample.version), release_of(client.version));
    if (reason.blame == Blame::release) ++trip.beyond_release;
    trip.differences.emplace_back(difference, reason);
  }
  return trip;
}

std::string report(const Sample& sample, const Client& client, const RoundTrip& trip) {
  const auto& total = trip.comparison.total;
  auto out = fmt::format(
      "{} on {}: {} of {} leaves agree ({:.2f} %); {} differ through this release of nvidia-smi, "
      "{:.2f} % of the rest agree\n",
      client.name, sample.name, total.agreeing, total.compared(), total.percent(), trip.beyond_release, trip.percent());
  struct Kind {
    std::size_t times = 0;
    Difference example;
    std::string_view why;
  };
  std::map<std::pair<std::string, std::string_view>, Kind> kinds;
  for (const auto& [difference, reason] : trip.differences) {
    auto& kind = kinds[{kind_of(difference.path), reason.why}];
    if (kind.times++ == 0) kind.example = difference;
    kind.why = reason.why.empty() ? "NO REASON IS KNOWN" : reason.why;
  }
  for (const auto& [key, kind] : kinds) {
    out += fmt::format("  {:>4} x {}: captured '{}', printed '{}': {}\n", kind.times, key.first,
                       kind.example.expected.substr(0, 60), kind.example.actual.substr(0, 60), kind.why);
  }
  // Renamed, newer than this nvidia-smi, or about something that it does not show on that driver.
  std::map<std::string, std::size_t> unprinted;
  for (const auto& difference : trip.comparison.only_expected)
    ++unprinted[kind_of(difference.path)];
  for (const auto& [kind, times] : unprinted)
    out += fmt::format("  {:>4} x {}: only in the capture\n", times, kind);
  return out;
}

}  // namespace nvmlab::test
