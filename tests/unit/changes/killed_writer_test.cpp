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
#include "engine/change/change.hpp"
#include "engine/store/store_file.hpp"
#include "tests/support/files.hpp"
#include "tests/unit/changes/change_samples.hpp"

namespace nvmlab::changes_test {
namespace {

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
      ASSERT_EQ(make(make_change(gpu, with_number(PutBytes{offsetof(Gpu, modes.persistence), 8, {}}, 0))), kSuccess);
    StartProcess process = sample<StartProcess>();
    process.pid = 4242;
    ASSERT_EQ(make(make_change(0, process)), kSuccess);
    ASSERT_EQ(make(make_change(0, with_number(PinField{kLimit, 8, {}}, 350'000))), kSuccess);
    ASSERT_EQ(make(make_change(0, InjectFault{FaultKind::row_remap, 0, kNoInstance, kNoInstance, 1})), kSuccess);
    for (const std::uint32_t gpu : {1u, 2u})
      ASSERT_EQ(make(make_change(gpu, SetDrain{1})), kSuccess);
    ASSERT_EQ(make(make_change(2, RemoveGpu{})), kSuccess);
    ASSERT_EQ(make(make_change(kCut, SetMigMode{1})), kSuccess);
    for (const std::uint32_t profile : {9u, 14u})
      ASSERT_EQ(make(make_change(kCut, CreateGpuInstance{profile, kAnyStart, 0})), kSuccess);
    ASSERT_EQ(make(make_change(kCut, CreateComputeInstance{2, kAnySerial, 2, kAnyStart})), kSuccess);
    ASSERT_EQ(make(make_change(kCut, HostVgpus{1})), kSuccess);
    const auto* bytes = reinterpret_cast<const std::byte*>(written_.store);
    beginning_.assign(bytes, bytes + written_.size);
  }
  void TearDown() override {
    detach_store(&written_);
    detach_store(&left_);
  }

  static Code make(AttachedStore& on, const Change& change) {
    MachineAccess machine{*on.store, on.file, true};
    return apply(machine, change).code;
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
  std::vector<std::uintptr_t> step(const Change& change, const Look& look, std::uint64_t stride = kStride) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // one that stands still would outlive a test that is broken off
      stand_still_at_each(stride);
      make(change);
      count_instructions(false);
      ::_exit(0);
    }
    std::vector<std::uintptr_t> stops;
    for (int status = 0; ::waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status);) {
      stops.push_back(*stopped_at_);
      ::kill(child, look(stops.size() * stride) ? SIGCONT : SIGKILL);
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
    EXPECT_EQ(make(left, make_change(MachinePart::driver, FailInit{0})), kSuccess) << "the next writer";
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
  static void stand_still_at_each(std::uint64_t stride) {
    stride_ = stride;
    struct sigaction action {};
    action.sa_flags = SA_SIGINFO;
    action.sa_sigaction = [](int, siginfo_t*, void* context) {
      static std::uint64_t instructions = 0;
      if (++instructions % stride_ != 0) return;
      *stopped_at_ = static_cast<std::uintptr_t>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
      ::raise(SIGSTOP);
    };
    ::sigaction(SIGTRAP, &action, nullptr);
    count_instructions(true);
  }

  static inline std::uint64_t stride_ = kStride;
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

std::uint32_t counted_apart(const Store& store) {
  std::uint32_t count = functions_have_faults(store) ? 1 : 0;
  for (std::uint32_t i = 0; i < kGpus; ++i)
    count += present(store.gpus()[i]) && refusal_of(store.gpus()[i]) == 0 ? 0 : 1;
  return count;
}

// A GPU that comes or goes changes its handle, and how many are not to be shown. Between the two the number is too
// large, which costs readers a look at each GPU; it is never too small, and the next GPU that comes or goes mends it.
TEST_F(KilledWriter, LeavesANumberOfGpusThatTheNextOneMends) {
  stay_on_one_processor();
  constexpr std::uint64_t stride = 31;
  std::uint32_t too_large = 0;
  step(
      make_change(2, ReturnGpu{}),
      [&](std::uint64_t instructions) {
        copy(left_, written_.store);
        const Store& store = *left_.store;
        EXPECT_GE(gpus_set_apart(store), counted_apart(store)) << "after " << instructions << " instructions";
        if (gpus_set_apart(store) > counted_apart(store)) ++too_large;
        EXPECT_EQ(make(left_, make_change(0, InjectFault{FaultKind::lost, 0, kNoInstance, kNoInstance, 1})), kSuccess);
        EXPECT_EQ(gpus_set_apart(store), counted_apart(store)) << "after " << instructions << " instructions";
        return !HasFailure();
      },
      stride);
  EXPECT_GT(too_large, 0U) << "nobody was stopped where it matters";
}

}  // namespace
}  // namespace nvmlab::changes_test
