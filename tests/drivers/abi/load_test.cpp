// SPDX-License-Identifier: Apache-2.0
// The driver loads in every way that clients load it, leaves again without a trace, and says who it is by its names.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/drivers/abi/driver.hpp"
#include "tests/drivers/abi/process_state.hpp"
#include "tests/support/process.hpp"

namespace {

using namespace nvmlab::abi_test;

// Loads, reads every GPU, shuts down, unloads; 0 when all went well.
int use_once(int flags, bool new_namespace = false) {
  const Driver driver(flags, new_namespace);
  if (!driver.open()) {
    std::fprintf(stderr, "%s\n", driver.error().c_str());
    return 1;
  }
  if (driver.init() != kSuccess) return 2;
  if (const int wrong = driver.read_everything(); wrong != 0) return wrong;
  return driver.shutdown() == kSuccess ? 0 : 3;
}

TEST(Load, WithEveryCombinationOfFlags) {
  for (const int binding : {RTLD_NOW, RTLD_LAZY}) {
    for (const int scope : {RTLD_LOCAL, RTLD_GLOBAL}) {
      for (const int extra : {0, RTLD_DEEPBIND}) {
        EXPECT_EQ(in_child([=] { return use_once(binding | scope | extra); }), "exit 0") << binding << scope << extra;
      }
    }
  }
}

TEST(Load, WithBindNowInTheEnvironment) {
  const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  const auto outcome = nvmlab::test::run(
      {.arguments = {self, "--gtest_filter=Load.WithEveryCombinationOfFlags"}, .environment = {{"LD_BIND_NOW", "1"}}});
  EXPECT_TRUE(outcome.ok()) << outcome.story();
}

TEST(Load, InSeveralNamespacesAtOnce) {
  EXPECT_EQ(in_child([] {
              std::array<Driver, 4> drivers = {Driver(RTLD_NOW, true), Driver(RTLD_LAZY, true), Driver(RTLD_NOW, true),
                                               Driver(RTLD_NOW, false)};
              for (const auto& driver : drivers) {
                if (!driver.open()) return 1;
                if (driver.init() != kSuccess) return 2;
              }
              for (const auto& driver : drivers) {
                if (const int wrong = driver.read_everything(); wrong != 0) return wrong;
              }
              // Each namespace holds a driver of its own: shutting one down leaves the others alone.
              if (drivers[0].shutdown() != kSuccess) return 3;
              unsigned gpus = 0;
              if (drivers[0].count(gpus) != kUninitialized) return 4;
              return drivers[1].read_everything();
            }),
            "exit 0");
}

TEST(Load, AHundredTimesWithoutGrowing) {
  ASSERT_EQ(use_once(RTLD_NOW), 0);  // what the C library itself keeps is there after the first time
  const auto before = ProcessState::now();
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(use_once(RTLD_NOW), 0) << "round " << i;
  const auto after = ProcessState::now();
  EXPECT_EQ(before.open_files, after.open_files);
  EXPECT_EQ(before.mappings_without_heap(), after.mappings_without_heap());
}

TEST(Load, AHundredInitsInOneLoadWithoutGrowing) {
  const Driver driver;
  ASSERT_TRUE(driver.open()) << driver.error();
  ASSERT_EQ(driver.init(), kSuccess);
  ASSERT_EQ(driver.shutdown(), kSuccess);
  const auto before = ProcessState::now();
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(driver.init(), kSuccess);
    ASSERT_EQ(driver.read_everything(), 0);
    ASSERT_EQ(driver.shutdown(), kSuccess);
  }
  const auto after = ProcessState::now();
  EXPECT_EQ(before.open_files, after.open_files);
  EXPECT_EQ(before.mappings_without_heap(), after.mappings_without_heap());
}

TEST(Load, IsReallyGoneAfterClosing) {
  EXPECT_EQ(in_child([] {
              if (use_once(RTLD_NOW) != 0) return 1;
              for (const auto& line : ProcessState::now().mappings) {
                if (line.find("libnvidia-ml") != std::string::npos) return 2;
              }
              return 0;
            }),
            "exit 0");
}

TEST(Load, ClosedWhileInitialisedIsGoneToo) {
  EXPECT_EQ(in_child([] {
              for (int i = 0; i < 20; ++i) {
                const Driver driver;
                if (driver.init() != kSuccess) return 1;
                if (driver.read_everything() != 0) return 2;
              }
              return 0;
            }),
            "exit 0");
}

// slurmd, nvtop and btop ask for the plain name; container tools look for the file that carries the driver's version.
TEST(Names, PlainNameAndDriverVersionLieBesideTheLibrary) {
  namespace fs = std::filesystem;
  const fs::path folder = driver_folder();
  const auto library = fs::canonical(driver_path());
  ASSERT_TRUE(fs::exists(folder / "libnvidia-ml.so"));
  EXPECT_EQ(fs::canonical(folder / "libnvidia-ml.so"), library);

  const Driver driver;
  ASSERT_TRUE(driver.open()) << driver.error();
  ASSERT_EQ(driver.init(), kSuccess);
  std::array<char, 80> version{};
  ASSERT_EQ((driver.call<int(char*, unsigned)>("nvmlSystemGetDriverVersion", version.data(), size_of(version))),
            kSuccess);
  EXPECT_EQ(driver.shutdown(), kSuccess);
  const auto versioned = folder / ("libnvidia-ml.so." + std::string(version.data()));
  ASSERT_TRUE(fs::exists(versioned)) << versioned;
  EXPECT_EQ(fs::canonical(versioned), library);
}

}  // namespace
