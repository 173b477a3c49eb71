// SPDX-License-Identifier: Apache-2.0
//
// The importer's examination: every capture is imported, simulated and printed again by a real nvidia-smi, and compared
// leaf by leaf with what the real machine printed. Writes build/<preset>/reports/golden.txt.
#include <gtest/gtest.h>

#include <iostream>

#include <fmt/format.h>

#include "golden/round_trip.hpp"
#include "support/files.hpp"

namespace nvmlab::test {
namespace {

constexpr const char* releases[] = {"nvidia-smi-535", "nvidia-smi-550"};

// At least this many percent of the leaves that this nvidia-smi can print on the captured driver.
double demanded(unsigned driver) { return driver >= 525 && driver <= 570 ? 99.0 : 97.0; }

// And of all leaves that both print, whatever the releases differ in. Only ever raised.
double demanded_of_all(unsigned driver, const std::string& release) {
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

TEST(Golden, CapturesComeBackAsTheyWere) {
  const auto folder = shared_captures();
  if (!folder) GTEST_SKIP() << "no captures beside this checkout (../shared/captures)";
  const auto samples = find_samples(*folder);
  if (samples.empty()) GTEST_SKIP() << "no log of nvidia-smi in " << *folder;
  std::string reports;
  auto table = fmt::format("{:<92} {:>6} {:>14} {:>14}\n", "capture", "driver", "nvidia-smi 535", "nvidia-smi 550");
  for (const auto& sample : samples) {
    SCOPED_TRACE(sample.name);
    auto row = fmt::format("{:<92} {:>6}", sample.name, sample.driver);
    for (const std::string release : releases) {
      NVMLAB_REQUIRE_CLIENT(client, release);
      const auto trip = round_trip(sample, client);
      if (!trip) {
        ADD_FAILURE() << trip.error();
        continue;
      }
      row += fmt::format(" {:>6.2f} {:>6.2f}%", trip->comparison.percent(), trip->percent());
      reports += report(sample, client, *trip) + "\n";
      EXPECT_GE(trip->percent(), demanded(sample.driver)) << client.name;
      EXPECT_GE(trip->comparison.percent(), demanded_of_all(sample.driver, release)) << client.name;
      EXPECT_GE(trip->comparison.total.compared(), 100U * sample.log.gpus.size()) << "the two hardly share a leaf";
      for (const auto& difference : trip->unexplained()) {
        ADD_FAILURE() << client.name << ": GPU " << difference.gpu << " " << difference.path << " was captured as '"
                      << difference.expected << "' and printed as '" << difference.actual << "', for no known reason";
      }
    }
    table += row + "\n";
  }
  table += "Agreement over all leaves that both print, and over those that this nvidia-smi can print on that driver.\n";
  const auto path = binary_folder() / "reports" / "golden.txt";
  EXPECT_TRUE(write_file(path, table + "\n" + reports)) << path;
  std::cout << reports << table << "(also in " << path.string() << ")\n";
}

}  // namespace
}  // namespace nvmlab::test
