// SPDX-License-Identifier: Apache-2.0
// What nvidia-smi printed over time, read.
#include "command/trace/trace.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "command/trace/replay.hpp"

namespace nvmlab::tool {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint32_t kFirst[] = {0};

Trace good(std::string_view text) {
  auto trace = read_trace(text, "trace", kSecond);
  EXPECT_TRUE(trace) << trace.error().text();
  return trace ? std::move(*trace) : Trace{};
}
std::string bad(std::string_view text) {
  const auto trace = read_trace(text, "trace", kSecond);
  EXPECT_FALSE(trace) << "was read";
  return trace ? "" : trace.error().text();
}
std::string bad_load(std::string_view text) {
  const auto replay = TraceReplay::of(good(text), kFirst, kSecond, {});
  EXPECT_FALSE(replay) << "was taken";
  return replay ? "" : replay.error().text();
}
SetLoad load_in(const Change& change) {
  SetLoad load{};
  std::memcpy(&load, change.body, sizeof load);
  return load;
}

constexpr std::string_view kDmon =
    "# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec\n"
    "# Idx      W      C      C      %      %      %      %\n"
    "    0    631     63     57    100     10      0      0\n"
    "    1     70     40      -      0      0      0      0\n"
    "# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec\n"
    "# Idx      W      C      C      %      %      %      %\n"
    "    0    634     63      -      -     11      0      0\n";

TEST(TraceReader, ReadsDmon) {
  const Trace trace = good(kDmon);
  ASSERT_EQ(trace.gpus.size(), 2U);
  ASSERT_EQ(trace.gpus[0].rows.size(), 2U);
  EXPECT_EQ(trace.find("pwr")->unit, "W");
  EXPECT_EQ(trace.gpus[0].rows[1].at_ns, kSecond);
  EXPECT_EQ(trace.gpus[0].rows[1].line, 7U);
  EXPECT_EQ(trace.gpus[0].rows[1].cells[1], 634);
  EXPECT_EQ(trace.gpus[0].rows[1].cells[4], std::nullopt);
  EXPECT_EQ(trace.gpus[1].name, "1");
}

TEST(TraceReader, ReadsDmonWithDatesAndAsCsv) {
  const Trace dated = good(
      "#Date       Time        gpu    pwr     sm\n#YYYYMMDD   HH:MM:SS    Idx      W      %\n"
      " 20260714   23:59:59      0    100     50\n 20260715   00:00:01      0    110     60\n");
  EXPECT_EQ(dated.gpus[0].rows[1].at_ns, 2 * kSecond);
  const Trace timed = good("#Time gpu sm\n#HH:MM:SS Idx %\n23:59:59 0 5\n00:00:01 0 6\n");
  EXPECT_EQ(timed.gpus[0].rows[1].at_ns, 2 * kSecond) << "midnight";
  EXPECT_EQ(good("#gpu, pwr, sm\n#Idx, W, %\n0, 100, 40\n").gpus[0].rows[0].cells[2], 40);
}

TEST(TraceReader, ReadsCsv) {
  const Trace trace = good(
      "timestamp, index, name, utilization.gpu [%], power.draw [W], clocks_event_reasons.active\n"
      "2026/07/14 08:12:53.353, 0, NVIDIA H100, 100 %, 631.95 W, 0x0000000000000004\n"
      "2026/07/14 08:12:53.853, 0, NVIDIA H100, [Not Supported], [N/A], N/A\n"
      "2026/07/14 08:12:54.353, 0, NVIDIA H1");
  ASSERT_EQ(trace.gpus.size(), 1U);
  ASSERT_EQ(trace.gpus[0].rows.size(), 2U) << "the line that was cut off is left out";
  EXPECT_EQ(trace.find("power.draw")->unit, "W");
  EXPECT_EQ(trace.gpus[0].rows[0].cells[4], 631.95);
  EXPECT_EQ(trace.gpus[0].rows[0].cells[5], 4);
  EXPECT_EQ(trace.gpus[0].rows[1].at_ns, kSecond / 2);
  EXPECT_EQ(trace.gpus[0].rows[1].cells[3], std::nullopt);
}

TEST(TraceReader, SaysWhereAFileIsWrong) {
  EXPECT_NE(bad("").find("trace: is empty"), std::string::npos);
  EXPECT_NE(bad("100 %, 630 W\n").find("trace:1:1: a row without a line of headings"), std::string::npos);
  EXPECT_NE(bad("hello\n").find("trace:1:1: 'hello' is no line of headings"), std::string::npos);
  EXPECT_NE(bad("utilization.gpu [%], power.draw [W]\n5 %\n").find("trace:2: 1 cells; 2 were expected"),
            std::string::npos);
  EXPECT_NE(
      bad("utilization.gpu [%], power.draw [W]\n5 %, many W\n").find("trace:2:6: power.draw: 'many W' is no number"),
      std::string::npos);
  EXPECT_NE(bad("timestamp, utilization.gpu\nnoon, 5\n").find("trace:2:1: 'noon' is no time"), std::string::npos);
  EXPECT_NE(bad("timestamp, utilization.gpu\n2026/07/14 08:12:53, 5\n2026/07/14 08:12:52, 5\n").find("trace:3:1:"),
            std::string::npos);
  EXPECT_NE(bad("# gpu sm\n# Idx %\n0 5\n# gpu mem\n").find("trace:4:1: other columns"), std::string::npos);
  EXPECT_NE(bad("# gpu sm\n").find("headings alone"), std::string::npos);
}

TEST(TraceReplay, MakesTheLoadsOfItsRows) {
  auto replay = TraceReplay::of(good(kDmon), kFirst, kSecond, {});
  ASSERT_TRUE(replay) << replay.error().text();
  EXPECT_EQ(replay->next_ns(), 0U);
  const SetLoad first = load_in(replay->take().at(0));
  EXPECT_EQ(first.sm_percent, 100U);
  EXPECT_EQ(first.power_mw, 631'000U);
  EXPECT_EQ(replay->next_ns(), kSecond);
  const SetLoad second = load_in(replay->take().at(0));
  EXPECT_EQ(second.sm_percent, 100U) << "what is not told is as it was";
  EXPECT_EQ(second.memory_percent, 11U);
  EXPECT_EQ(replay->next_ns(), 2 * kSecond);
  EXPECT_EQ(load_in(replay->take().at(0)).kind, LoadKind::idle);
  EXPECT_TRUE(replay->done());
}

TEST(TraceReplay, SaysWhatItCannotMake) {
  EXPECT_NE(bad_load("utilization.gpu [%]\n101 %\n").find("trace:2: utilization.gpu is 101"), std::string::npos);
  EXPECT_NE(bad_load("temperature.gpu, power.draw [W]\n50, 100 W\n").find("say it with --sm"), std::string::npos);
  EXPECT_NE(bad_load("# gpu sm\n# Idx %\n1 5\n2 5\n").find("no rows of GPU 0"), std::string::npos);
  const auto said =
      TraceReplay::of(good("temperature.gpu, power.draw [W]\n50, 100 W\n"), kFirst, kSecond, {.sm_percent = 45});
  EXPECT_TRUE(said);
}

}  // namespace
}  // namespace nvmlab::tool
