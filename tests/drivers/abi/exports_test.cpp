// SPDX-License-Identifier: Apache-2.0
//
// What the driver offers is what real drivers and the newest header have, name for name in both directions: a missing
// name is a client that does not start, a name too many is a promise that nobody made.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/drivers/abi/driver.hpp"
#include "tests/drivers/abi/elf_reader.hpp"
#include "tests/drivers/abi/known_names.hpp"

namespace {

using namespace nvmlab::abi_test;

class Exports : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto read = nvmlab::elf::read_library(driver_path());
    ASSERT_TRUE(read) << read.error();
    library_ = *read;
    const auto known = known_names();
    ASSERT_TRUE(known) << known.error();
    known_ = *known;
  }
  inline static nvmlab::elf::Library library_;
  inline static KnownNames known_;
};

TEST_F(Exports, EveryKnownNameAndNothingElse) {
  std::set<std::string> found;
  for (const auto& symbol : library_.exports)
    found.insert(symbol.name);
  EXPECT_GE(known_.exports.size(), 415U) << "the facts have lost names";
  for (const auto& name : known_.exports)
    EXPECT_TRUE(found.contains(name)) << name << " is not exported";
  for (const auto& name : found)
    EXPECT_TRUE(known_.exports.contains(name)) << name << " is exported, but why?";
  EXPECT_EQ(found.size(), library_.exports.size()) << "a name is exported twice";
}

TEST_F(Exports, TheNameThatClientsLinkAgainst) { EXPECT_EQ(library_.soname, "libnvidia-ml.so.1"); }

TEST_F(Exports, NoSymbolVersions) {
  EXPECT_TRUE(library_.defined_versions.empty()) << library_.defined_versions.front();
  for (const auto& symbol : library_.exports) {
    EXPECT_EQ(symbol.version, "") << symbol.name;
    EXPECT_FALSE(symbol.weak) << symbol.name;
  }
}

TEST_F(Exports, TheLoaderFindsEachOfThem) {
  const Driver driver(RTLD_LAZY);
  ASSERT_TRUE(driver.open()) << driver.error();
  for (const auto& name : known_.exports)
    EXPECT_NE(driver.address(name.c_str()), nullptr) << name;
}

}  // namespace
