// SPDX-License-Identifier: Apache-2.0
//
// What a writer leaves that is killed after each 397th instruction of apply(), for each kind of change that there is:
// each GPU is as before or as after the change, the next writer gets on, and neither events nor the log have a gap. The
// writer is a child whose processor traps after each instruction; its machine lies in memory that both have mapped, so
// what it would leave is what is there. It is copied to a second machine, and looked at there. Once for each kind the
// writer is killed indeed. A trap is dear, so there are no more than needed: the child counts them by itself, none
// switches to another process, and the one that is killed runs at full speed to where it dies.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <string>
#include <vector>

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "compiler/compile.hpp"
#include "engine/machine/change.hpp"
#include "engine/machine/store_file.hpp"
#include "engine/topics/events/event_types.hpp"
#include "engine/topics/processes/process_kinds.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::changes_test {
namespace {

// Of the machine that changes are tried on: 0 runs process 4242 and has a pin, 1 drains and is cut by MIG (3g with a
// compute instance, 2g without) and lends out vGPUs, 2 was removed.
constexpr std::uint32_t kGpus = 3;
constexpr std::uint32_t kCut = 1;
constexpr std::uint32_t kLimit = offsetof(Gpu, power.limit_mw);

Fact<std::uint32_t> number(std::uint32_t value) {
  Fact<std::uint32_t> fact{};
  fact.set(value);
  return fact;
}

template <class Body>
Body with_number(Body body, std::uint32_t value) {
  const Fact<std::uint32_t> fact = number(value);
  if constexpr (requires { body.bytes; }) std::memcpy(body.bytes, &fact, sizeof fact);
  if constexpr (requires { body.value[1]; }) std::memcpy(body.value, &fact, sizeof fact);
  return body;
}

// Arguments that the machine takes; of kinds that are not listed, zeros, which it may refuse.
template <class Body>
Body sample() {
  return Body{};
}
template <>
WriteSetting sample() {
  return {offsetof(Gpu, modes.compute_mode), 1, 3};
}
template <>
ClearCounter sample() {
  return {offsetof(Gpu, pci.replays), 0};
}
template <>
PutBytes sample() {
  return with_number(PutBytes{offsetof(Gpu, thermal.gpu_c), 8, {}}, 77);
}
template <>
PinField sample() {
  return with_number(PinField{offsetof(Gpu, thermal.gpu_c), 8, {}}, 77);
}
template <>
ReleaseField sample() {
  return {kLimit};
}
template <>
SetPowerLimit sample() {
  return {PowerScope::gpu, 300'000};
}
template <>
LockGraphicsClocks sample() {
  return {600, 1200};
}
template <>
LockMemoryClocks sample() {
  return {1500, 2619};
}
template <>
RaiseEvent sample() {
  return {kXidEvent, 79, kNoInstance, kNoInstance, false};
}
template <>
InjectFault sample() {
  return {FaultKind::lost, 0, kNoInstance, kNoInstance, 1};
}
template <>
HealFault sample() {
  return {true, FaultKind::xid, HealFault::kAnyNumber};
}
template <>
StartProcess sample() {
  StartProcess process{};
  process.pid = 5151;
  process.kinds = kComputeProcess;
  process.used_bytes = 1 << 30;
  process.gpu_instance = process.compute_instance = kNoInstance;
  return process;
}
template <>
EndProcess sample() {
  return {4242};
}
template <>
CreateGpuInstance sample() {
  return {19, kAnyStart, 0};
}
template <>
DestroyGpuInstance sample() {
  return {3, kAnySerial};
}
template <>
CreateComputeInstance sample() {
  return {3, kAnySerial, 1, kAnyStart};
}
template <>
DestroyComputeInstance sample() {
  return {2, 0, kAnySerial};
}
template <>
CreateVgpu sample() {
  CreateVgpu vgpu{};
  vgpu.gpu = kCut;
  vgpu.type = 1133;  // it lives in a 2g
  vgpu.placement = kAnyPlacement;
  vgpu.vm_id_type = 1;
  return vgpu;
}
template <>
RestorePin sample() {
  Pin pin{offsetof(Gpu, thermal.gpu_c), 8, {}, {}};
  const Fact<std::uint32_t> fact = number(77);
  std::memcpy(pin.value, &fact, sizeof fact);
  return {pin};
}
template <>
RestoreBytes sample() {
  return with_number(RestoreBytes{offsetof(Gpu, thermal.gpu_c), 8, {}}, 77);
}
template <>
UnloadDriver sample() {
  return {1};
}
template <>
AdvanceMachineClock sample() {
  return {1'000'000'000};
}

template <>
FailFunction sample() {
  FailFunction fail{};
  fail.fault.gpu = kAnyGpu;
  fail.fault.code = kGpuIsLost;
  fail.fault.every = 1;
  fail.fault.chance = kCertain;
  std::strcpy(fail.fault.function, "nvmlInit");
  return fail;
}

template <class Body>
constexpr bool kOfMig = std::is_same_v<Body, CreateGpuInstance> || std::is_same_v<Body, DestroyGpuInstance> ||
                        std::is_same_v<Body, CreateComputeInstance> || std::is_same_v<Body, DestroyComputeInstance>;

template <class Body>
constexpr std::uint32_t target_of() {
  if (kOfMig<Body>) return kCut;
  return std::is_same_v<Body, RemoveGpu> ? 1 : std::is_same_v<Body, ReturnGpu> ? 2 : 0;
}

struct Sample {
  std::string kind;
  Change change;
};
template <class... Bodies>
void list(std::vector<Sample>& all, const char* target, ChangeList<Bodies...>) {
  std::uint32_t kind = 0;
  const auto add = [&](const Change& change) {
    all.push_back({std::string(target) + " " + std::to_string(kind++), change});
  };
  if (std::string_view(target) == "GPU")
    (add(make_change<ChangeList<Bodies...>>(target_of<Bodies>(), sample<Bodies>())), ...);
  if (std::string_view(target) == "clock")
    (add(make_change<ChangeList<Bodies...>>(kMachineClock, sample<Bodies>())), ...);
  if (std::string_view(target) == "driver")
    (add(make_change<ChangeList<Bodies...>>(kKernelDriver, sample<Bodies>())), ...);
  if (std::string_view(target) == "functions")
    (add(make_change<ChangeList<Bodies...>>(kFunctions, sample<Bodies>())), ...);
  if (std::string_view(target) == "vgpu") (add(make_change<ChangeList<Bodies...>>(kVgpuHost, sample<Bodies>())), ...);
}
std::vector<Sample> samples() {
  std::vector<Sample> all;
  list(all, "GPU", GpuChanges{});
  list(all, "clock", ClockChanges{});
  list(all, "driver", DriverChanges{});
  list(all, "functions", FunctionChanges{});
  list(all, "vgpu", VgpuChanges{});
  all.push_back({"a GPU that is cut is reset", gpu_change(kCut, ResetGpu{})});
  all.push_back({"node", node_change(with_number(PutBytes{0, 8, {}}, 5))});
  return all;
}

class KilledWriter : public testing::Test {
 protected:
  void SetUp() override {
    const auto machine = compiler::compile("dgx-h100");
    ASSERT_TRUE(machine);
    Image image;
    ASSERT_EQ(open_image(machine->image.data(), machine->image.size(), &image), ImageError::none);
    ClockBeginning clock;
    clock.mode = ClockMode::virtual_time;
    for (AttachedStore* each : {&written_, &left_}) {
      const std::string path = (folder_.path() / (each == &left_ ? "left.store" : "written.store")).string();
      ASSERT_FALSE(create_store(path.c_str(), image, kGpus, "killed", {}, clock));
      ASSERT_FALSE(attach_store(path.c_str(), each));
    }
    for (const std::uint32_t gpu : {0u, 1u, 2u})
      ASSERT_EQ(make(gpu_change(gpu, with_number(PutBytes{offsetof(Gpu, modes.persistence), 8, {}}, 0))), kSuccess);
    StartProcess process = sample<StartProcess>();
    process.pid = 4242;
    ASSERT_EQ(make(gpu_change(0, process)), kSuccess);
    ASSERT_EQ(make(gpu_change(0, with_number(PinField{kLimit, 8, {}}, 350'000))), kSuccess);
    ASSERT_EQ(make(gpu_change(0, InjectFault{FaultKind::row_remap, 0, kNoInstance, kNoInstance, 1})), kSuccess);
    for (const std::uint32_t gpu : {1u, 2u})
      ASSERT_EQ(make(gpu_change(gpu, SetDrain{1})), kSuccess);
    ASSERT_EQ(make(gpu_change(2, RemoveGpu{})), kSuccess);
    ASSERT_EQ(make(gpu_change(kCut, SetMigMode{1})), kSuccess);
    for (const std::uint32_t profile : {9u, 14u})
      ASSERT_EQ(make(gpu_change(kCut, CreateGpuInstance{profile, kAnyStart, 0})), kSuccess);
    ASSERT_EQ(make(gpu_change(kCut, CreateComputeInstance{2, kAnySerial, 2, kAnyStart})), kSuccess);
    ASSERT_EQ(make(gpu_change(kCut, HostVgpus{1})), kSuccess);
    const auto* bytes = reinterpret_cast<const std::byte*>(written_.store);
    beginning_.assign(bytes, bytes + written_.size);
  }
  void TearDown() override {
    detach_store(&written_);
    detach_store(&left_);
  }

  static Code make(AttachedStore& on, const Change& change) {
    MachineAccess machine{*on.store, on.file, true};
    return apply(machine, change);
  }
  Code make(const Change& change) { return make(written_, change); }
  static void copy(const AttachedStore& to, const void* from) { std::memcpy(to.store, from, to.size); }

  // What anybody can see of a GPU.
  using Seen = std::vector<std::byte>;
  static Seen seen(const Store& store, std::uint32_t index) {
    const GpuSlot& slot = store.gpus()[index];
    const auto* bytes = reinterpret_cast<const std::byte*>(&slot.copies[slot.sequence & 1]);
    return {bytes, bytes + sizeof(Gpu)};
  }
  static std::vector<Seen> all_seen(const Store& store) {
    std::vector<Seen> all;
    for (std::uint32_t i = 0; i < kGpus; ++i)
      all.push_back(seen(store, i));
    return all;
  }

  // A child makes the change, and stands still after each so many instructions, where it is looked at. Where it stood.
  template <class Look>
  std::vector<std::uintptr_t> step(const Change& change, const Look& look) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // one that stands still would outlive a test that is broken off
      stand_still_at_each_stride();
      make(change);
      count_instructions(false);
      ::_exit(0);
    }
    std::vector<std::uintptr_t> stops;
    for (int status = 0; ::waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status);) {
      stops.push_back(*stopped_at_);
      ::kill(child, look(stops.size() * kStride) ? SIGCONT : SIGKILL);
    }
    return stops;
  }

  // Another one is killed where it comes to this instruction. False: it could not be traced.
  bool kill_at(const Change& change, std::uintptr_t instruction) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(9);
      ::raise(SIGSTOP);
      make(change);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) return false;
    constexpr long breakpoint = 0xCC;
    auto* const at = reinterpret_cast<void*>(instruction);
    const long code = ::ptrace(PTRACE_PEEKTEXT, child, at, nullptr);
    ::ptrace(PTRACE_POKETEXT, child, at, (code & ~0xFFL) | breakpoint);
    ::ptrace(PTRACE_CONT, child, nullptr, nullptr);
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP) << "it did not come there";
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return true;
  }

  // `left` is what the next writer finds.
  static void expect_sound(AttachedStore& left, const std::vector<Seen>& before, const std::vector<Seen>& after) {
    const auto expect_whole = [&](const char* when) {
      for (std::uint32_t i = 0; i < kGpus; ++i) {
        const Seen now = seen(*left.store, i);
        EXPECT_TRUE(now == before[i] || now == after[i])
            << when << ", GPU " << i << " is neither as before nor as after";
      }
    };
    expect_whole("at once");
    EXPECT_EQ(make(left, driver_change(FailInit{0})), kSuccess) << "the next writer";
    expect_whole("when the next writer was there");
    const DriverPhase driver = driver_phase(*left.store);
    EXPECT_TRUE(driver == DriverPhase::loaded || driver == DriverPhase::unloaded);
    const FunctionFaultTable& functions = left.store->functions;
    EXPECT_EQ(functions_have_faults(*left.store), !functions.copies[functions.sequence & 1].none());
    const Node& node = left.store->node.copies[left.store->node.sequence & 1];
    EXPECT_EQ(left.store->gpus()[kCut].copies[left.store->gpus()[kCut].sequence & 1].processes.running.size(),
              node.vgpu.instances.size())
        << "each vGPU has its process on the GPU";
    expect_no_gaps(*left.store);
  }

  static void expect_no_gaps(const Store& store) {
    std::uint64_t next = 0;
    std::uint64_t missed = 0;
    std::uint64_t read = 0;
    Event event{};
    while (next_event(store.events, &next, &missed, &event))
      ++read;
    EXPECT_EQ(missed, 0U);
    EXPECT_EQ(read, events_raised(store.events));
    std::uint64_t place = 0;
    std::uint64_t entry_number = 0;
    LogEntry entry{};
    for (std::uint64_t expected = 0; next_entry(store.log, &place, &entry, &entry_number); ++expected)
      EXPECT_EQ(entry_number, expected);
  }

  static constexpr std::uint64_t kStride = 397;

  // By the processor's trap flag: SIGTRAP after each instruction, but within the handler.
  static void count_instructions(bool on) {
    constexpr unsigned long long trap = 0x100;
    const auto flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(on ? flags | trap : flags & ~trap);
  }
  static void stand_still_at_each_stride() {
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t*, void* context) {
      static std::uint64_t instructions = 0;
      if (++instructions % kStride != 0) return;
      *stopped_at_ = static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
      ::raise(SIGSTOP);
    };
    ::sigaction(SIGTRAP, &action, nullptr);
    count_instructions(true);
  }

  // In memory that children share.
  static inline auto* const stopped_at_ = static_cast<std::uintptr_t*>(
      ::mmap(nullptr, sizeof(std::uintptr_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));

  AttachedStore written_;
  AttachedStore left_;
  std::vector<std::byte> beginning_;

 private:
  test::TempFolder folder_;
};

// Who looks and who is looked at take turns, which is quickest on one processor.
void stay_on_one_processor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(std::max(0, ::sched_getcpu())), &one);
  (void)::sched_setaffinity(0, sizeof one, &one);
}

TEST_F(KilledWriter, LeavesEachGpuAsBeforeOrAsAfter) {
  stay_on_one_processor();
  std::uint64_t looked = 0;
  std::uint32_t made = 0;
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(sample.kind);
    copy(written_, beginning_.data());
    const auto before = all_seen(*written_.store);
    if (make(sample.change) == kSuccess) ++made;
    const auto after = all_seen(*written_.store);
    copy(written_, beginning_.data());
    const auto stops = step(sample.change, [&](std::uint64_t instructions) {
      copy(left_, written_.store);
      expect_sound(left_, before, after);
      if (HasFailure()) ADD_FAILURE() << "after " << instructions << " instructions";
      return !HasFailure();
    });
    if (HasFailure()) return;
    ASSERT_GT(stops.size(), 1U);
    looked += stops.size();
    // And killed indeed, lock and all, in its midst.
    copy(written_, beginning_.data());
    if (!kill_at(sample.change, stops[stops.size() / 2])) GTEST_SKIP() << "no child can be traced here";
    expect_sound(written_, before, after);
  }
  EXPECT_GT(made, 20U) << "hardly a change was made";
  std::printf("%u kinds of change made, looked at %llu times on the way\n", made,
              static_cast<unsigned long long>(looked));
}

}  // namespace
}  // namespace nvmlab::changes_test
