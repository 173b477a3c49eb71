// SPDX-License-Identifier: Apache-2.0
//
// Each Xid is one line of the machine's kernel log, if it is raised by the command, by a program in C++, by a scenario,
// or by a client of NVML or CUDA.
#include <algorithm>
#include <filesystem>

#include "control/machine.hpp"
#include "engine/topics/events/event_types.hpp"
#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

class KernelLogOfAMachine : public Cli {
 protected:
  void SetUp() override {
    good({"up", "node", "--profile", "dgx-h100", "--gpus", "1", "--kernel-log", log()});
    environment_["NVMLAB_MACHINE"] = "node";
    good({"set", "modes.persistence=disabled"});
  }
  std::string log() const { return file("kernel.log"); }
  std::string client(const std::string& name) const { return (binary_folder() / "tests" / name).string(); }
  Machine open_machine() const {
    auto machine = Machine::open(file("machines/node.store"));
    EXPECT_TRUE(machine) << machine.error();
    return std::move(*machine);
  }

  // Returns the lines that were added since the last call.
  std::string added() {
    const std::string whole = read_file(log()).value_or("no log");
    const std::string last = whole.substr(std::min(seen_, whole.size()));
    seen_ = whole.size();
    return last;
  }

 private:
  std::size_t seen_ = 0;
};

constexpr char kMmuFault[] =
    "NVRM: Xid (PCI:0000:53:00): 31, pid='<unknown>', name=<unknown>, Ch 00000008, intr 00000000. MMU Fault: ENGINE "
    "GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f00_00000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ\n";
constexpr char kRecovered[] =
    "NVRM: Xid (PCI:0000:53:00): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x1 (GPU Reset "
    "Required) to 0x0 (None)\n";

TEST_F(KernelLogOfAMachine, HasTheSameLineForAnXidThatAnybodyRaises) {
  good({"fault", "xid", "31"});
  EXPECT_EQ(added(), kMmuFault) << "nvmlab fault";
  good({"event", "xid", "31"});
  EXPECT_EQ(added(), kMmuFault) << "nvmlab event";
  EXPECT_TRUE(open_machine().raise(0, RaiseEvent{kXidEvent, 31, kNoInstance, kNoInstance, false}));
  EXPECT_EQ(added(), kMmuFault) << "Machine::raise()";
  write_file(file("xid.yaml"),
             "about: A program makes a mistake\nsource: Xid 31\nsteps:\n  - do: fault --gpu 0 xid 31\n");
  good({"play", "--machine", "node", file("xid.yaml")});
  EXPECT_EQ(added(), kMmuFault) << "a scenario";
  const Outcome kernel = nvmlab({"run", "--machine", "node", "--", client("cuda-probe"), "illegal"});
  EXPECT_THAT(kernel.out, HasSubstr("cuCtxSynchronize = 700")) << kernel.story();
  EXPECT_EQ(added(), kMmuFault) << "an illegal address in a kernel";
}

TEST_F(KernelLogOfAMachine, HasTheSameLineForAReset) {
  const auto ask_for_reset = [this] {
    good({"fault", "xid", "95"});
    added();
  };
  ask_for_reset();
  good({"reset"});
  EXPECT_EQ(added(), kRecovered) << "nvmlab reset";
  ask_for_reset();
  good({"run", "--machine", "node", "--role", "root", "--", client("reset-probe")});
  EXPECT_EQ(added(), kRecovered) << "NVML";
  ask_for_reset();
  EXPECT_TRUE(open_machine().apply(make_change(0, ResetGpu{})));
  EXPECT_EQ(added(), kRecovered) << "Machine::apply()";
  ask_for_reset();
  good({"driver", "reload"});
  EXPECT_EQ(added(), kRecovered) << "the driver is loaded again";
}

// A change is not undone because its line has nowhere to go.
TEST_F(KernelLogOfAMachine, ThatIsGoneStopsNoChange) {
  Machine machine = open_machine();
  std::filesystem::remove(log());
  std::filesystem::create_directory(log());
  control::EventReader events = machine.events();
  EXPECT_TRUE(machine.raise(0, RaiseEvent{kXidEvent, 31, kNoInstance, kNoInstance, false}));
  EXPECT_TRUE(events.next(std::chrono::minutes(1)));
}

}  // namespace
}  // namespace nvmlab::test
