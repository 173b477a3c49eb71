// SPDX-License-Identifier: Apache-2.0
//
// Every leaf of a log is carried, or listed with the reason why not; what is carried is not made up.
#include <gtest/gtest.h>

#include <algorithm>

#include <fmt/format.h>

#include "tests/unit/import/samples.hpp"

namespace nvmlab::importer {
namespace {

Imported of(const std::string& more) { return imported({{"q.xml", sample::log({1}, more)}}); }

std::string reason_of(const Imported& imported, std::string_view path) {
  const auto left = imported.leaves.left();
  const auto found = std::ranges::find(left, path, &LeavesLeft::path);
  return found == left.end() ? "carried" : found->reason;
}

TEST(Leaves, AreCarriedOrListedWithTheReason) {
  const auto made =
      of("<fb_memory_usage><total>100 MiB</total><reserved>1 MiB</reserved><used>2 MiB</used><free>97 "
         "MiB</free></fb_memory_usage>\n<never_heard_of>7</never_heard_of><nor_of_this>N/A</nor_of_this>"
         "<fan_speed>34 %</fan_speed><vbios_version>\x01</vbios_version>\n");
  EXPECT_EQ(reason_of(made, "fb_memory_usage/free"), "carried") << "the others carry it";
  EXPECT_EQ(reason_of(made, "@id"), "carried") << "as domain, bus and device";
  EXPECT_EQ(reason_of(made, "never_heard_of"), "the simulated machine has nothing that corresponds to it");
  EXPECT_EQ(reason_of(made, "nor_of_this"), "the simulated machine lacks it too");
  EXPECT_EQ(reason_of(made, "vbios_version"), "vbios_version has a control character");
  std::size_t left = 0;
  for (const auto& kind : made.leaves.left())
    left += kind.times;
  EXPECT_EQ(left, 3U);
  EXPECT_EQ(made.leaves.carried() + left, made.leaves.total());
}

TEST(Leaves, OfTheSecondCaptureSayWhatStands) {
  const auto vbios = [](const char* version) {
    return sample::log({1}, fmt::format("<vbios_version>{}</vbios_version>", version));
  };
  const auto made = imported({{"a.xml", vbios("3")}, {"b.xml", vbios("4")}});
  EXPECT_EQ(reason_of(made, "vbios_version"), "a.xml:9 says 3, which stands");
}

std::string pages(const std::string& single) {
  return "<retired_pages><multiple_single_bit_retirement>" + single +
         "</multiple_single_bit_retirement><double_bit_retirement><retired_count>0</retired_count>"
         "<retired_pagelist></retired_pagelist></double_bit_retirement>"
         "<pending_retirement>No</pending_retirement></retired_pages>\n";
}

TEST(RetiredPages, AreReadAndNeverMadeUp) {
  const auto listed =
      of(pages("<retired_count>2</retired_count><retired_pagelist>"
               "<retired_page_address>0x0000000000012345</retired_page_address>"
               "<retired_page_address>0x00000000000abcde</retired_page_address></retired_pagelist>"));
  EXPECT_EQ(value(listed, 0, "ecc.retired_single_bit[1].address"), std::to_string(0xabcde));
  EXPECT_EQ(value(listed, 0, "ecc.retired_double_bit"), "[]");
  const auto newer =
      of(pages("<retired_count>1</retired_count><retired_pagelist><retired_page>"
               "<retired_page_address>0x7</retired_page_address></retired_page></retired_pagelist>"));
  EXPECT_EQ(value(newer, 0, "ecc.retired_single_bit"), "[{address: 7}]");
  const auto counted = of(pages("<retired_count>3</retired_count>"));
  EXPECT_EQ(value(counted, 0, "ecc.retired_single_bit[2].address"), "null") << "which page it is, nobody said";
  EXPECT_NE(counted.yaml.find("retired_single_bit: [{repeat: 3}]"), std::string::npos) << counted.yaml;
  const auto many = of(pages("<retired_count>65</retired_count>"));
  EXPECT_EQ(many.notes.size(), 1U);
  EXPECT_EQ(reason_of(many, "retired_pages/multiple_single_bit_retirement/retired_count"),
            "65 retired pages; at most 64 are simulated");
}

TEST(RetiredPages, OfTheQueryOfTheirOwn) {
  const auto made =
      imported({{"q.xml", sample::log({1}, pages("<retired_count>1</retired_count>"))},
                {"p.csv", "gpu_uuid, retired_pages.address, retired_pages.cause\n" + sample::uuid(0) +
                              ", 0x0000000000012345, Single Bit ECC\n" + sample::uuid(0) + ", 0x7, Double Bit ECC\n"}});
  EXPECT_EQ(value(made, 0, "ecc.retired_single_bit[0].address"), std::to_string(0x12345));
  EXPECT_EQ(value(made, 0, "ecc.retired_double_bit[0].address"), "7");
}

TEST(Sessions, AreCounted) {
  const auto made =
      of("<encoder_stats><session_count>3</session_count><average_fps>30</average_fps></encoder_stats>"
         "<fbc_stats><session_count>0</session_count></fbc_stats>");
  EXPECT_NE(value(made, 0, "utilization.encoder_sessions[2].id"), "");
  EXPECT_EQ(value(made, 0, "utilization.fbc_sessions"), "[]");
  EXPECT_EQ(reason_of(made, "encoder_stats/session_count"), "carried");
  EXPECT_NE(
      reason_of(of("<encoder_stats><session_count>99</session_count></encoder_stats>"), "encoder_stats/session_count"),
      "carried");
}

TEST(Fans, AreWhatIsPrinted) {
  EXPECT_EQ(value(of("<fan_speed>114 %</fan_speed>"), 0, "thermal.fans[0].speed_percent"), "114");
  EXPECT_EQ(value(of("<fan_speed>ERR!</fan_speed>"), 0, "thermal.fans[0].speed_percent"), "{answer: UNKNOWN}");
  EXPECT_EQ(value(of("<fan_speed>GPU is lost</fan_speed>"), 0, "thermal.fans[0].speed_percent"),
            "{answer: GPU_IS_LOST}");
  EXPECT_EQ(value(of("<fan_speed>N/A</fan_speed>"), 0, "thermal.fans"), "[]");
}

TEST(Memory, OfALostGpuIsNotNothing) {
  const auto made =
      of("<fb_memory_usage><total>GPU is lost</total><used>GPU is lost</used><free>GPU is "
         "lost</free></fb_memory_usage><bar1_memory_usage><used>GPU is lost</used></bar1_memory_usage>");
  EXPECT_EQ(value(made, 0, "memory.used_bytes"), "{answer: GPU_IS_LOST}");
  EXPECT_EQ(value(made, 0, "memory.total_bytes"), "{answer: GPU_IS_LOST}");
  EXPECT_EQ(value(made, 0, "memory.bar1_used_bytes"), "{answer: GPU_IS_LOST}");
  EXPECT_EQ(reason_of(made, "fb_memory_usage/free"), "carried");
}

TEST(Processes, ThatFindNoRoomAreListed) {
  std::string list = "<processes>";
  for (int pid = 1; pid <= 40; ++pid)
    list += fmt::format("<process_info><pid>{}</pid><type>C</type><process_name>a</process_name></process_info>", pid);
  const auto made = of(list + "</processes>");
  EXPECT_EQ(reason_of(made, "processes/process_info/pid"), "a GPU has room for 32 processes");
  ASSERT_EQ(made.notes.size(), 1U);
  EXPECT_NE(made.notes[0].find("8 of 40 processes are left out"), std::string::npos) << made.notes[0];
}

TEST(Processes, OfDriver340AreComputeProcesses) {
  const auto made =
      of("<compute_processes><process_info><pid>5495</pid><process_name>a</process_name><used_memory>98 MiB"
         "</used_memory></process_info></compute_processes>");
  EXPECT_EQ(value(made, 0, "processes.running"), "[{pid: 5495, kinds: 1, used_bytes: 102760448, name: a}]");
  EXPECT_EQ(made.leaves.left().size(), 0U);
  EXPECT_EQ(value(of("<compute_processes>None</compute_processes>"), 0, "processes.running"), "[]");
}

TEST(BoardId, FollowsTheAddressWhereTheDriverTellsOne) {
  const auto known = of("<multigpu_board>No</multigpu_board><board_id>0x100</board_id>");
  EXPECT_EQ(reason_of(known, "board_id"), "carried");
  const auto lacking = of("<multigpu_board>N/A</multigpu_board><board_id>N/A</board_id>");
  EXPECT_EQ(reason_of(lacking, "board_id"), "carried") << "nvmlDeviceGetBoardId answers as nvmlDeviceGetMultiGpuBoard";
  const auto odd = of("<multigpu_board>No</multigpu_board><board_id>N/A</board_id>");
  EXPECT_EQ(reason_of(odd, "board_id"), "it is worked out of the PCI address");
}

TEST(CsvLists, AccountedAndComputingProcesses) {
  const auto made = imported(
      {{"q.xml", sample::log({1})},
       {"a.csv", "gpu_uuid, pid, gpu_utilization [%], mem_utilization [%], max_memory_usage [MiB], time [ms]\n" +
                     sample::uuid(0) + ", 5, 71 %, 3 %, 843 MiB, 18228 ms\n"},
       {"c.csv", "gpu_bus_id, pid, process_name, used_gpu_memory [MiB]\n00000000:01:00.0, 7, python a,b, 5 MiB\n"}});
  EXPECT_EQ(value(made, 0, "accounting.ended[0].pid"), "5");
  EXPECT_EQ(value(made, 0, "accounting.ended[0].gpu_percent"), "71");
  EXPECT_EQ(value(made, 0, "accounting.ended[0].peak_bytes"), std::to_string(843ULL << 20));
  EXPECT_EQ(value(made, 0, "accounting.ended[0].time_ms"), "18228");
  EXPECT_EQ(value(made, 0, "processes.running[0].name"), "\"python a,b\"");
  EXPECT_EQ(made.leaves.left().size(), 0U);
}

}  // namespace
}  // namespace nvmlab::importer
