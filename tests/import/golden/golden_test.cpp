// SPDX-License-Identifier: Apache-2.0
//
// The importer's examination: every capture is imported, simulated and printed again by a real nvidia-smi, and compared
// leaf by leaf with what the real machine printed. Writes build/<preset>/reports/golden.txt.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "import/importer.hpp"
#include "tests/import/golden/round_trip.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

constexpr const char* releases[] = {"nvidia-smi-535", "nvidia-smi-550"};

// Every release that can be fetched. The one closest to the captured driver differs least from the one that printed the
// capture: what still differs there is hardly through the release.
constexpr const char* all_releases[] = {"nvidia-smi-470", "nvidia-smi-525", "nvidia-smi-535", "nvidia-smi-550",
                                        "nvidia-smi-555"};

// Every leaf of the file's logs is carried, or there is a reason why not.
struct LeafCounts {
  std::size_t leaves = 0;
  std::size_t carried = 0;
  std::string listed;
};

LeafCounts count_leaves(const Sample& sample) {
  const importer::Input input{sample.name, read_file(sample.file).value_or("")};
  const auto made = importer::import_captures({&input, 1}, "m", {.partial = true});
  if (!made) {
    ADD_FAILURE() << made.error().front();
    return {};
  }
  LeafCounts counts{made->leaves.total(), made->leaves.carried(), {}};
  std::size_t left = 0;
  for (const auto& kind : made->leaves.left()) {
    EXPECT_NE(kind.reason, "") << kind.path;
    left += kind.times;
    counts.listed += fmt::format("  {:>4} x {}: {}\n", kind.times, kind.path, kind.reason);
  }
  EXPECT_EQ(counts.carried + left, counts.leaves);
  return counts;
}

std::string closest_release(unsigned driver) {
  const auto distance = [driver](const char* name) {
    const auto release = std::stoul(std::string_view(name).substr(std::string_view(name).rfind('-') + 1).data());
    return release > driver ? release - driver : driver - release;
  };
  return *std::ranges::min_element(all_releases, {}, distance);
}

// At least this many percent of the leaves that this nvidia-smi can print on the captured driver.
double demanded(unsigned driver) { return driver >= 525 && driver <= 570 ? 99.0 : 97.0; }

// With the closest release, of all leaves that both print.
double demanded_of_closest(unsigned driver) { return demanded(driver); }

// And of all leaves that both print, whatever the releases differ in. Only ever raised.
double demanded_of_all(unsigned driver, const std::string& release, bool closest) {
  if (closest) return demanded_of_closest(driver);
  struct Floor {
    unsigned first;
    unsigned last;
    double of_535;
    double of_550;
  };
  constexpr Floor floors[] = {
      {0, 524, 97.0, 92.7},
      {525, 549, 99.3, 93.2},
      {550, 570, 96.9, 98.8},
      {571, 9999, 97.0, 98.3},
  };
  for (const auto& floor : floors) {
    if (driver >= floor.first && driver <= floor.last) return release == releases[0] ? floor.of_535 : floor.of_550;
  }
  return 0;
}

// A log that somebody cut has fewer leaves than this of a GPU; whole ones have hundreds.
constexpr std::size_t kLeavesOfWholeLog = 100;

// Whether at least `demanded` percent agree; of a log that was cut, where a few leaves are many percent, all but ten
// leaves of each GPU.
bool agrees(const RoundTrip& trip, const Sample& sample, double demanded) {
  const auto& total = trip.comparison.total;
  if (total.compared() >= kLeavesOfWholeLog * sample.log.gpus.size()) return trip.comparison.percent() >= demanded;
  return total.compared() - total.agreeing <= 10 * sample.log.gpus.size();
}

std::size_t least_shared(const Sample& sample) {
  return std::min(kLeavesOfWholeLog * sample.log.gpus.size(), sample.log.leaves.size() / 2);
}

TEST(Golden, CapturesComeBackAsTheyWere) {
  NVMLAB_REQUIRE_CAPTURES(folder);
  const auto samples = find_samples(folder);
  if (samples.empty()) FAIL() << folder << ": no log of nvidia-smi";
  std::string reports;
  std::string listed;
  LeafCounts all;
  auto table = fmt::format("{:<92} {:>6} {:>14} {:>14} {:>19} {:>7} {:>7} {:>6}\n", "capture", "driver",
                           "nvidia-smi 535", "nvidia-smi 550", "closest nvidia-smi", "leaves", "carried", "listed");
  for (const auto& sample : samples) {
    SCOPED_TRACE(sample.name);
    auto row = fmt::format("{:<92} {:>6}", sample.name, sample.driver);
    const auto closest = closest_release(sample.driver);
    std::vector<std::string> runs(std::begin(releases), std::end(releases));
    runs.push_back(closest);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const bool third = i == std::size(releases);
      NVMLAB_REQUIRE_CLIENT(client, runs[i]);
      const auto trip = round_trip(sample, client);
      if (!trip) {
        ADD_FAILURE() << trip.error();
        continue;
      }
      if (third) row += fmt::format(" {:>4}", closest.substr(closest.rfind('-') + 1));
      row += fmt::format(" {:>6.2f} {:>6.2f}%", trip->comparison.percent(), trip->percent());
      const bool told = third && std::ranges::find(releases, closest) != std::end(releases);
      if (!told) reports += report(sample, client, *trip) + "\n";
      EXPECT_GE(trip->percent(), demanded(sample.driver)) << client.name;
      EXPECT_TRUE(agrees(*trip, sample, demanded_of_all(sample.driver, runs[i], third))) << client.name;
      EXPECT_GE(trip->comparison.total.compared(), least_shared(sample)) << "the two hardly share a leaf";
      for (const auto& difference : trip->unexplained()) {
        ADD_FAILURE() << client.name << ": GPU " << difference.gpu << " " << difference.path << " was captured as '"
                      << difference.expected << "' and printed as '" << difference.actual << "', for no known reason";
      }
    }
    const auto leaves = count_leaves(sample);
    all.leaves += leaves.leaves;
    all.carried += leaves.carried;
    listed += fmt::format("{}: {} of {} leaves are carried; the others:\n{}\n", sample.name, leaves.carried,
                          leaves.leaves, leaves.listed);
    table += fmt::format("{} {:>7} {:>7} {:>6}\n", row, leaves.leaves, leaves.carried, leaves.leaves - leaves.carried);
  }
  table += fmt::format("{} captures: {} leaves, {} carried, {} listed with the reason why not\n", samples.size(),
                       all.leaves, all.carried, all.leaves - all.carried);
  table += "Agreement over all leaves that both print, and over those that this nvidia-smi can print on that driver.\n";
  const auto path = binary_folder() / "reports" / "golden.txt";
  EXPECT_TRUE(write_file(path, table + "\n" + reports + listed)) << path;
  std::cout << reports << table << "(also in " << path.string() << ")\n";
}

// A file that holds nothing but what one command printed, of a capture that holds many.
std::expected<Sample, std::string> section_of(const Sample& whole, std::string_view heading,
                                              const std::filesystem::path& folder) {
  const std::string text = read_file(whole.file).value_or("");
  const auto head = text.find(heading);
  const auto begin = text.find("\n===", head);
  const auto end = text.find("\n####", begin);
  if (head == std::string::npos || begin == std::string::npos || end == std::string::npos)
    return std::unexpected(whole.name + " has no section '" + std::string(heading) + "'");
  Sample section = whole;
  section.file = folder / "section.txt";
  const std::string bytes = text.substr(begin + 1, end - begin);
  auto log = capture::read_capture(bytes, section.file.string());
  if (!log) return std::unexpected(log.error().text());
  section.log = std::move(*log);
  if (!write_file(section.file, bytes)) return std::unexpected(section.file.string() + " cannot be written");
  return section;
}

// The only capture of a GPU that is cut: of what it printed while something ran in one of its MIG devices, nothing
// differs for a reason that is not known.
TEST(Golden, MigUnderLoad) {
  NVMLAB_REQUIRE_CAPTURES(folder);
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-smi-555");
  const auto samples = find_samples(folder);
  const auto whole =
      std::ranges::find_if(samples, [](const Sample& each) { return each.name.find("h100-mig") != std::string::npos; });
  if (whole == samples.end()) GTEST_SKIP() << "no capture of a GPU that is cut is in " << folder;
  const TempFolder place;
  auto under_load = section_of(*whole, "# load :: query (-q)", place.path());
  ASSERT_TRUE(under_load) << under_load.error();
  // The release of the capture says "Shared" of memory that compute instances share, which is all that they have.
  for (capture::Leaf& leaf : under_load->log.leaves) {
    const auto shared = leaf.path.find("/Shared ");
    if (leaf.path.starts_with("MIG Device") && shared != std::string::npos) leaf.path.erase(shared + 1, 7);
  }
  const auto trip = round_trip(*under_load, client);
  ASSERT_TRUE(trip) << trip.error();
  std::cout << report(*under_load, client, *trip);
  EXPECT_GE(trip->comparison.total.compared(), 240U);
  for (const auto& difference : trip->unexplained())
    ADD_FAILURE() << difference.path << " was captured as '" << difference.expected << "' and printed as '"
                  << difference.actual << "', for no known reason";
}

}  // namespace
}  // namespace nvmlab::test
