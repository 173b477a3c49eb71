// SPDX-License-Identifier: Apache-2.0
#include "engine/store/store.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "engine/store/store_file.hpp"
#include "engine/store/system.hpp"
#include "tests/support/publish.hpp"
#include "tests/support/waiting.hpp"
#include "tests/unit/machine/child.hpp"
#include "tests/unit/machine/folder.hpp"
#include "tests/unit/machine/sample.hpp"

namespace nvmlab {
namespace {

using test::Child;
using test::Folder;
using test::SampleImage;

// One number in fields that lie far apart, one of them wider than a word.
void write_number(Gpu& gpu, std::uint32_t number) {
  gpu.clocks.graphics_mhz.set(number);
  gpu.power.draw_mw.set(number);
  gpu.power.energy_mj.set(number);
  gpu.utilization.gpu_percent.set(number);
}

struct Reading {
  Fact<std::uint32_t> clock;
  Fact<std::uint32_t> draw;
  Fact<std::uint64_t> energy;
  Fact<std::uint32_t> busy;

  bool whole() const {
    return clock.has_value() && draw.has_value() && energy.has_value() && busy.has_value() &&
           clock.value == draw.value && clock.value == energy.value && clock.value == busy.value;
  }
};

Reading read_number(const GpuSlot& slot) {
  return consistent(slot, [](const Gpu& gpu) {
    return Reading{load(gpu.clocks.graphics_mhz), load(gpu.power.draw_mw), load(gpu.power.energy_mj),
                   load(gpu.utilization.gpu_percent)};
  });
}

struct Unmap {
  std::uint64_t size;
  void operator()(void* memory) const { sys::unmap(memory, size); }
};
using Memory = std::unique_ptr<void, Unmap>;

Memory private_store(std::uint32_t gpu_count, std::uint64_t identity = 1) {
  Memory memory(sys::map_private(store_size(gpu_count)), Unmap{store_size(gpu_count)});
  SampleImage image(1);
  build_store(memory.get(), image.view(), gpu_count, "test", identity);
  return memory;
}
Store& store_in(const Memory& memory) { return *static_cast<Store*>(memory.get()); }

TEST(Store, HoldsTheMachineThatItWasBuiltFrom) {
  const Memory memory = private_store(3);
  const Store& store = store_in(memory);
  EXPECT_EQ(check_store(memory.get(), store_size(3)), StoreError::none);
  EXPECT_EQ(store.header.gpu_count, 3u);
  EXPECT_STREQ(store.header.name, "test");
  EXPECT_STREQ(store.header.profile, "sample");
  EXPECT_EQ(read_field(store.node, &Node::system, &System::driver_version).length, 10u);
  EXPECT_EQ(read_field(store.gpus()[2], &Gpu::power, &Power::limit_mw).value, 700'000u);
  EXPECT_EQ(read_field(store.gpus()[2], &Gpu::identity, &Identity::minor_number).value, 2u);
  EXPECT_EQ(read_field(store.gpus()[2], &Gpu::power, &Power::draw_mw).code(), kNotSupported);
}

TEST(Store, NamesThatAreTooLongAreCut) {
  Memory memory(sys::map_private(store_size(1)), Unmap{store_size(1)});
  SampleImage image(1);
  build_store(memory.get(), image.view(), 1, std::string(200, 'n').c_str(), 1);
  EXPECT_EQ(std::string(store_in(memory).header.name), std::string(63, 'n'));
  EXPECT_EQ(check_store(memory.get(), store_size(1)), StoreError::none);
}

TEST(Store, PublishShowsAllOfAChange) {
  const Memory memory = private_store(1);
  GpuSlot& slot = store_in(memory).gpus()[0];
  const auto scratch = std::make_unique<Gpu>();
  for (std::uint32_t number = 1; number < 100; ++number) {
    test::publish(slot, *scratch, [&](Gpu& gpu) { write_number(gpu, number); });
    const Reading reading = read_number(slot);
    ASSERT_TRUE(reading.whole());
    ASSERT_EQ(reading.clock.value, number);
    ASSERT_EQ(read_field(slot, &Gpu::power, &Power::limit_mw).value, 700'000u) << "what was not changed stays";
  }
}

TEST(Store, ReadersNeverSeeHalfOfAChange) {
  const Memory memory = private_store(1);
  GpuSlot& slot = store_in(memory).gpus()[0];
  const auto scratch = std::make_unique<Gpu>();
  test::publish(slot, *scratch, [](Gpu& gpu) { write_number(gpu, 0); });

  constexpr int kReaders = 4;
  std::atomic<bool> stop = false;
  std::atomic<int> torn = 0;
  std::atomic<std::uint64_t> changes_seen = 0;
  std::atomic<int> backwards = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < kReaders; ++i) {
    readers.emplace_back([&] {
      std::uint32_t last = 0;
      while (!stop.load(std::memory_order_relaxed)) {
        const Reading reading = read_number(slot);
        if (!reading.whole()) ++torn;
        if (reading.clock.value < last) ++backwards;
        if (reading.clock.value != last) ++changes_seen;
        last = reading.clock.value;
      }
    });
  }
  std::uint32_t number = 0;
  StoreFile none;
  EXPECT_TRUE(test::eventually([&] {
    for (int i = 0; i < 1'000; ++i) {
      const WriteLock lock(&none);
      test::publish(slot, *scratch, [&](Gpu& gpu) { write_number(gpu, ++number); });
    }
    return number >= 10'000 && changes_seen > 100;
  })) << "readers and the writer did not meet; the test shows nothing";
  stop = true;
  for (std::thread& reader : readers)
    reader.join();
  EXPECT_EQ(torn, 0);
  EXPECT_EQ(backwards, 0);
}

TEST(Store, SeveralWritersLoseNoChange) {
  const Memory memory = private_store(1);
  GpuSlot& slot = store_in(memory).gpus()[0];
  StoreFile none;
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&] {
      const auto scratch = std::make_unique<Gpu>();
      for (int round = 0; round < 500; ++round) {
        const WriteLock lock(&none);
        test::publish(slot, *scratch, [](Gpu& gpu) { gpu.power.energy_mj.set(gpu.power.energy_mj.value_or(0) + 1); });
      }
    });
  }
  for (std::thread& writer : writers)
    writer.join();
  EXPECT_EQ(read_field(slot, &Gpu::power, &Power::energy_mj).value, 2'000u);
}

// A writer that dies may leave half a change in the copy that is not published, and nothing else.
TEST(Store, AKilledWriterLeavesThePublishedStateAndTheNextWriterGoesOn) {
  const Folder folder;
  const std::string path = folder.file("killed.store");
  SampleImage image(1);
  ASSERT_FALSE(create_store(path.c_str(), image.view(), 1, "killed"));
  AttachedStore machine;
  ASSERT_FALSE(attach_store(path.c_str(), &machine));
  GpuSlot& slot = machine.store->gpus()[0];
  const auto scratch = std::make_unique<Gpu>();
  {
    const WriteLock lock(&machine.file);
    test::publish(slot, *scratch, [](Gpu& gpu) { write_number(gpu, 0); });
  }
  auto* started = static_cast<std::atomic<int>*>(test::shared_memory(sizeof(std::atomic<int>)));
  ASSERT_NE(started, nullptr);

  std::mt19937 random(20240607);
  std::uint32_t last = 0;
  int killed_inside = 0;
  for (int round = 0; round < 150; ++round) {
    started->store(0);
    Child writer([&] {
      AttachedStore own;
      if (attach_store(path.c_str(), &own)) return 2;
      for (;;) {
        const WriteLock lock(&own.file);
        test::publish(own.store->gpus()[0], *scratch,
                      [&](Gpu& gpu) { write_number(gpu, gpu.clocks.graphics_mhz.value + 1); });
        started->store(1);
      }
    });
    while (started->load() == 0)
      std::this_thread::yield();
    const std::uint32_t changes = random() % 16;
    const std::uint32_t begin = read_number(slot).clock.value;
    while (read_number(slot).clock.value < begin + changes)
      std::this_thread::yield();
    writer.kill();

    const Reading reading = read_number(slot);
    ASSERT_TRUE(reading.whole()) << "round " << round;
    ASSERT_GT(reading.clock.value, last);
    last = reading.clock.value;
    // The other copy tells whether this round hit a writer in the middle of its work.
    const Gpu& other = slot.copies[(slot.sequence + 1) & 1];
    if (other.clocks.graphics_mhz.value != other.utilization.gpu_percent.value) ++killed_inside;

    const WriteLock lock(&machine.file);
    test::publish(slot, *scratch, [&](Gpu& gpu) { write_number(gpu, ++last); });
    ASSERT_TRUE(read_number(slot).whole());
    ASSERT_EQ(read_number(slot).clock.value, last);
  }
  RecordProperty("killed_inside", killed_inside);
  detach_store(&machine);
}

// The same without chance: a change that stops anywhere before it is published.
TEST(Store, HalfAChangeIsNeverSeen) {
  const Memory memory = private_store(1);
  GpuSlot& slot = store_in(memory).gpus()[0];
  const auto scratch = std::make_unique<Gpu>();
  test::publish(slot, *scratch, [](Gpu& gpu) { write_number(gpu, 1); });
  auto* other = reinterpret_cast<unsigned char*>(&slot.copies[(slot.sequence + 1) & 1]);
  for (std::size_t bytes = 0; bytes < sizeof(Gpu); bytes += 97) {
    slot.same = 0;  // as a writer of all topics notes first
    std::memset(other, 0xA5, bytes);
    ASSERT_TRUE(read_number(slot).whole());
    ASSERT_EQ(read_number(slot).clock.value, 1u);
  }
  test::publish(slot, *scratch, [](Gpu& gpu) { write_number(gpu, 2); });
  ASSERT_EQ(read_number(slot).clock.value, 2u);
  Gpu expected{};
  load_into(expected, slot.copies[slot.sequence & 1]);
  EXPECT_EQ(expected.power.limit_mw.value, 700'000u) << "the next writer repairs what the dead one left";
  EXPECT_EQ(std::memcmp(&expected, scratch.get(), sizeof(Gpu)), 0);
}

// Memory that the mapping at `address` really takes; pages that were only read are the kernel's page of zeros.
std::uint64_t resident_bytes(const void* address) {
  std::ifstream maps("/proc/self/smaps");
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long long low = 0;
    unsigned long long high = 0;
    unsigned long long kib = 0;
    if (std::sscanf(line.c_str(), "%llx-%llx ", &low, &high) == 2) inside = low <= wanted && wanted < high;
    if (inside && std::sscanf(line.c_str(), "Rss: %llu kB", &kib) == 1) return kib * 1024;
  }
  return 0;
}

TEST(Store, TopicsThatNobodyMentionsCostNoMemory) {
  const std::uint64_t size = store_size(1024);
  const Memory memory = private_store(1024);
  const std::uint64_t first_copies = size / 2;
  const std::uint64_t resident = resident_bytes(memory.get());
  EXPECT_GT(resident, 0u);
  EXPECT_LT(resident, first_copies * 3 / 4) << "of " << size;

  const auto scratch = std::make_unique<Gpu>();
  GpuSlot& slot = store_in(memory).gpus()[500];
  test::publish(slot, *scratch, [](Gpu& gpu) { gpu.power.draw_mw.set(1); });
  EXPECT_LT(resident_bytes(memory.get()) - resident, sizeof(Gpu)) << "and a change writes only what differs";
}

TEST(CheckStore, RefusesWhatIsNoReadyStore) {
  const Memory memory = private_store(2);
  StoreHeader& header = store_in(memory).header;
  const std::uint64_t size = store_size(2);
  const StoreHeader good = header;
  const auto expect = [&](StoreError error) {
    EXPECT_EQ(check_store(memory.get(), size), error) << describe(check_store(memory.get(), size));
    header = good;
  };
  header.magic[7] = 0;
  expect(StoreError::not_a_store);
  header.format = kStoreFormat + 1;
  expect(StoreError::other_format);
  header.layout_hash ^= 1;
  expect(StoreError::other_layout);
  header.gpu_count = 1;
  expect(StoreError::damaged);
  header.gpu_count = kMaxGpus + 1;
  header.total_size = store_size(kMaxGpus + 1);
  expect(StoreError::damaged);
  header.gpu_count = 3;
  header.total_size = store_size(3);
  expect(StoreError::too_short);
  std::memset(header.name, 'x', sizeof header.name);
  expect(StoreError::damaged);
  std::memset(header.profile, 'x', sizeof header.profile);
  expect(StoreError::damaged);
  header.phase = static_cast<std::uint32_t>(StorePhase::building);
  expect(StoreError::unfinished);
  header.phase = static_cast<std::uint32_t>(StorePhase::taken_down);
  expect(StoreError::taken_down);
  header.phase = 77;
  expect(StoreError::damaged);
  header.image_at = store_size(2);
  expect(StoreError::damaged);
  expect(StoreError::none);
  for (std::uint64_t shorter = 0; shorter < size; shorter += 61) {
    ASSERT_EQ(check_store(memory.get(), shorter), StoreError::too_short) << shorter;
  }
}

TEST(Announce, WakesAWaiterInAnotherProcess) {
  const Folder folder;
  const std::string path = folder.file("events.store");
  SampleImage image(1);
  ASSERT_FALSE(create_store(path.c_str(), image.view(), 1, "events"));
  AttachedStore machine;
  ASSERT_FALSE(attach_store(path.c_str(), &machine));
  const std::uint32_t before = machine.store->header.changes;
  auto* waiting = static_cast<std::atomic<int>*>(test::shared_memory(sizeof(std::atomic<int>)));
  Child waiter([&] {
    AttachedStore own;
    if (attach_store(path.c_str(), &own)) return 2;
    const std::uint32_t* events = &own.store->header.changes;
    waiting->store(1);
    while (__atomic_load_n(events, __ATOMIC_ACQUIRE) == before)
      sys::wait_on(events, before, 2 * std::chrono::nanoseconds(test::kDeadline).count(), true);
    return 0;
  });
  while (waiting->load() == 0)
    std::this_thread::yield();
  EXPECT_TRUE(waiter.becomes_blocked());
  announce(machine.store, true);
  EXPECT_EQ(waiter.wait(), 0) << "nobody woke it";
  EXPECT_EQ(machine.store->header.changes, before + 1);
  detach_store(&machine);
}

}  // namespace
}  // namespace nvmlab
