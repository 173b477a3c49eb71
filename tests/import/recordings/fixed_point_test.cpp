// SPDX-License-Identifier: Apache-2.0
//
// Every shipped board and machine comes back from its recording, under the driver of its profile; and boards that
// differ in kind come back under every driver that can be simulated.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "compiler/shipped.hpp"
#include "engine/store/driver_version.hpp"
#include "tests/import/recordings/fixed_point.hpp"
#include "tests/import/recordings/unobservable.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {

void PrintTo(const Recorded& machine, std::ostream* out) { *out << machine.name; }

namespace {

class FixedPoint : public testing::TestWithParam<Recorded> {};

TEST_P(FixedPoint, AMachineComesBackFromItsRecording) { expect_fixed_point(GetParam()); }

// What no shipped one has.
const Recorded& everything() {
  static const Recorded board{"everything", source_folder() / "tests/drivers/functions/profiles/everything.yaml"};
  return board;
}
const Recorded& rare() {
  static const Recorded machine{"rare", source_folder() / "tests/import/recordings/profiles/rare.yaml"};
  return machine;
}

// Cut by MIG: on a chip that lacks another eighth than most, with compute instances that were not made in order, a GPU
// instance without any, and processes.
const Recorded& cut() {
  static const Recorded machine{"cut", source_folder() / "tests/import/recordings/profiles/cut.yaml"};
  return machine;
}

bool comes_back(const compiler::ShippedProfile& profile) {
  return profile.text.find("\nabstract: true") == std::string_view::npos;
}

std::vector<Recorded> shipped() {
  std::vector<Recorded> all;
  for (const auto& profile : compiler::shipped_profiles()) {
    if (comes_back(profile)) all.push_back({std::string(profile.name), std::string(profile.name)});
  }
  all.push_back(everything());
  all.push_back(rare());
  all.push_back(cut());
  all.push_back({cut().name + "_535.161.08", cut().profile, "535.161.08"});
  return all;
}

std::string version_of(const DriverRelease& release) {
  return release.release[0] != '\0' ? release.release : fmt::format("{}.{:02}", release.major, release.minor);
}

std::vector<Recorded> on_every_driver() {
  // An old board, one for consumers, one for data centres, one that can be cut into instances, and one with everything.
  const Recorded kinds[] = {{"quadro-p400", "quadro-p400"},
                            {"rtx-3090", "rtx-3090"},
                            {"t4", "t4"},
                            {"h100-sxm5-80gb", "h100-sxm5-80gb"},
                            everything(),
                            rare()};
  std::vector<Recorded> all;
  for (std::uint32_t row = 0; row < driver_release_count(); ++row) {
    const auto version = version_of(driver_release(row));
    for (const Recorded& kind : kinds)
      all.push_back({kind.name + "_" + version, kind.profile, version});
  }
  return all;
}

// Boards alone: a machine's driver is what it was captured with.
std::vector<Recorded> on_the_newest_driver() {
  const auto version = version_of(driver_release(driver_release_count() - 1));
  std::vector<Recorded> all;
  for (const auto& profile : compiler::shipped_profiles()) {
    if (!profile.machine && profile.text.find("\nabstract: true") == std::string_view::npos)
      all.push_back({fmt::format("{}_{}", profile.name, version), std::string(profile.name), version});
  }
  return all;
}

std::string name_of(const testing::TestParamInfo<Recorded>& each) {
  std::string name = each.param.name;
  std::ranges::replace_if(
      name, [](char letter) { return letter == '-' || letter == '.'; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Shipped, FixedPoint, testing::ValuesIn(shipped()), name_of);
INSTANTIATE_TEST_SUITE_P(Drivers, FixedPoint, testing::ValuesIn(on_every_driver()), name_of);
INSTANTIATE_TEST_SUITE_P(NewestDriver, FixedPoint, testing::ValuesIn(on_the_newest_driver()), name_of);

TEST(Unobservable, NamesFields) { EXPECT_EQ(unknown_names(), std::vector<std::string>()); }

}  // namespace
}  // namespace nvmlab::test
