// SPDX-License-Identifier: Apache-2.0
// nvmlab::Machine, as a program uses it.
#include "control/machine.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "engine/topics/events/event_types.hpp"
#include "tests/support/waiting.hpp"
#include "tests/unit/control/machine.hpp"

namespace nvmlab {
namespace {

using namespace std::chrono_literals;

class MachineInCpp : public testing::Test {
 protected:
  std::string path() const { return folder_.file("node.store"); }
  Machine up() const {
    auto machine = Machine::create(path(), test::two_gpus(), {.clock = test::OneMachine::kBeginning});
    EXPECT_TRUE(machine) << machine.error();
    return std::move(*machine);
  }

 private:
  test::Folder folder_;
};

TEST_F(MachineInCpp, ComesUpFromAProfileAndGoesDown) {
  auto machine = Machine::create(path(), {.profile = "g4dn-xlarge"});
  ASSERT_TRUE(machine) << machine.error().front();
  EXPECT_EQ(machine->gpu_count(), 1u);
  EXPECT_EQ(machine->path(), path());
  EXPECT_EQ(machine->get("identity.name"), "Tesla T4");
  EXPECT_FALSE(Machine::create(path(), {.profile = "g4dn-xlarge"})) << "it is up";
  auto opened = Machine::open(path());
  ASSERT_TRUE(opened) << opened.error();
  EXPECT_TRUE(machine->take_down());
  EXPECT_FALSE(opened->is_up());
  EXPECT_FALSE(opened->take_down()) << "once is enough";
  EXPECT_EQ(opened->get("identity.name"), "Tesla T4") << "what is mapped can be read";
  EXPECT_FALSE(opened->set("thermal.gpu_c", "50"));
  EXPECT_FALSE(Machine::open(path()));
}

TEST_F(MachineInCpp, WhatCannotComeUpIsSaid) {
  const auto unknown = Machine::create(path(), {.profile = "dgx-h10"});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().front().find("did you mean 'dgx-h100'?"), std::string::npos) << unknown.error().front();
  EXPECT_NE(Machine::create("a name", test::two_gpus()).error().find("cannot be the name"), std::string::npos);
  EXPECT_NE(Machine::create(path() + "/no/x.store", test::two_gpus()).error(), "");
}

TEST_F(MachineInCpp, FieldsByTheirNames) {
  Machine machine = up();
  EXPECT_TRUE(machine.set("power.limit_mw", "300 W", 1));
  EXPECT_EQ(machine.get("power.limit_mw", 1), "300000");
  EXPECT_EQ(machine.get("power.enforced_limit_mw", 1), "300000") << "what follows";
  EXPECT_EQ(machine.get("power.limit_mw", 0), "700000");
  EXPECT_TRUE(machine.set("system.driver_version", "550.163.01"));
  EXPECT_EQ(machine.get("system.driver_version"), "550.163.01");
  EXPECT_TRUE(machine.set("thermal.gpu_c", "91", 0, control::Force::yes));
  EXPECT_TRUE(machine.set("thermal.gpu_c", "40", 0));
  EXPECT_EQ(machine.get("thermal.gpu_c"), "91");
  EXPECT_TRUE(machine.release("thermal.gpu_c"));
  EXPECT_EQ(machine.get("thermal.gpu_c"), "40");
  EXPECT_NE(machine.get("power.limt_mw").error().find("limit_mw"), std::string::npos);
  EXPECT_EQ(machine.get("power.limit_mw", 2).error(), "there is no GPU 2: the machine has 2, counted from 0");
  EXPECT_FALSE(machine.set("power.limit_mw", "much"));
  EXPECT_FALSE(machine.release("thermal.gpu_c")) << "it is not pinned";
}

TEST_F(MachineInCpp, ChangesAreMadeTogetherOrNotAtAll) {
  Machine machine = up();
  const Change changes[] = {make_change(0, SetPowerLimit{PowerScope::gpu, 300'000}),
                            make_change(1, SetPowerLimit{PowerScope::gpu, 1})};
  const auto made = machine.apply(changes);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, kInvalidArgument);
  EXPECT_EQ(made.error().change, 1u);
  EXPECT_NE(made.error().text.find("GPU 1: "), std::string::npos) << made.error().text;
  EXPECT_EQ(machine.get("power.limit_mw", 0), "700000");
}

TEST_F(MachineInCpp, ItsClock) {
  Machine machine = up();
  EXPECT_EQ(machine.clock().now_ns, kVirtualBeginning);
  EXPECT_TRUE(machine.advance(1h));
  EXPECT_EQ(machine.clock().now_ns, kVirtualBeginning + 3'600'000'000'000);
  EXPECT_EQ(machine.advance(-1s).error().code, kInvalidArgument);
  EXPECT_TRUE(machine.set_clock(ClockMode::frozen));
  EXPECT_EQ(machine.advance(1s).error().code, kInvalidState);
  EXPECT_TRUE(machine.resume_clock());
  EXPECT_TRUE(machine.set_clock(ClockMode::scaled, 60 * kRealRate));
  EXPECT_EQ(machine.set_clock(ClockMode::scaled, 0).error().code, kInvalidArgument);
}

TEST_F(MachineInCpp, EventsAndProcesses) {
  Machine machine = up();
  auto reader = machine.events();
  EXPECT_FALSE(reader.next(1ms)) << "none yet";
  std::jthread raiser([&machine] { EXPECT_TRUE(machine.raise(1, {kXidEvent, 79, kNoInstance, kNoInstance, false})); });
  const auto event = reader.next(test::kDeadline);
  ASSERT_TRUE(event);
  EXPECT_EQ(event->gpu, 1u);
  EXPECT_EQ(event->data, 79u);
  EXPECT_EQ(event->at_ns, kVirtualBeginning);
  raiser.join();

  const StartProcess process{.pid = 2147483647,
                             .kinds = 1,
                             .used_bytes = 1 << 30,
                             .start_ticks = 0,
                             .pid_namespace = 0,
                             .gpu_instance = kNoInstance,
                             .compute_instance = kNoInstance,
                             .sm_percent = 0,
                             .memory_percent = 0,
                             .name = "train"};
  EXPECT_TRUE(machine.start_process(0, process));
  EXPECT_EQ(machine.start_process(0, process).error().code, kInUse);
  EXPECT_EQ(machine.get("processes.running[0].pid"), "2147483647");
  EXPECT_TRUE(machine.end_process(0, process.pid));
  EXPECT_EQ(machine.end_process(0, process.pid).error().code, kNotFound);
}

TEST_F(MachineInCpp, WaitsForWhateverSomebodyDoes) {
  Machine machine = up();
  EXPECT_FALSE(machine.wait_until([] { return false; }, 1ms));
  std::jthread other([this] {
    auto same = Machine::open(path());
    ASSERT_TRUE(same) << same.error();
    EXPECT_TRUE(same->set("thermal.gpu_c", "91", 1));
  });
  EXPECT_TRUE(machine.wait_until([&machine] { return machine.get("thermal.gpu_c", 1) == "91"; }, test::kDeadline));
  other.join();
  std::jthread end([&machine] { EXPECT_TRUE(machine.take_down()); });
  EXPECT_FALSE(machine.wait_until([] { return false; }, test::kDeadline)) << "it was taken down";
}

TEST_F(MachineInCpp, SnapshotsAndTheLog) {
  Machine machine = up();
  const auto before = machine.snapshot();
  ASSERT_TRUE(before);
  EXPECT_TRUE(machine.set("thermal.gpu_c", "91", 1));
  const auto found = machine.diff(*before);
  ASSERT_TRUE(found);
  ASSERT_FALSE(found->empty());
  EXPECT_EQ(found->front().what, "thermal.gpu_c");
  EXPECT_EQ(found->front().gpu, 1u);
  EXPECT_TRUE(machine.restore(*before));
  EXPECT_TRUE(machine.diff(*before)->empty());
  auto log = machine.log();
  const auto entries = log.read();
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(entries.front().number, 0u);
  EXPECT_EQ(entries.back().number, 2u);
  EXPECT_TRUE(log.read().empty()) << "nothing new";
  EXPECT_EQ(log.fell_out(), 0u);
}

// Threads that change, read, wait, save and bring back at once, on one Machine and on another of the same file.
TEST_F(MachineInCpp, IsForAllThreads) {
  Machine machine = up();
  const auto before = machine.snapshot();
  ASSERT_TRUE(before);
  std::atomic<bool> done = false;
  std::atomic<int> failures = 0;
  const auto check = [&failures](bool good) { failures += good ? 0 : 1; };
  {
    std::jthread reader([&] {
      while (!done)
        check(machine.get("thermal.gpu_c", 0).has_value() && machine.get("power.limit_mw", 1).has_value());
    });
    std::jthread waiter([&] { check(machine.wait_until([&done] { return done.load(); }, test::kDeadline)); });
    std::jthread saver([&] {
      while (!done) {
        check(machine.snapshot().has_value());
        int looks = 0;
        machine.wait_until([&] { return done || ++looks > 1; }, test::kDeadline);  // locks are not fair
      }
    });
    std::vector<std::jthread> writers;
    for (std::uint32_t gpu = 0; gpu < 2; ++gpu) {
      writers.emplace_back([&, gpu] {
        auto own = Machine::open(path());
        for (int i = 0; own && i < 50; ++i) {
          check(machine.set("thermal.gpu_c", std::to_string(40 + i % 50), gpu).has_value());
          check(own->restore(*before).has_value());
          check(own->advance(1ms).has_value());
        }
        check(own.has_value());
      });
    }
    writers.clear();
    done = true;
    check(machine.advance(1ms).has_value());  // wakes the waiter
  }
  EXPECT_EQ(failures, 0);
  EXPECT_TRUE(machine.restore(*before));
  EXPECT_TRUE(machine.diff(*before)->empty());
}

}  // namespace
}  // namespace nvmlab
