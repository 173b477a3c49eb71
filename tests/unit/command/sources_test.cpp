// SPDX-License-Identifier: Apache-2.0
#include "command/profile/sources.hpp"

#include <gtest/gtest.h>

#include "base/write_file.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::tool {
namespace {

TEST(LoadMachine, AShippedProfileAndItsMachineFileAreTheSame) {
  const test::TempFolder folder;
  const auto machine = load_machine("dgx-h100", {});
  ASSERT_TRUE(machine) << machine.error().front();
  const std::string path = (folder.path() / "h100.machine").string();
  ASSERT_TRUE(write_file(path, machine->image, 0644));
  const auto loaded = load_machine(path, {});
  ASSERT_TRUE(loaded) << loaded.error().front();
  EXPECT_EQ(loaded->image, machine->image);
  EXPECT_EQ(loaded->name, "dgx-h100");

  const compiler::CompileOptions options{.gpus = 12, .driver = "550"};
  const auto from_profile = load_machine("dgx-h100", options);
  const auto from_file = load_machine(path, options);
  ASSERT_TRUE(from_profile && from_file);
  EXPECT_EQ(from_profile->gpu_count(), 12u);
  EXPECT_EQ(from_file->image, from_profile->image) << "options do the same to both";
}

TEST(LoadMachine, WhatIsWrongIsSaid) {
  const test::TempFolder folder;
  const std::string path = (folder.path() / "x.machine").string();
  EXPECT_NE(load_machine(path, {}).error().front().find("No such file"), std::string::npos);
  ASSERT_TRUE(test::write_file(path, "not a machine, but long enough to look at" + std::string(200, '.')));
  EXPECT_EQ(load_machine(path, {}).error().front(), path + ": not a machine file");
  const auto machine = load_machine("t4", {});
  ASSERT_TRUE(machine);
  std::vector<std::byte> bytes = machine->image;
  bytes.resize(bytes.size() / 2);
  ASSERT_TRUE(write_file(path, bytes, 0644));
  EXPECT_EQ(load_machine(path, {}).error().front(), path + ": truncated: shorter than its header says");
  EXPECT_NE(load_machine("dgx-h10", {}).error().front().find("did you mean 'dgx-h100'?"), std::string::npos);
}

TEST(AsProfile, AFileInTheCurrentFolderIsMeantWhereOneIs) {
  EXPECT_EQ(as_profile("dgx-h100"), "dgx-h100");
  EXPECT_EQ(as_profile("./x.yaml"), "./x.yaml");
}

}  // namespace
}  // namespace nvmlab::tool
