// SPDX-License-Identifier: Apache-2.0
#include "tests/import/golden/reasons.hpp"

#include <gtest/gtest.h>

namespace nvmlab::test {
namespace {

Blame blame(std::string path, std::string expected, std::string actual, const char* driver = "535.161.08",
            const char* client = "550.163.01") {
  return reason_of({0, std::move(path), std::move(expected), std::move(actual)}, release_of(driver), release_of(client))
      .blame;
}

TEST(Reasons, AMissingFunctionIsOneOfANewerClientOnly) {
  EXPECT_EQ(blame("pci/pci_bus", "00", "Function Not Found"), Blame::release);
  EXPECT_EQ(blame("pci/pci_bus", "00", "Function Not Found", "580.65.06"), Blame::nobody);
  EXPECT_EQ(blame("pci/pci_bus", "00", "01"), Blame::nobody);
}

// A capture of 535.54.03 has whole counts of errors in SRAM; nvidia-smi from 535.161 on asks for their parts.
TEST(Reasons, AMissingFunctionMayBeOneOfANewerReleaseOfTheBranch) {
  const char* const path = "ecc_errors/volatile/sram_correctable";
  EXPECT_EQ(blame(path, "0", "Function Not Found", "535.54.03", "535.261.03"), Blame::release);
  EXPECT_EQ(blame(path, "0", "Function Not Found", "535.261.03", "535.261.03"), Blame::nobody);
  EXPECT_EQ(blame(path, "0", "Function Not Found", "550.54.15", "535.261.03"), Blame::nobody);
}

TEST(Reasons, RoundingIsOneMiBOfMemory) {
  EXPECT_EQ(blame("fb_memory_usage/free", "81080 MiB", "81079 MiB"), Blame::release);
  EXPECT_EQ(blame("FB Memory Usage/Used", "0 MiB", "1 MiB"), Blame::release);
  EXPECT_EQ(blame("fb_memory_usage/free", "81080 MiB", "81078 MiB"), Blame::nobody);
  EXPECT_EQ(blame("processes/process_info[0]/used_memory", "3 MiB", "2 MiB"), Blame::nobody);
}

TEST(Reasons, RemarksOfNewerReleasesAreNoValues) {
  EXPECT_EQ(blame("CUDA Version", "13.3 [Deprecated; will be removed in CUDA 14.0]", "13.3"), Blame::release);
  EXPECT_EQ(blame("CUDA Version", "13.3 [Deprecated; will be removed in CUDA 14.0]", "13.2"), Blame::nobody);
}

TEST(Reasons, ALogThatWasCutHasFewerGpusThanItSays) {
  EXPECT_EQ(blame("Attached GPUs", "8", "1"), Blame::release);
  EXPECT_EQ(blame("attached_gpus", "1", "8"), Blame::nobody);
}

TEST(Reasons, MaskedUuidsAreDerived) {
  EXPECT_EQ(blame("uuid", "GPU-4965xxxx-xxxx", "GPU-5d8e2101-93c7-4b1f-a6e2-71c94fd3b852"), Blame::release);
  EXPECT_EQ(blame("uuid", "GPU-5d8e2101-93c7-4b1f-a6e2-71c94fd3b852", "GPU-6d8e2101-93c7-4b1f-a6e2-71c94fd3b852"),
            Blame::nobody);
  EXPECT_EQ(blame("board_id", "N/A", "0x800"), Blame::nobody);
}

TEST(Reasons, NothingElseHasOne) {
  EXPECT_EQ(blame("accounted_processes/accounted_process_info[0]/pid", "1", "2"), Blame::nobody);
  EXPECT_EQ(blame("processes/process_info[0]/process_name", "a long name", "a long"), Blame::nobody);
}

}  // namespace
}  // namespace nvmlab::test
