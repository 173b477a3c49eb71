// SPDX-License-Identifier: Apache-2.0
// Stores of one process, whose GPUs are built when they are first asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "engine/store/driver_version.hpp"
#include "engine/store/store.hpp"
#include "engine/store/system.hpp"
#include "tests/support/publish.hpp"
#include "tests/unit/machine/child.hpp"
#include "tests/unit/machine/sample.hpp"

namespace nvmlab {
namespace {

using test::Child;
using test::SampleImage;

class PrivateStore {
 public:
  PrivateStore(std::uint32_t listed, std::uint32_t gpu_count, bool on_demand) {
    SampleImage image(listed);
    for (std::uint32_t i = 0; i < listed; ++i)
      test::put(&image.gpus()[i].identity.gsp_version, i == 2 ? "custom" : "550.163.01");
    image.write("sample");
    const Image view = image.view();
    size_ = on_demand ? store_on_demand_size(view, gpu_count) : store_size(gpu_count);
    memory_ = sys::map_private(size_);
    if (on_demand) {
      build_store_on_demand(memory_, view, gpu_count, "test", 7);
    } else {
      build_store(memory_, view, gpu_count, "test", 7);
    }
  }
  ~PrivateStore() { sys::unmap(memory_, size_); }
  PrivateStore(const PrivateStore&) = delete;
  PrivateStore& operator=(const PrivateStore&) = delete;

  Store& operator*() { return *static_cast<Store*>(memory_); }
  Store* operator->() { return static_cast<Store*>(memory_); }

 private:
  std::uint64_t size_ = 0;
  void* memory_ = nullptr;
};

std::vector<std::uint32_t> shuffled(std::uint32_t count, unsigned seed) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

void expect_same(Store& store, Store& whole) {
  for (std::uint32_t i = 0; i < whole.header.gpu_count; ++i) {
    EXPECT_EQ(store.slots()[i].handle, whole.slots()[i].handle) << i;
    EXPECT_EQ(std::memcmp(&store.slots()[i].copies, &whole.slots()[i].copies, sizeof whole.slots()[i].copies), 0) << i;
  }
}

// The image in front of the store and behind it.
TEST(StoreOnDemand, LeavesAnImageWhereItIs) {
  constexpr std::uint32_t count = 5;
  SampleImage image(3);
  image.write("sample");
  const std::uint64_t size = store_size(count) + 2 * image.size();
  PrivateStore whole(3, count, false);
  for (const std::uint64_t store_at : {std::uint64_t{0}, (image.size() + 63) / 64 * 64}) {
    auto* memory = static_cast<unsigned char*>(sys::map_private(size));
    unsigned char* const kept = store_at == 0 ? memory + store_size(count) : memory;
    std::memcpy(kept, image.bytes(), image.size());
    build_store_on_demand(memory + store_at, view_image(kept), count, "test", 7, KeptImage::in_place);
    auto& store = *reinterpret_cast<Store*>(memory + store_at);
    for (std::uint32_t i = count; i-- > 0;) {
      EXPECT_EQ(store.gpus()[i].handle, whole->slots()[i].handle);
      EXPECT_EQ(test::text_of(store.slots()[i].copies[0].identity.uuid),
                test::text_of(whole->slots()[i].copies[0].identity.uuid));
    }
    sys::unmap(memory, size);
  }
}

TEST(StoreOnDemand, HasTheSameGpusWhateverTheOrder) {
  for (const auto& [listed, count] : {std::pair{8u, 8u}, {8u, 3u}, {3u, 20u}, {1u, 64u}, {0u, 0u}, {0u, 2u}}) {
    PrivateStore whole(listed, count, false);
    for (unsigned seed = 0; seed < 5; ++seed) {
      PrivateStore store(listed, count, true);
      for (const std::uint32_t i : shuffled(count, seed))
        ASSERT_EQ(store->gpus()[i].handle, whole->slots()[i].handle);
      expect_same(*store, *whole);
    }
  }
}

TEST(StoreOnDemand, BuildsWhatIsAskedForAndNoMore) {
  PrivateStore store(8, 8, true);
  for (std::uint32_t i = 0; i < 8; ++i)
    EXPECT_FALSE(built(store->slots()[i])) << i;
  EXPECT_EQ(store->gpus()[5].copies[0].identity.minor_number.value_or(0), 5u);
  for (std::uint32_t i = 0; i < 8; ++i)
    EXPECT_EQ(built(store->slots()[i]), i == 5) << i;
}

TEST(StoreOnDemand, AFieldCanBeSeenBeforeItsGpuIsBuilt) {
  PrivateStore whole(3, 7, false);
  PrivateStore store(3, 7, true);
  const auto same = [&](std::uint32_t i) {
    const Text<32> seen = peek_field(*store, i, &Gpu::identity, &Identity::serial);
    EXPECT_STREQ(seen.data, read_field(whole->slots()[i % 3], &Gpu::identity, &Identity::serial).data) << i;
    EXPECT_EQ(peek_field(*store, i, &Gpu::power, &Power::limit_mw).value_or(0), 700'000u) << i;
    EXPECT_EQ(peek_field(*store, i, &Gpu::power, &Power::draw_mw).code(), kNotSupported) << i;
  };
  for (std::uint32_t i = 0; i < 7; ++i)
    same(i);
  EXPECT_FALSE(built(store->slots()[1]));
  const auto scratch = std::make_unique<Gpu>();
  test::publish(store->gpus()[1], *scratch, [](Gpu& gpu) { gpu.power.draw_mw.set(5); });
  EXPECT_EQ(peek_field(*store, 1, &Gpu::power, &Power::draw_mw).value_or(0), 5u);
  same(2);
}

// A client may bring a handle along that it got before the machine was opened anew.
TEST(StoreOnDemand, AHandleBuildsItsGpu) {
  PrivateStore whole(2, 5, false);
  PrivateStore store(2, 5, true);
  const std::uint64_t good = whole->slots()[4].handle;
  const GpuSlot* found = find_gpu(*store, store->header.gpu_count, good);
  ASSERT_EQ(found, &store->slots()[4]);
  EXPECT_EQ(found->handle, good);
  EXPECT_EQ(find_gpu(*store, store->header.gpu_count, good ^ (1ull << 16)), nullptr) << "of another generation";
  EXPECT_EQ(find_gpu(*store, store->header.gpu_count, 0), nullptr);
}

TEST(StoreOnDemand, AGpuThatWasTakenAwayStaysAway) {
  PrivateStore store(2, 2, true);
  const std::uint64_t handle = store->gpus()[1].handle;
  __atomic_store_n(&store->slots()[1].handle, std::uint64_t{0}, __ATOMIC_RELEASE);
  EXPECT_EQ(store->gpus()[1].handle, 0u);
  EXPECT_EQ(find_gpu(*store, store->header.gpu_count, handle), nullptr);
}

TEST(StoreOnDemand, FirmwareFollowsADriverThatWasExchanged) {
  PrivateStore store(3, 5, true);
  DriverVersion version{};
  ASSERT_TRUE(find_driver_version("535", &version));
  set_driver_version(version, &store->node.copies[0], nullptr, 0);
  for (const std::uint32_t i : {4u, 2u, 0u, 3u}) {
    const Text<80> firmware = read_field(store->gpus()[i], &Gpu::identity, &Identity::gsp_version);
    EXPECT_STREQ(firmware.data, i == 2 ? "custom" : version.text) << i;
  }
}

TEST(StoreOnDemand, ThreadsThatAskAtOnceGetTheSame) {
  constexpr std::uint32_t count = 48;
  PrivateStore whole(5, count, false);
  for (unsigned round = 0; round < 20; ++round) {
    PrivateStore store(5, count, true);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (const std::uint32_t i : shuffled(count, round * 4 + t)) {
          const GpuSlot& slot = store->gpus()[i];
          EXPECT_EQ(slot.handle, whole->slots()[i].handle);
          EXPECT_EQ(read_field(slot, &Gpu::identity, &Identity::minor_number).value, i);
        }
      });
    }
    for (std::thread& thread : threads)
      thread.join();
    expect_same(*store, *whole);
  }
}

// The child has no other thread that could finish what was begun.
TEST(StoreOnDemand, AChildIsNotHeldUpByAThreadThatItDoesNotHave) {
  PrivateStore whole(4, 512, false);
  for (int round = 0; round < 30; ++round) {
    PrivateStore store(4, 512, true);
    std::thread builder([&] {
      for (std::uint32_t i = 0; i < 512; ++i)
        store->gpus()[i];
    });
    Child child([&] {
      for (std::uint32_t i = 512; i-- > 0;) {
        if (store->gpus()[i].handle != whole->slots()[i].handle) return 1;
        if (std::memcmp(&store->slots()[i].copies, &whole->slots()[i].copies, sizeof(Gpu)) != 0) return 2;
      }
      return 0;
    });
    EXPECT_EQ(child.wait(), 0);
    builder.join();
  }
}

}  // namespace
}  // namespace nvmlab
