// SPDX-License-Identifier: Apache-2.0
//
// The libraries below lib/drivers, from outside: each exports what the driver of its folder does, name for name, is as
// self-contained as the one that exports everything, and simulates its driver without being told to.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "tests/drivers/abi/driver.hpp"
#include "tests/drivers/abi/elf_reader.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::test {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

// In the order of the file: releases of the header are listed from the oldest on.
const nlohmann::ordered_json& facts(const std::string& file) {
  static std::map<std::string, nlohmann::ordered_json> read;
  if (!read.contains(file)) {
    std::ifstream stream(source_folder() / "model/facts" / file);
    read[file] = nlohmann::ordered_json::parse(stream);
  }
  return read[file];
}

fs::path library_of(const std::string& name) { return binary_folder() / "lib/drivers" / name / "libnvidia-ml.so.1"; }

Names exports(const std::string& name) {
  const auto library = elf::read_library(library_of(name));
  EXPECT_TRUE(library) << library.error();
  Names names;
  for (const auto& symbol : library ? library->exports : std::vector<elf::Symbol>{})
    names.insert(symbol.name);
  return names;
}

std::vector<std::string> folders() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(binary_folder() / "lib/drivers"))
    names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

Names measured(const std::string& driver) {
  Names names;
  for (const auto& [name, drivers] : facts("drivers.json").at("symbols").items()) {
    for (const auto& each : drivers) {
      if (each == driver) names.insert(name);
    }
  }
  return names;
}

Names declared(const std::string& header) {
  const auto& root = facts("nvml.json");
  std::map<std::string, std::size_t> place;
  for (const auto& [release, info] : root.at("releases").items())
    place.emplace(release, place.size());
  EXPECT_TRUE(place.contains(header)) << header;
  Names names;
  for (const auto& [name, spans] : root.at("functions").items()) {
    for (const auto& span : spans) {
      const bool begun = place[span.at("since")] <= place[header];
      if (begun && (!span.contains("until") || place[header] <= place[span.at("until")])) names.insert(name);
    }
  }
  return names;
}

void expect_same(const Names& found, const Names& wanted, const std::string& driver) {
  for (const auto& name : wanted)
    EXPECT_TRUE(found.contains(name)) << driver << " lacks " << name;
  for (const auto& name : found)
    EXPECT_TRUE(wanted.contains(name)) << driver << " exports " << name;
}

TEST(DriverExports, OfMeasuredDriversAreTheMeasuredOnes) {
  for (const auto& driver : facts("drivers.json").at("drivers")) {
    const std::string version = driver;
    const Names wanted = measured(version);
    EXPECT_GE(wanted.size(), 114U) << version;
    expect_same(exports(version.substr(0, 3)), wanted, version);
  }
}

// 555 is the newest that was measured: what it exports stays, and each header adds to it.
TEST(DriverExports, OfNewerDriversAreThoseOfTheirHeader) {
  const std::pair<const char*, const char*> drivers[] = {{"560", "12.6.77"},    {"570", "12.8.90"}, {"575", "12.9.40"},
                                                         {"580.65", "13.0.39"}, {"580", "13.0.87"}, {"590", "13.1.115"},
                                                         {"595", "13.2.82"},    {"610", "13.3.29"}, {"615", "13.4.92"}};
  for (const auto& [driver, header] : drivers) {
    Names wanted = declared(header);
    wanted.merge(measured("555.58.02"));
    expect_same(exports(driver), wanted, driver);
  }
}

// What node-probe prints with that library.
std::string shown(const std::string& driver,
                  const std::map<std::string, std::optional<std::string>>& environment = {}) {
  Command command;
  command.arguments = {"/bin/sh", "-c", "exec \"$0\"", (binary_folder() / "tests/node-probe").string()};
  command.environment = environment;
  command.environment["LD_LIBRARY_PATH"] = library_of(driver).parent_path().string();
  return run(command).out;
}

std::string simulated_by(const std::string& driver) {
  const std::string text = shown(driver);
  const auto at = text.find(" driver=") + 8;
  return text.substr(at, text.find(' ', at) - at);
}

// Container tools take the driver's version from the name of the file at the end of the links.
TEST(DriverExports, TheFileIsNamedAsItsDriverNamesIt) {
  for (const std::string& driver : folders()) {
    const std::string version = simulated_by(driver);
    const fs::path folder = library_of(driver).parent_path();
    EXPECT_EQ(fs::read_symlink(folder / "libnvidia-ml.so.1"), "libnvidia-ml.so." + version) << driver;
    EXPECT_EQ(fs::read_symlink(folder / "libnvidia-ml.so"), "libnvidia-ml.so.1") << driver;
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder / ("libnvidia-ml.so." + version)))) << driver;
  }
}

// Also where its driver is not the release that the number of the branch stands for.
TEST(DriverExports, EveryShippedMachineHasTheLibraryOfItsDriver) {
  std::set<std::string> versions;
  for (const std::string& driver : folders())
    versions.insert(simulated_by(driver));
  for (const auto& entry : fs::directory_iterator(source_folder() / "profiles/machines")) {
    const std::string text = read_file(entry.path()).value_or("");
    std::smatch found;
    static const std::regex stated{"\n  driver_version: (?:\\{value: )?([0-9.]+)"};
    if (!std::regex_search(text, found, stated)) continue;  // inherits
    EXPECT_TRUE(versions.contains(found[1])) << entry.path() << " has driver " << found[1];
  }
}

// nvitop's test for the layout of process entries.
TEST(DriverExports, TellWideProcessEntries) {
  for (const std::string& driver : folders()) {
    const Names found = exports(driver);
    const bool wide = found.contains("nvmlDeviceGetConfComputeMemSizeInfo") &&
                      !found.contains("nvmlDeviceGetRunningProcessDetailList");
    EXPECT_EQ(wide, driver == "535.43") << driver;
  }
}

TEST(DriverExports, LibrariesAreSmallAndNeedLibcAlone) {
  ASSERT_GE(folders().size(), 30U);
  for (const std::string& driver : folders()) {
    const auto library = elf::read_library(library_of(driver));
    ASSERT_TRUE(library) << library.error();
    EXPECT_EQ(library->soname, "libnvidia-ml.so.1") << driver;
    EXPECT_EQ(library->needed, std::vector<std::string>{"libc.so.6"}) << driver;
    EXPECT_TRUE(library->defined_versions.empty()) << driver;
    EXPECT_LT(fs::file_size(library_of(driver)), NVMLAB_LARGEST_LIBRARY) << driver;
    EXPECT_TRUE(fs::is_symlink(library_of(driver).parent_path() / "libnvidia-ml.so")) << driver;
  }
}

TEST(DriverExports, LoadBoundAtOnceAndAreTheirOwnDriver) {
  for (const std::string& driver : folders()) {
    const std::string ended = abi_test::in_child([&] {
      void* library = ::dlopen(library_of(driver).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) return 1;
      const auto find = [&](const char* name) { return ::dlsym(library, name); };
      const auto init = reinterpret_cast<int (*)()>(find("nvmlInit"));
      const auto version = reinterpret_cast<int (*)(char*, unsigned)>(find("nvmlSystemGetDriverVersion"));
      char text[80] = {};
      if (init() != 0 || version(text, sizeof text) != 0) return 2;
      // "580.65" holds 580.65.06; the folder "535" holds a later release than "535.43".
      if (std::string(text).substr(0, 3) != driver.substr(0, 3)) return 3;
      if (driver == "535.43" && std::string(text) != "535.86.10") return 4;
      if ((find("nvmlSystemGetCPER_v1") != nullptr) != (driver >= "610")) return 5;
      return 0;
    });
    EXPECT_EQ(ended, "exit 0") << driver;
  }
}

TEST(DriverExports, EveryLibraryCarriesTheMachinesAndTheVariableWins) {
  EXPECT_EQ(shown("535", {{"NVMLAB_PROFILE", "t4"}}).substr(0, 36), "gpus=1 driver=535.261.03 name=Tesla ");
  EXPECT_EQ(shown("535", {{"NVMLAB_PROFILE", "t4"}, {"NVMLAB_DRIVER", "550"}}).substr(0, 24),
            "gpus=1 driver=550.163.01");
}

}  // namespace
}  // namespace nvmlab::test
