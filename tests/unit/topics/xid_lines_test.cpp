// SPDX-License-Identifier: Apache-2.0
// The line that the kernel module writes for an Xid.
#include "engine/topics/kernel_log/xid_lines.hpp"

#include <gtest/gtest.h>

#include <string>

#include "engine/topics/faults/fault_kinds.hpp"

namespace nvmlab {
namespace {

std::string line_of(std::uint64_t xid, const XidSubject& subject) {
  char text[kMaxXidLine];
  TextWriter line(text);
  write_xid_line(xid, subject, line);
  return text;
}

TEST(XidLines, NameTheGpuByItsAddress) {
  XidSubject gpu;
  gpu.address = {0, 0x3b, 0, 0};
  EXPECT_EQ(line_of(79, gpu),
            "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.");
  gpu.gpu_instance = 5;
  gpu.compute_instance = 0;
  EXPECT_EQ(line_of(43, gpu),
            "NVRM: Xid (PCI:0000:3b:00 GPU-I:05 GPU-CI:00): 43, pid='<unknown>', name=<unknown>, Ch 00000008");
}

TEST(XidLines, NameTheRecoveryActionsBeforeAndAfter) {
  XidSubject gpu;
  gpu.address = {1, 0, 2, 0};
  gpu.action_before = kDrainAndReset;
  gpu.action_now = kResetGpu;
  EXPECT_EQ(line_of(154, gpu),
            "NVRM: Xid (PCI:0001:00:02): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x4 "
            "(Drain and Reset) to 0x1 (GPU Reset Required)");
}

TEST(XidLines, OfRetirementDependOnTheBoard) {
  XidSubject board;
  EXPECT_NE(line_of(63, board).find("New retired page"), std::string::npos);
  EXPECT_NE(line_of(64, board).find("unable to retire page"), std::string::npos);
  board.remaps_rows = true;
  EXPECT_NE(line_of(63, board).find("New row marked for remapping"), std::string::npos);
  EXPECT_NE(line_of(64, board).find("Unable to remap the row"), std::string::npos);
}

TEST(XidLines, FitTheirBuffer) {
  XidSubject longest;
  longest.address = {0xffffffff, 0xff, 0x1f, 0};
  longest.gpu_instance = longest.compute_instance = 0xfffffffe;
  longest.action_before = longest.action_now = 0xffffffff;
  for (std::uint64_t xid = 0; xid < 256; ++xid) {
    char text[kMaxXidLine];
    TextWriter line(text);
    write_xid_line(xid, longest, line);
    line.add("\n");
    EXPECT_TRUE(line.complete()) << xid;
  }
}

}  // namespace
}  // namespace nvmlab
