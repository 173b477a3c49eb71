// SPDX-License-Identifier: Apache-2.0
//
// How callers ask for the length of a list: the size-query protocols by their letters, each function with each way of
// asking. A: too small gets INSUFFICIENT_SIZE and the count, (0, null) asks. B: like A, but null never asks. C: zero
// asks, with SUCCESS. D: zero asks, anything else is filled exactly. E: null asks, with SUCCESS; zero is wrong. F: null
// asks, with INSUFFICIENT_SIZE. G: null asks, with SUCCESS; the count is only told. H has no way to ask.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/drivers/functions/support/guarded.hpp"
#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

const Driver& driver() { return Driver::get(); }

// A function as a list that is asked for with a count and room for items.
struct Query {
  std::string name;
  char protocol;
  std::size_t item_size;
  unsigned items;
  std::function<int(unsigned* count, std::byte* items)> ask;
};

// What a way of asking gets: its code, and whether the count is told then.
struct Answer {
  int code;
  bool counts;
};

struct Protocol {
  char letter;
  Answer zero_and_null, zero_and_room, too_small, null_and_count;
};
constexpr Answer kTooFew{kInsufficientSize, true};
constexpr Answer kTold{kSuccess, true};
constexpr Answer kWrong{kInvalidArgument, false};
constexpr Protocol kProtocols[] = {
    {'A', kTooFew, kTooFew, kTooFew, {-1, false}},  // null with a count: wrong, or asks again
    {'B', kTooFew, kTooFew, kTooFew, kWrong},       {'C', kTold, kTold, kTooFew, kWrong},
    {'D', kTold, kTold, {kSuccess, false}, kWrong}, {'E', kTold, kWrong, {kSuccess, false}, kTold},
    {'F', kTooFew, kTooFew, kTooFew, kTooFew},
};

void expect(const Query& query, const std::string& way, Answer expected, unsigned offered, bool room) {
  GuardedPage page;
  std::byte* items = page.place(offered * query.item_size);
  unsigned count = offered;
  const int code = query.ask(&count, room ? items : nullptr);
  const std::string what = fmt::format("{} by protocol {}, {}", query.name, query.protocol, way);
  EXPECT_EQ(code, expected.code) << what;
  EXPECT_TRUE(!expected.counts || count == query.items) << what << ": " << count;
  const bool refused = code != kSuccess || offered == 0;
  // The lists of processes fill what there is room for.
  const bool partly = query.protocol == 'A' && query.name.find("Process") != std::string::npos;
  EXPECT_FALSE(refused && !partly && page.changed()) << what;
  EXPECT_FALSE(page.changed_outside(0, offered * query.item_size)) << what;
}

void expect_protocol(const Query& query) {
  ASSERT_GT(query.items, 1U) << query.name << " needs something to list";
  const Protocol* protocol = std::ranges::find(kProtocols, query.protocol, &Protocol::letter);
  ASSERT_NE(protocol, std::end(kProtocols));
  expect(query, "zero and null", protocol->zero_and_null, 0, false);
  expect(query, "zero and room", protocol->zero_and_room, 0, true);
  expect(query, "too small", protocol->too_small, query.items - 1, true);
  expect(query, "exact", {kSuccess, true}, query.items, true);
  if (query.protocol != 'D') expect(query, "larger", {kSuccess, true}, query.items + 3, true);
  if (protocol->null_and_count.code >= 0)
    expect(query, "null and a count", protocol->null_and_count, query.items, false);
  if (query.protocol == 'A') {
    unsigned count = query.items;
    const int code = query.ask(&count, nullptr);
    EXPECT_TRUE(code == kInvalidArgument || code == kInsufficientSize) << query.name << ": null and a count: " << code;
  }
}

class Protocols : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(driver().init(), kSuccess);
    gpu = driver().device(0);
  }
  void TearDown() override { EXPECT_EQ(driver().shutdown(), kSuccess); }

  Query plain(const std::string& name, char protocol, std::size_t item_size, unsigned items) const {
    return {name, protocol, item_size, items,
            [=, this](unsigned* count, std::byte* room) { return driver().call(name, gpu, count, room); }};
  }

  SharedMachine machine{(source_folder() / "tests/drivers/functions/data/every-counter.yaml").string()};
  Word gpu = 0;
};

TEST_F(Protocols, ListsBehindACountAndAPointer) {
  machine.change_gpu(0, [](Gpu& state) {
    for (auto& process : {&state.processes.running[0], &state.processes.running[1]})
      process->kinds.set(7);
    auto& captures = state.utilization.fbc_sessions;
    captures[captures.count++].id.set(4);
  });
  std::vector<Query> queries;
  for (const char* kind : {"Compute", "Graphics", "MPSCompute"}) {
    for (const auto& [version, size] : {std::pair{"", 16U}, std::pair{"_v2", 24U}, std::pair{"_v3", 24U}})
      queries.push_back(plain(fmt::format("nvmlDeviceGet{}RunningProcesses{}", kind, version), 'A', size, 2));
  }
  queries.push_back(plain("nvmlDeviceGetAccountingPids", 'A', 4, 3));
  queries.push_back(plain("nvmlDeviceGetEncoderSessions", 'C', 32, 2));
  queries.push_back(plain("nvmlDeviceGetFBCSessions", 'C', 48, 2));
  queries.push_back(plain("nvmlDeviceGetSupportedMemoryClocks", 'A', 4, machine.gpu(0).clocks.supported.size()));
  for (const Query& query : queries)
    expect_protocol(query);
}

TEST_F(Protocols, ListsOfSomethingThatIsChosen) {
  const Word other = gpu;
  expect_protocol({"nvmlDeviceGetRetiredPages", 'A', 8, 2, [=](unsigned* count, std::byte* room) {
                     return driver().call("nvmlDeviceGetRetiredPages", other, 0, count, room);
                   }});
  expect_protocol({"nvmlDeviceGetRetiredPages_v2", 'A', 8, 2, [=](unsigned* count, std::byte* room) {
                     unsigned long long times[8] = {};
                     return driver().call("nvmlDeviceGetRetiredPages_v2", other, 0, count, room,
                                          room == nullptr ? nullptr : times);
                   }});
  const auto clocks = machine.gpu(0).clocks.supported[0];
  expect_protocol({"nvmlDeviceGetSupportedGraphicsClocks", 'B', 4, clocks.graphics_mhz.size(),
                   [other, mhz = clocks.memory_mhz.value](unsigned* count, std::byte* room) {
                     return driver().call("nvmlDeviceGetSupportedGraphicsClocks", other, mhz, count, room);
                   }});
  expect_protocol({"nvmlDeviceGetSamples", 'E', 16, 120, [=](unsigned* count, std::byte* room) {
                     unsigned type = 0;
                     return driver().call("nvmlDeviceGetSamples", other, 0, 0, &type, count, room);
                   }});
  expect_protocol({"nvmlDeviceGetProcessUtilization", 'F', 32, 2, [=](unsigned* count, std::byte* room) {
                     return driver().call("nvmlDeviceGetProcessUtilization", other, room, count, 0);
                   }});
}

struct ProcessDetails {  // nvmlProcessDetailList_t
  unsigned version = sizeof(ProcessDetails) | 1U << 24;
  unsigned mode = 3;
  unsigned count = 0;
  std::byte* items = nullptr;
};
struct ProcessesUse {  // nvmlProcessesUtilizationInfo_t
  unsigned version = sizeof(ProcessesUse) | 1U << 24;
  unsigned count = 0;
  unsigned long long seen = 0;
  std::byte* items = nullptr;
};

TEST_F(Protocols, ListsWithinStructs) {
  const Word other = gpu;
  expect_protocol({"nvmlDeviceGetRunningProcessDetailList", 'A', 32, 2, [=](unsigned* count, std::byte* room) {
                     ProcessDetails list;
                     list.count = *count;
                     list.items = room;
                     const int code = driver().call("nvmlDeviceGetRunningProcessDetailList", other, &list);
                     *count = list.count;
                     return code;
                   }});
  expect_protocol({"nvmlDeviceGetProcessesUtilizationInfo", 'F', 40, 2, [=](unsigned* count, std::byte* room) {
                     ProcessesUse list;
                     list.count = *count;
                     list.items = room;
                     const int code = driver().call("nvmlDeviceGetProcessesUtilizationInfo", other, &list);
                     *count = list.count;
                     return code;
                   }});
  ProcessDetails list;
  list.mode = 0;
  EXPECT_EQ(driver().call("nvmlDeviceGetRunningProcessDetailList", gpu, &list), kInsufficientSize);
  EXPECT_EQ(list.count, 1U) << "one of the two computes";
  list.mode = 4;
  EXPECT_EQ(driver().call("nvmlDeviceGetRunningProcessDetailList", gpu, &list), kInvalidArgument);
}

TEST(ProtocolsOfMachines, NearestGpusByD) {
  const SharedMachine machine("dgx-a100");
  ASSERT_EQ(driver().init(), kSuccess);
  const Word gpu = driver().device(0);
  for (const unsigned level : {0U, 10U, 20U, 30U, 40U, 50U}) {
    unsigned items = 0;
    ASSERT_EQ(driver().call("nvmlDeviceGetTopologyNearestGpus", gpu, level, &items, nullptr), kSuccess);
    if (items < 2) continue;
    const auto ask = [=](unsigned* count, std::byte* room) {
      return driver().call("nvmlDeviceGetTopologyNearestGpus", gpu, level, count, room);
    };
    expect_protocol({"nvmlDeviceGetTopologyNearestGpus", 'D', sizeof(Word), items, ask});
  }
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

// The count is told and never read: room for all placements is the caller's to have.
TEST(ProtocolsOfMachines, PossiblePlacementsByG) {
  const SharedMachine machine("dgx-a100");
  ASSERT_EQ(driver().init(), kSuccess);
  for (const char* version : {"", "_v2"}) {
    const std::string name = std::string("nvmlDeviceGetGpuInstancePossiblePlacements") + version;
    for (const unsigned stated : {0U, 1U, 1000U}) {
      unsigned count = stated;
      ASSERT_EQ(driver().call(name, driver().device(0), 19, nullptr, &count), kSuccess) << name;
      EXPECT_EQ(count, 7U) << "a slice fits in seven places";
      GuardedPage page;
      std::byte* room = page.place(7 * 8);
      count = stated;
      EXPECT_EQ(driver().call(name, driver().device(0), 19, room, &count), kSuccess) << name;
      EXPECT_EQ(count, 7U);
      EXPECT_TRUE(page.changed());
    }
  }
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

// Without MIG there is nothing to list, and no way to ask for its length.
TEST(ProtocolsOfMachines, InstancesByHNeedMig) {
  const SharedMachine machine("dgx-a100");
  ASSERT_EQ(driver().init(), kSuccess);
  Word instances[8] = {};
  unsigned count = 8;
  EXPECT_EQ(driver().call("nvmlDeviceGetGpuInstances", driver().device(0), 19, nullptr, &count), kInvalidArgument);
  EXPECT_NE(driver().call("nvmlDeviceGetGpuInstances", driver().device(0), 19, instances, &count), kSuccess);
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

}  // namespace
}  // namespace nvmlab::driver_test
