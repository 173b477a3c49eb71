// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/oracles.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

TEST(Oracles, TellDriversAndClientsApart) {
  TemporaryFolder folder;
  folder.write("no_driver.tsv",
               "# a\n"
               "nvmlInit\t*\t*\t9\t-\t340.108..470.256.02\n"
               "nvmlInit\tafter\t*\t9\t-\t525.147.05..555.58.02\n"
               "nvmlOld\t*\t*\tnot called\t-\t450.248.02\n"
               "nvmlOne\t*\t*\t1\t-\t450.248.02\n");
  folder.write("clients.tsv", "# b\nnvmlInit\tnvidia-smi-470 nvidia-smi-535 nvtop pynvml-11\nnvmlNew\tnvtop\n");
  const auto oracles = load_oracles(folder.path());
  ASSERT_TRUE(oracles) << oracles.error().message;
  EXPECT_EQ(oracles->at("nvmlInit").text(), "nvidia-smi 470 535, nvtop, pynvml 11; library 340 to 555");
  EXPECT_EQ(oracles->at("nvmlOne").text(), "library 450");
  EXPECT_EQ(oracles->at("nvmlNew").text(), "nvtop");
  EXPECT_FALSE(oracles->contains("nvmlOld")) << "a function that nobody called";
}

TEST(Oracles, ADamagedTableIsRefusedWithItsLine) {
  TemporaryFolder folder;
  folder.write("no_driver.tsv", "# a\nnvmlInit\t9\n");
  folder.write("clients.tsv", "");
  const auto oracles = load_oracles(folder.path());
  ASSERT_FALSE(oracles);
  EXPECT_NE(oracles.error().message.find("2 columns, 6 expected"), std::string::npos) << oracles.error().message;
}

}  // namespace
}  // namespace nvmlab::codegen::test
