// SPDX-License-Identifier: Apache-2.0
// Processes in pid namespaces of their own, as containers have them: who sees whom, and under which pid.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "engine/change/change.hpp"
#include "engine/store/real_process.hpp"
#include "engine/store/store_file.hpp"
#include "engine/topics/processes/process_kinds.hpp"
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

using Pids = std::vector<unsigned>;

constexpr unsigned kMadeUp = 4194303;  // no process has it
constexpr unsigned kFirstOfContainer = 1;

struct Entry {
  unsigned pid;
  unsigned long long used;
  unsigned gpu_instance, compute_instance;
};

Pids listed_pids() {
  Entry entries[40] = {};
  unsigned count = 40;
  if (driver().call("nvmlDeviceGetComputeRunningProcesses_v3", driver().device(0), &count, entries) != kSuccess)
    return {~0U};
  Pids pids;
  for (unsigned i = 0; i < count; ++i)
    pids.push_back(entries[i].pid);
  std::ranges::sort(pids);
  return pids;
}

std::string name_of(unsigned pid) {
  char name[64] = {};
  return driver().call("nvmlSystemGetProcessName", pid, name, 64U) == kSuccess ? name : "";
}

// What a process found: the pids that it was listed, and the name behind the number that the container's first has
// there.
struct Sight {
  int failed = 0;  // errno of what the system does not allow here
  unsigned count = 0;
  unsigned pids[8] = {};
  char name[64] = {};
};

// The first process of a pid namespace of its own, with a /proc of its own; it tells what it sees when it is asked.
class Container {
 public:
  Container() {
    if (::pipe(ask_) != 0 || ::pipe(answer_) != 0) return;
    parent_ = ::fork();
    if (parent_ == 0) ::_exit(enter());
    ::close(answer_[1]);
    Sight ready;
    if (::read(answer_[0], &ready, sizeof ready) != sizeof ready) ready.failed = EIO;
    failed_ = ready.failed;
    first_ = static_cast<pid_t>(ready.count);
  }
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;
  ~Container() { end(); }

  int failed() const { return failed_; }
  unsigned pid() const { return static_cast<unsigned>(first_); }  // as the test knows it

  Sight look() const {
    Sight seen;
    const char go = 'g';
    if (::write(ask_[1], &go, 1) != 1 || ::read(answer_[0], &seen, sizeof seen) != sizeof seen) seen.failed = EIO;
    return seen;
  }
  void end() {
    if (parent_ <= 0) return;
    if (first_ > 0) ::kill(first_, SIGKILL);
    ::waitpid(parent_, nullptr, 0);
    parent_ = 0;
    ::close(ask_[0]);
    ::close(ask_[1]);
    ::close(answer_[0]);
  }

 private:
  int enter() const {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const unsigned user = ::geteuid();
    if (::unshare(CLONE_NEWPID | CLONE_NEWNS | (user == 0 ? 0 : CLONE_NEWUSER)) != 0) return tell_failure();
    // Outside of its user namespace the machine's owner stays who he is.
    if (user != 0) std::ofstream("/proc/self/uid_map") << user << ' ' << user << " 1";
    const pid_t first = ::fork();
    if (first == 0) live();
    Sight ready;
    ready.count = static_cast<unsigned>(first);
    // Its /proc is there before anybody asks.
    char mounted = 0;
    if (::read(mounted_[0], &mounted, 1) != 1 || mounted != 'm') ready.failed = EPERM;
    if (::write(answer_[1], &ready, sizeof ready) != sizeof ready) return 1;
    return ::waitpid(first, nullptr, 0) == first ? 0 : 1;
  }
  int tell_failure() const {
    Sight ready;
    ready.failed = errno;
    return ::write(answer_[1], &ready, sizeof ready) == sizeof ready ? 0 : 1;
  }
  [[noreturn]] void live() const {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const bool mounted = ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         ::mount("proc", "/proc", "proc", 0, nullptr) == 0;
    const char said = mounted ? 'm' : '-';
    if (::write(mounted_[1], &said, 1) != 1) ::_exit(1);
    for (char go = 0; ::read(ask_[0], &go, 1) == 1;) {
      const Sight seen = see();
      if (::write(answer_[1], &seen, sizeof seen) != sizeof seen) ::_exit(1);
    }
    ::_exit(0);
  }
  static Sight see() {
    Sight seen;
    if (driver().init() != kSuccess) {
      seen.failed = EIO;
      return seen;
    }
    for (const unsigned pid : listed_pids())
      if (seen.count < 8) seen.pids[seen.count++] = pid;
    name_of(kFirstOfContainer).copy(seen.name, sizeof seen.name - 1);
    driver().shutdown();
    return seen;
  }

  struct Pipe {
    Pipe() {
      if (::pipe(ends) != 0) ends[0] = ends[1] = -1;
    }
    int operator[](int end) const { return ends[end]; }
    int ends[2];
  };
  int ask_[2];
  int answer_[2];
  Pipe mounted_;
  pid_t parent_ = 0;
  pid_t first_ = 0;
  int failed_ = 0;
};

Pids pids_of(const Sight& seen) { return {seen.pids, seen.pids + seen.count}; }

Pids sorted(Pids pids) {
  std::ranges::sort(pids);
  return pids;
}

#define REQUIRE_CONTAINER(container) \
  if ((container).failed() != 0)     \
  GTEST_SKIP() << "a pid namespace with a /proc of its own cannot be had here: " << std::strerror((container).failed())

// GPU 0 of a machine on which this test runs, the first process of a container, and one that only the machine knows.
class Node {
 public:
  explicit Node(const std::string& driver_version) : machine_("dgx-h100", driver_version) {
    EXPECT_FALSE(attach_store(machine_.path().c_str(), &control_));
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node() { detach_store(&control_); }

  void start_all(const Container& container) {
    EXPECT_EQ(start(find_real_process(static_cast<unsigned>(::getpid())), "test"), kSuccess);
    EXPECT_EQ(start(find_real_process(container.pid()), "first of a container"), kSuccess);
    EXPECT_EQ(start({kMadeUp, 0, 0}, "made up"), kSuccess);
  }
  nvmlab::Code start(const RealProcess& process, const char* name) {
    StartProcess change{};
    change.pid = process.pid;
    change.pid_namespace = process.pid_namespace;
    change.start_ticks = process.start_ticks;
    change.kinds = kComputeProcess;
    change.gpu_instance = change.compute_instance = kNoInstance;
    std::strcpy(change.name, name);
    MachineAccess whole{*control_.store, control_.file, true};
    return apply(whole, make_change(0, change)).code;
  }

 private:
  SharedMachine machine_;
  AttachedStore control_;
};

TEST(PidNamespace, EachSeesItsOwnAndThoseBelowByItsOwnNumbers) {
  Node node("550.163.01");
  Container container;
  REQUIRE_CONTAINER(container);
  const Container sibling;
  REQUIRE_CONTAINER(sibling);
  node.start_all(container);

  ASSERT_EQ(driver().init(), kSuccess);
  EXPECT_EQ(listed_pids(), sorted({static_cast<unsigned>(::getpid()), container.pid(), kMadeUp}));
  EXPECT_EQ(name_of(container.pid()), "first of a container");
  EXPECT_EQ(driver().shutdown(), kSuccess);

  const Sight inside = container.look();
  ASSERT_EQ(inside.failed, 0);
  EXPECT_EQ(pids_of(inside), (Pids{kFirstOfContainer, kMadeUp}));
  EXPECT_STREQ(inside.name, "first of a container");

  const Sight beside = sibling.look();
  ASSERT_EQ(beside.failed, 0);
  EXPECT_EQ(pids_of(beside), Pids{kMadeUp});
  EXPECT_STRNE(beside.name, "first of a container") << "the same number there is another process";
}

// The kernel module before 535.113.01 knows numbers of the host alone.
TEST(PidNamespace, OldDriversTellNumbersThatMeanNothing) {
  Node node("525.147.05");
  const Container container;
  REQUIRE_CONTAINER(container);
  const Container sibling;
  REQUIRE_CONTAINER(sibling);
  node.start_all(container);
  const Sight beside = sibling.look();
  ASSERT_EQ(beside.failed, 0);
  EXPECT_EQ(pids_of(beside).size(), 3U);
  EXPECT_STRNE(beside.name, "first of a container");
}

// Every container has a process 1.
TEST(PidNamespace, TheSameNumberInTwoContainersIsTwoProcesses) {
  Node node("550.163.01");
  Container first;
  REQUIRE_CONTAINER(first);
  Container second;
  REQUIRE_CONTAINER(second);
  EXPECT_EQ(node.start(find_real_process(first.pid()), "first"), kSuccess);
  EXPECT_EQ(node.start(find_real_process(second.pid()), "second"), kSuccess);
  EXPECT_EQ(node.start(find_real_process(second.pid()), "again"), kInUse);
  ASSERT_EQ(driver().init(), kSuccess);
  EXPECT_EQ(listed_pids(), sorted({first.pid(), second.pid()}));
  EXPECT_EQ(driver().shutdown(), kSuccess);
  EXPECT_STREQ(second.look().name, "second");

  // The first ends. Where all processes can be seen, it is settled, and it is not the other one that goes.
  const unsigned left = second.pid();
  first.end();
  ASSERT_EQ(driver().init(), kSuccess);
  EXPECT_EQ(listed_pids(), Pids{left});
  EXPECT_EQ(name_of(left), "second");
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

}  // namespace
}  // namespace nvmlab::driver_test
