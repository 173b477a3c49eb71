// SPDX-License-Identifier: Apache-2.0
#include "engine/machine/lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <thread>
#include <vector>

#include "engine/machine/store_file.hpp"
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
      for (int round = 0; round < 2'000; ++round) {
        lock.lock();
        if (!add_one(pair)) ++together;
        lock.unlock();
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(together, 0);
  EXPECT_EQ(pair.first, 16'000u);
}

TEST(WriteLock, KeepsThreadsOfAPrivateStoreApart) {
  StoreFile none;
  Pair pair{};
  std::atomic<int> together = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5'000; ++round) {
        const WriteLock lock(&none);
        if (!add_one(pair)) ++together;
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(together, 0);
  EXPECT_EQ(pair.first, 20'000u);
}

TEST_F(LockOnAFile, KeepsProcessesApart) {
  constexpr int kProcesses = 6;
  constexpr int kRounds = 1'000;
  std::vector<std::unique_ptr<Child>> children;
  for (int i = 0; i < kProcesses; ++i) {
    children.push_back(std::make_unique<Child>([&] {
      AttachedStore machine;
      if (attach_store(path_.c_str(), &machine)) return 2;
      for (int round = 0; round < kRounds; ++round) {
        const WriteLock lock(&machine.file);
        if (!add_one(*pair_)) return 3;
      }
      return 0;
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
  Child child([&] {
    for (int round = 0; round < 5'000; ++round) {
      const WriteLock lock(&machine.file);
      if (!add_one(*pair_)) return 3;
    }
    return 0;
  });
  int together = 0;
  for (int round = 0; round < 5'000; ++round) {
    const WriteLock lock(&machine.file);
    if (!add_one(*pair_)) ++together;
  }
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(together, 0);
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
    pair_->first = 1;
    return 0;
  });
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(pair_->first, 0u) << "the child wrote while a thread of the parent held the lock";
  release.release();
  holder.join();
  EXPECT_EQ(child.wait(std::chrono::seconds(10)), 0) << "the child waits for a thread that it does not have";
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
  EXPECT_EQ(child.wait(std::chrono::seconds(10)), 0);
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
        std::this_thread::sleep_for(std::chrono::seconds(1));
    });
    while (pair_->first == 0)
      std::this_thread::sleep_for(milliseconds(1));
    Child waiter([&] {  // waits in the kernel while the holder is killed
      AttachedStore machine;
      if (attach_store(path_.c_str(), &machine)) return 2;
      const WriteLock lock(&machine.file);
      return 0;
    });
    holder.kill();
    ASSERT_EQ(waiter.wait(std::chrono::seconds(10)), 0) << "round " << round;
  }
}

TEST_F(LockOnAFile, AStoreThatWasTakenDownCanStillBeLocked) {
  AttachedStore machine;
  ASSERT_FALSE(attach_store(path_.c_str(), &machine));
  ASSERT_FALSE(remove_store(path_.c_str()));
  Child child([&] {
    const WriteLock lock(&machine.file);  // opens the file anew although it has no name any more
    return 0;
  });
  EXPECT_EQ(child.wait(std::chrono::seconds(10)), 0);
  const WriteLock lock(&machine.file);
}

}  // namespace
}  // namespace nvmlab
