// SPDX-License-Identifier: Apache-2.0
// What the nvmlab command does, as a C++ program does it: processes, vGPUs, faults, the driver, temporary machines.
#include <gtest/gtest.h>

#include "control/driver.hpp"
#include "control/faults.hpp"
#include "control/processes.hpp"
#include "control/selection.hpp"
#include "control/status.hpp"
#include "control/temporary_machine.hpp"
#include "control/vgpus.hpp"
#include "control/view.hpp"
#include "engine/topics/events/event_types.hpp"
#include "engine/topics/processes/process_kinds.hpp"
#include "tests/unit/control/machine.hpp"

namespace nvmlab::control {
namespace {

using Gpus = std::vector<std::uint32_t>;

class ControlSubjects : public testing::Test {
 protected:
  Machine& machine() { return *machine_; }

 private:
  test::Folder folder_;
  std::expected<Machine, std::string> machine_ =
      Machine::create(folder_.file("node.store"), test::two_gpus(), {.clock = test::OneMachine::kBeginning});
};

TEST_F(ControlSubjects, SelectsGpusByWhatTheViewShows) {
  const MachineView view = view_of(machine());
  ASSERT_EQ(view.gpus.size(), 2u);
  EXPECT_EQ(view.gpu_count, 2u);
  EXPECT_EQ(select_gpus(machine(), uuid_of(view.gpus[1])), Gpus({1}));
  EXPECT_EQ(select_gpus(machine(), "all"), Gpus({0, 1}));
  EXPECT_FALSE(select_gpus(machine(), "2"));
}

TEST_F(ControlSubjects, SetsSeveralFieldsOrNone) {
  const auto assignment = [](const char* field, const char* value) {
    return Assignment{.ref = *compiler::find_field(field), .value = value};
  };
  EXPECT_EQ(machine().set({assignment("thermal.gpu_c", "50"), assignment("power.draw_mw", "much")}, {0, 1}).size(), 1u);
  EXPECT_NE(machine().get("thermal.gpu_c", 1), "50");
  EXPECT_TRUE(machine().set({assignment("thermal.gpu_c", "50")}, {0, 1}, Force::yes).empty());
  EXPECT_EQ(machine().get("thermal.gpu_c", 1), "50");
  EXPECT_EQ(status_of(machine()).pins, 2u);
  EXPECT_TRUE(machine().release({}, {0, 1}).empty());
  EXPECT_EQ(status_of(machine()).pins, 0u);
}

TEST_F(ControlSubjects, StartsAndEndsAProcess) {
  StartProcess process = find_process(0x7000'0001, "train");
  process.kinds = kComputeProcess;
  ASSERT_TRUE(start_process(machine(), Gpus{0, 1}, process, 0x7000'0001));
  const auto again = start_process(machine(), Gpus{1}, process, 0x7000'0001);
  EXPECT_EQ(again.error(), "GPU 1: a process 1879048193 runs there already");
  const auto running = running_processes(machine(), Gpus{0, 1});
  ASSERT_EQ(running.size(), 2u);
  EXPECT_EQ(running[1].gpu, 1u);
  EXPECT_EQ(running[1].pid.pid, 0x7000'0001u);
  EXPECT_STREQ(running[1].process.name.data, "train");
  EXPECT_EQ(driver_users(machine()).front(), "GPU 0 runs 1 processes");
  EXPECT_TRUE(end_process(machine(), Gpus{0, 1}, 0x7000'0001));
  EXPECT_EQ(end_process(machine(), Gpus{0}, 0x7000'0001).error(), "no process 1879048193 runs on these GPUs");
}

TEST(ControlVgpus, AreCreatedAndEnded) {
  const test::Folder folder;
  auto machine = Machine::create(folder.file("node.store"), {.profile = "dgx-a100", .compile = {.gpus = 2}});
  ASSERT_TRUE(machine) << machine.error().front();
  EXPECT_TRUE(offered_types(*machine, 0).empty());
  EXPECT_FALSE(find_type(*machine, 0, "8C")) << "it is no host yet";
  ASSERT_TRUE(host_vgpus(*machine, Gpus{0, 1}, true));
  EXPECT_FALSE(offered_types(*machine, 0).empty());
  const auto type = find_type(*machine, 0, "8C");
  ASSERT_TRUE(type) << type.error();
  CreateVgpu vgpu{};
  vgpu.gpu = 0;
  vgpu.type = type->id;
  vgpu.placement = kAnyPlacement;
  const auto ids = create_vgpus(*machine, std::span(&vgpu, 1));
  ASSERT_TRUE(ids) << ids.error();
  ASSERT_EQ(ids->size(), 1u);
  const auto running = running_vgpus(*machine, Gpus{0});
  ASSERT_EQ(running.size(), 1u);
  EXPECT_EQ(running.front().id.value_or(0), ids->front());
  EXPECT_EQ(type_name(*machine, running.front()), type->name);
  EXPECT_TRUE(end_vgpus(*machine, *ids));
  EXPECT_TRUE(running_vgpus(*machine, Gpus{0, 1}).empty());
}

TEST_F(ControlSubjects, ListsFaults) {
  EXPECT_TRUE(machine().has_gpu(1));
  EXPECT_TRUE(machine().apply(make_change(1, InjectFault{FaultKind::lost, 0, kNoInstance, kNoInstance, 1})));
  const auto faults = gpu_faults(machine());
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults.front().gpu, 1u);
  EXPECT_TRUE(function_faults(machine()).empty());
  EXPECT_TRUE(machine().apply(make_change(MachinePart::driver, FailInit{18})));
  EXPECT_EQ(init_fault(machine()), 18u);
  EXPECT_EQ(driver_state(machine()).init_answer, 18u);
  EXPECT_TRUE(matches_function("nvmlDeviceGet*", "nvmlDeviceGetName"));
}

TEST_F(ControlSubjects, WithoutCountingAReaderLeavesTheMachineAsItIs) {
  EventReader counting = machine().events();
  EventReader silent = counting.without_counting();
  const RaiseEvent event{kXidEvent, 79, kNoInstance, kNoInstance, false};
  for (std::uint32_t i = 0; i <= EventRing::kCapacity; ++i)
    ASSERT_TRUE(machine().raise(0, event));
  ASSERT_TRUE(silent.take());
  EXPECT_EQ(silent.lost(), 1u);
  EXPECT_EQ(status_of(machine()).events_lost, 0u);
  ASSERT_TRUE(counting.take());
  EXPECT_EQ(status_of(machine()).events_lost, 1u);
}

TEST_F(ControlSubjects, AChangeIsCounted) {
  const std::uint32_t before = machine().changes();
  machine().wait_for_change(before, std::chrono::nanoseconds(1));
  EXPECT_TRUE(machine().set("thermal.gpu_c", "50"));
  EXPECT_NE(machine().changes(), before);
  machine().wait_for_change(before, std::chrono::hours(1));  // returns at once
}

TEST(TemporaryMachines, GoDownOnce) {
  const test::Folder folder;
  auto own = TemporaryMachine::bring_up(folder.file("own.store"), test::two_gpus(), {});
  ASSERT_TRUE(own) << own.error().front();
  EXPECT_TRUE(Machine::open(own->name()));
  EXPECT_TRUE(own->take_down());
  EXPECT_FALSE(Machine::open(own->name()));
  EXPECT_TRUE(own->take_down()) << "it is down";
}

}  // namespace
}  // namespace nvmlab::control
