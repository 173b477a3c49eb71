// SPDX-License-Identifier: Apache-2.0
#include "engine/store/handle.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <set>

#include "engine/store/store.hpp"
#include "engine/store/system.hpp"
#include "tests/unit/machine/sample.hpp"

namespace nvmlab {
namespace {

using test::SampleImage;

// A private store in memory of its own.
class PrivateStore {
 public:
  PrivateStore(std::uint32_t gpu_count, std::uint64_t identity) : size_(store_size(gpu_count)) {
    memory_ = sys::map_private(size_);
    SampleImage image(1);
    build_store(memory_, image.view(), gpu_count, "handles", identity);
  }
  ~PrivateStore() { sys::unmap(memory_, size_); }
  PrivateStore(const PrivateStore&) = delete;
  PrivateStore& operator=(const PrivateStore&) = delete;
  Store& store() { return *static_cast<Store*>(memory_); }

 private:
  std::uint64_t size_;
  void* memory_;
};

TEST(Handle, FindsItsGpuAndNoOther) {
  PrivateStore machine(64, 1);
  std::set<std::uint64_t> seen;
  for (std::uint32_t i = 0; i < 64; ++i) {
    const GpuSlot& slot = machine.store().gpus()[i];
    EXPECT_EQ(find_gpu(machine.store(), machine.store().header.gpu_count, slot.handle), &slot);
    EXPECT_EQ(handle_index(slot.handle), i);
    EXPECT_TRUE(seen.insert(slot.handle).second) << "handle of GPU " << i << " is taken";
  }
}

// Processes look for a handle where its last bits lead, and compare it with what lies there.
TEST(Handle, NoneEqualsWhatLiesInPlaceOfAGpuThatIsGone) {
  PrivateStore machine(128, 1);
  Store& store = machine.store();
  for (std::uint32_t i = 0; i < 128; ++i) {
    GpuSlot& slot = store.gpus()[i];
    const std::uint64_t handle = slot.handle;
    remove_gpu(&store, &slot);
    EXPECT_FALSE(present(slot)) << i;
    EXPECT_NE(slot.handle % kKnownHandles, handle % kKnownHandles) << i;
    for (const std::uint64_t nobodys : {slot.handle, std::uint64_t{0}, std::uint64_t{1}, handle})
      EXPECT_EQ(find_gpu(store, store.header.gpu_count, nobodys), nullptr) << i;
    return_gpu(&store, &slot);
    EXPECT_TRUE(present(slot)) << i;
  }
  take_down(&store);
  for (std::uint32_t i = 0; i < 128; ++i) {
    EXPECT_FALSE(present(store.slots()[i])) << i;
    EXPECT_NE(store.slots()[i].handle % kKnownHandles, i * kHandleSpread % kKnownHandles) << i;
  }
}

TEST(Handle, OfAUnitIsNoGpuAndNoOtherUnit) {
  PrivateStore machine(8, 1);
  PrivateStore other(8, 2);
  const Store& store = machine.store();
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint64_t handle = unit_handle(store, i);
    EXPECT_EQ(find_unit(store, handle, 4), i);
    EXPECT_EQ(find_unit(store, handle, i), i) << "none of so few";
    EXPECT_EQ(find_gpu(store, store.header.gpu_count, handle), nullptr);
    EXPECT_EQ(find_unit(other.store(), handle, 4), 4u) << "of another machine";
    EXPECT_EQ(find_unit(store, store.gpus()[i].handle, 4), 4u) << "of a GPU";
    for (unsigned bit = 0; bit < 64; ++bit)
      EXPECT_EQ(find_unit(store, handle ^ std::uint64_t{1} << bit, 4), 4u) << "bit " << bit;
  }
  EXPECT_EQ(find_unit(store, 0, 4), 4u);
}

TEST(Handle, LooksLikeAPointerThatNothingLiesAt) {
  const std::uint64_t handle = make_handle(HandleKind::device, 0xFFF, 0xFFFF);
  EXPECT_LT(handle, std::uint64_t{1} << 47);
  EXPECT_NE(handle, 0u);
  EXPECT_EQ(handle >> 32, kHandleTag);
}

TEST(Handle, ForeignOnesAreRefused) {
  PrivateStore machine(8, 1);
  const int local = 0;
  for (const std::uint64_t handle :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, ~std::uint64_t{0}, std::uint64_t{0xDEADBEEF},
        kHandleTag << 32, reinterpret_cast<std::uint64_t>(&local), reinterpret_cast<std::uint64_t>(&machine.store()),
        reinterpret_cast<std::uint64_t>(machine.store().slots())}) {
    EXPECT_EQ(find_gpu(machine.store(), machine.store().header.gpu_count, handle), nullptr) << std::hex << handle;
  }
  std::mt19937_64 random(20240607);
  for (int i = 0; i < 1'000'000; ++i)
    ASSERT_EQ(find_gpu(machine.store(), machine.store().header.gpu_count, random()), nullptr);
}

TEST(Handle, OtherKindsAreRefused) {
  PrivateStore machine(8, 1);
  const auto generation = static_cast<std::uint32_t>(machine.store().gpus()[3].handle >> 16) & 0xFFF;
  ASSERT_NE(find_gpu(machine.store(), machine.store().header.gpu_count, make_handle(HandleKind::device, generation, 3)),
            nullptr);
  for (const HandleKind kind : {HandleKind::event_set, HandleKind::unit, HandleKind::gpm_sample,
                                HandleKind::gpu_instance, HandleKind::compute_instance, HandleKind::mig_device}) {
    EXPECT_EQ(find_gpu(machine.store(), machine.store().header.gpu_count, make_handle(kind, generation, 3)), nullptr);
  }
}

TEST(Handle, AStaleGenerationIsRefused) {
  PrivateStore before(8, 1);
  PrivateStore after(8, 2);
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint64_t stale = before.store().gpus()[i].handle;
    EXPECT_NE(stale, after.store().gpus()[i].handle);
    EXPECT_EQ(find_gpu(after.store(), after.store().header.gpu_count, stale), nullptr);
  }
}

TEST(Handle, AGpuThatIsGoneIsNotFound) {
  PrivateStore machine(2, 1);
  const std::uint64_t handle = machine.store().gpus()[1].handle;
  machine.store().gpus()[1].handle = 0;
  EXPECT_EQ(find_gpu(machine.store(), machine.store().header.gpu_count, handle), nullptr);
  EXPECT_EQ(find_gpu(machine.store(), machine.store().header.gpu_count, 0), nullptr);
}

TEST(Handle, EverySingleBitOfDamageIsRefused) {
  // Against the largest machine there can be, whose indices leave the least room between good handles.
  PrivateStore machine(kMaxGpus, 3);
  const Store& store = machine.store();
  for (std::uint32_t i = 0; i < kMaxGpus; ++i) {
    const std::uint64_t good = store.gpus()[i].handle;
    ASSERT_EQ(find_gpu(store, store.header.gpu_count, good), &store.gpus()[i]);
    for (int bit = 0; bit < 64; ++bit) {
      ASSERT_EQ(find_gpu(store, store.header.gpu_count, good ^ (std::uint64_t{1} << bit)), nullptr)
          << "GPU " << i << ", bit " << bit;
    }
  }
}

TEST(Handle, IndexZeroCarriesItsGeneration) {
  // The spread of index 0 is 0; kind and generation still tell it from small numbers and from each other.
  for (std::uint32_t generation = 1; generation < 0x1000; ++generation) {
    const std::uint64_t handle = make_handle(HandleKind::device, generation, 0);
    ASSERT_EQ(handle_index(handle), 0u);
    ASSERT_NE(handle, make_handle(HandleKind::device, generation - 1, 0));
  }
}

}  // namespace
}  // namespace nvmlab
