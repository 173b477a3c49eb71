// SPDX-License-Identifier: Apache-2.0
#include "engine/store/lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <semaphore>
#include <thread>
#include <vector>

#include "engine/store/store_file.hpp"
#include "engine/store/system.hpp"
#include "tests/unit/machine/child.hpp"
#include "tests/unit/machine/folder.hpp"
#include "tests/unit/machine/sample.hpp"

namespace nvmlab {
namespace {

using std::chrono::milliseconds;
using test::Child;
using test::Folder;
using test::SampleImage;

// Two numbers that only a holder of the lock changes; whoever finds them apart was let in with somebody else.
struct Pair {
  volatile std::uint64_t first;
  volatile std::uint64_t second;
};

bool add_one(Pair& pair) {
  const std::uint64_t before = pair.first;
  const bool alone = pair.second == before;
  pair.first = before + 1;
  std::this_thread::yield();  // long enough for somebody else to come in, also where there are few processors
  pair.second = before + 1;
  return alone;
}

class LockOnAFile : public testing::Test {
 protected:
  void SetUp() override {
    SampleImage image(1);
    ASSERT_FALSE(create_store(path_.c_str(), image.view(), 1, "lock"));
    pair_ = static_cast<Pair*>(test::shared_memory(sizeof(Pair)));
    ASSERT_NE(pair_, nullptr);
  }

  // Whether nobody else was ever there. Who waits for too long among writers that never pause tries again: which of
  // them comes first is not what is asked here.
  bool add_alone(const AttachedStore& machine, int rounds) const {
    for (int done = 0; done < rounds;) {
      const WriteLock lock(&machine.file);
      if (lock.code() == kTimeout) continue;
      if (lock.code() != kSuccess || !add_one(*pair_)) return false;
      ++done;
    }
    return true;
  }

  Folder folder_;
  std::string path_ = folder_.file("lock.store");
  Pair* pair_ = nullptr;
};

TEST(ThreadLock, KeepsThreadsApart) {
  ThreadLock lock;
  Pair pair{};
  std::atomic<int> together = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 250; ++round) {
        lock.lock();
        if (!add_one(pair)) ++together;
        lock.unlock();
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(together, 0);
  EXPECT_EQ(pair.first, 2'000u);
}

TEST(WriteLock, KeepsThreadsOfAPrivateStoreApart) {
  StoreFile none;
  Pair pair{};
  std::atomic<int> together = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 1'000;) {
        const WriteLock lock(&none);
        if (lock.code() == kTimeout) continue;  // on a machine that has no time for this thread
        if (!add_one(pair)) ++together;
        ++round;
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(together, 0);
  EXPECT_EQ(pair.first, 4'000u);
}

TEST_F(LockOnAFile, KeepsProcessesApart) {
  constexpr int kProcesses = 6;
  constexpr int kRounds = 300;
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(std::make_unique<Child>([&] {
      AttachedStore machine;
      if (attach_store(path_.c_str(), &machine)) return 2;
      return add_alone(machine, kRounds) ? 0 : 3;
    }));
  }
  for (const auto& child : children)
    EXPECT_EQ(child->wait(), 0);
  EXPECT_EQ(pair_->first, std::uint64_t{kProcesses} * kRounds);
}

TEST_F(LockOnAFile, AChildDoesNotShareItsParentsLock) {
  // Parent and child hold the same open file after fork; the lock must tell them apart all the same.
  AttachedStore machine;
  ASSERT_FALSE(attach_store(path_.c_str(), &machine));
  { const WriteLock once(&machine.file); }
  Child child([&] { return add_alone(machine, 5'000) ? 0 : 3; });
  EXPECT_TRUE(add_alone(machine, 5'000));
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(pair_->first, 10'000u);
  detach_store(&machine);
}

TEST_F(LockOnAFile, ForkWhileAThreadHoldsItLetsTheChildInAfterwards) {
  AttachedStore machine;
  ASSERT_FALSE(attach_store(path_.c_str(), &machine));
  std::binary_semaphore taken(0);
  std::binary_semaphore release(0);
  std::thread holder([&] {
    const WriteLock lock(&machine.file);
    taken.release();
    release.acquire();
  });
  taken.acquire();
  Child child([&] {
    const WriteLock lock(&machine.file);
    if (lock.code() != kSuccess) return 2;
    pair_->first = 1;
    return 0;
  });
  EXPECT_TRUE(child.becomes_blocked());
  EXPECT_EQ(pair_->first, 0u) << "the child wrote while a thread of the parent held the lock";
  release.release();
  holder.join();
  EXPECT_EQ(child.wait(), 0) << "the child waits for a thread that it does not have";
  EXPECT_EQ(pair_->first, 1u);
  detach_store(&machine);
}

TEST(WriteLock, ForkWhileAThreadHoldsThatOfAPrivateStore) {
  // The child's memory is its own: nobody else writes there, so it need not wait for anybody.
  StoreFile none;
  std::binary_semaphore taken(0);
  std::binary_semaphore release(0);
  std::thread holder([&] {
    const WriteLock lock(&none);
    taken.release();
    release.acquire();
  });
  taken.acquire();
  Child child([&] {
    for (int round = 0; round < 3; ++round)
      const WriteLock lock(&none);
    return 0;
  });
  EXPECT_EQ(child.wait(), 0);
  release.release();
  holder.join();
}

TEST_F(LockOnAFile, AKilledHolderDoesNotBarOthers) {
  for (int round = 0; round < 20; ++round) {
    pair_->first = 0;
    Child holder([&] {
      AttachedStore machine;
      if (attach_store(path_.c_str(), &machine)) return 2;
      const WriteLock lock(&machine.file);
      pair_->first = 1;
      for (;;)
        ::pause();
    });
    while (pair_->first == 0)
      std::this_thread::yield();
    Child waiter([&] {  // waits in the kernel while the holder is killed
      AttachedStore machine;
      if (attach_store(path_.c_str(), &machine)) return 2;
      const WriteLock lock(&machine.file);
      return 0;
    });
    if (round % 2 == 0) {
      EXPECT_TRUE(waiter.becomes_blocked());
    }
    holder.kill();
    ASSERT_EQ(waiter.wait(), 0) << "round " << round;
  }
}

TEST_F(LockOnAFile, AMachineThatWasTakenDownIsNotWrittenTo) {
  AttachedStore machine;
  ASSERT_FALSE(attach_store(path_.c_str(), &machine));
  ASSERT_FALSE(remove_store(path_.c_str()));
  EXPECT_EQ(WriteLock(&machine.file).code(), kGpuIsLost);
  SampleImage image(1);
  ASSERT_FALSE(create_store(path_.c_str(), image.view(), 1, "lock"));
  EXPECT_EQ(WriteLock(&machine.file).code(), kGpuIsLost) << "another machine of the same name";
  detach_store(&machine);
}

TEST_F(LockOnAFile, AStoppedWriterDoesNotHoldOthersForEver) {
  Child holder([&] {
    AttachedStore machine;
    if (attach_store(path_.c_str(), &machine)) return 2;
    const WriteLock lock(&machine.file);
    pair_->first = 1;
    ::raise(SIGSTOP);
    return 0;
  });
  while (pair_->first == 0)
    std::this_thread::yield();
  AttachedStore machine;
  ASSERT_FALSE(attach_store(path_.c_str(), &machine));
  EXPECT_EQ(WriteLock(&machine.file).code(), kTimeout);
  holder.kill();
  EXPECT_EQ(WriteLock(&machine.file).code(), kSuccess);
  detach_store(&machine);
}

// A daemon closes all descriptors after it has initialised, and its own files take their numbers.
TEST_F(LockOnAFile, ClosedDescriptorsChangeNothing) {
  Child daemon([&] {
    AttachedStore machine;
    if (attach_store(path_.c_str(), &machine)) return 2;
    for (int fd = 3; fd < 256; ++fd)
      ::close(fd);
    const int own = ::open("/dev/null", O_RDWR);
    for (int round = 0; round < 100; ++round) {
      const WriteLock lock(&machine.file);
      if (lock.code() != kSuccess || !add_one(*pair_)) return 3;
    }
    return ::fcntl(own, F_GETFD) >= 0 ? 0 : 4;
  });
  AttachedStore machine;
  ASSERT_FALSE(attach_store(path_.c_str(), &machine));
  int together = 0;
  for (int round = 0; round < 100; ++round) {
    const WriteLock lock(&machine.file);
    if (!add_one(*pair_)) ++together;
  }
  EXPECT_EQ(daemon.wait(), 0);
  EXPECT_EQ(together, 0);
  EXPECT_EQ(pair_->first, 200u);
  detach_store(&machine);
}

// A server that forks its workers ahead, and is killed: they live on, and write nothing.
TEST_F(LockOnAFile, AChildThatLivesOnDoesNotKeepTheLockOfADeadParent) {
  int end_of_test[2] = {-1, -1};
  ASSERT_EQ(::pipe(end_of_test), 0);
  Child server([&] {
    ::close(end_of_test[1]);
    AttachedStore machine;
    if (attach_store(path_.c_str(), &machine)) return 2;
    { const WriteLock once(&machine.file); }
    const pid_t worker = ::fork();
    if (worker == 0) {
      char byte = 0;
      (void)!::read(end_of_test[0], &byte, 1);
      ::_exit(0);
    }
    const WriteLock lock(&machine.file);
    pair_->first = 1;
    for (;;)
      ::pause();
  });
  while (pair_->first == 0)
    std::this_thread::yield();
  server.kill();
  AttachedStore machine;
  ASSERT_FALSE(attach_store(path_.c_str(), &machine));
  EXPECT_EQ(WriteLock(&machine.file).code(), kSuccess);
  detach_store(&machine);
  ::close(end_of_test[0]);
  ::close(end_of_test[1]);
}

// What a client without standard streams prints must not land in the machine.
TEST_F(LockOnAFile, TheFileIsNeverAStandardStream) {
  Child closed([&] {
    for (int fd = 0; fd < 3; ++fd)
      ::close(fd);
    AttachedStore machine;
    if (attach_store(path_.c_str(), &machine)) return 2;
    const WriteLock lock(&machine.file);
    if (lock.code() != kSuccess) return 3;
    for (int fd = 0; fd < 3; ++fd) {
      if (::fcntl(fd, F_GETFD) >= 0) return 4;
    }
    return 0;
  });
  EXPECT_EQ(closed.wait(), 0);
}

TEST(ProcessToken, TellsAChildFromItsParent) {
  const std::uint32_t own = sys::process_token();
  EXPECT_NE(own, 0u);
  EXPECT_EQ(sys::process_token(), own);
  Child child([own] { return sys::process_token() != own && sys::process_token() != 0 ? 0 : 1; });
  EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace nvmlab
