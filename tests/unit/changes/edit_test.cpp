// SPDX-License-Identifier: Apache-2.0
//
// What is published after any sequence of changes, some of whose writers were killed on the way, is what they made; and
// only topics that changed, or in which the two copies differed, are written.
#include "engine/store/edit.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>

namespace nvmlab::changes_test {
namespace {

struct Slot {
  std::unique_ptr<GpuSlot> slot = std::make_unique<GpuSlot>();
  std::unique_ptr<Gpu> scratch = std::make_unique<Gpu>();
  std::unique_ptr<Overlay> overlay = std::make_unique<Overlay>();

  const Gpu& published() const { return slot->copies[slot->sequence & 1]; }
  Gpu& other() const { return slot->copies[(slot->sequence + 1) & 1]; }
};

// Any topic by its place.
template <class Visit>
void with_topic(std::uint32_t index, const Visit& visit) {
  visit_topics(static_cast<const Gpu*>(nullptr), [&](auto topic) {
    using Topic = std::remove_reference_t<decltype(std::declval<Gpu&>().*topic)>;
    if (kTopicIndex<Topic> == index) visit(topic);
  });
}

constexpr std::uint32_t kTopics = kTopicIndex<Utilization> + 1;

TEST(Edit, WhatIsPublishedIsWhatChangesMadeWhoeverWasKilled) {
  const Slot gpu;
  const auto expected = std::make_unique<Gpu>();
  std::mt19937 random(20261122);
  int killed = 0;
  for (int round = 0; round < 3000; ++round) {
    GpuEdit draft(*gpu.slot, *gpu.scratch, *gpu.overlay);
    std::memset(gpu.scratch.get(), 0x5A, sizeof(Gpu));  // what lies there does not matter
    std::uint32_t edited = 0;
    const bool dies = random() % 3 == 0;
    for (std::uint32_t i = 0; i < 1 + random() % 3; ++i) {
      const auto index = static_cast<std::uint32_t>(random() % kTopics);
      edited |= 1u << index;
      with_topic(index, [&](auto topic) {
        auto* bytes = reinterpret_cast<unsigned char*>(&draft.edit(topic));
        const std::size_t at = random() % sizeof(draft.view(topic));
        const auto value = static_cast<unsigned char>(random());
        bytes[at] = value;
        if (!dies) reinterpret_cast<unsigned char*>(&((*expected).*topic))[at] = value;
      });
    }
    if (dies) {
      // As a writer that notes what it is about to write, writes some of it, and is no more.
      gpu.slot->same &= ~edited;
      for (std::uint32_t index = 0; index < kTopics; ++index) {
        if ((edited >> index & 1) == 0) continue;
        with_topic(index,
                   [&](auto topic) { std::memset(&(gpu.other().*topic), 0xA5, sizeof(gpu.other().*topic) / 2); });
      }
      ++killed;
    } else {
      draft.publish();
    }
    ASSERT_EQ(std::memcmp(&gpu.published(), expected.get(), sizeof(Gpu)), 0) << "round " << round;
  }
  EXPECT_GT(killed, 500);
}

TEST(Edit, TopicsThatNobodyChangedAreNotWritten) {
  const Slot gpu;
  const auto change_power = [&](std::uint32_t value) {
    GpuEdit draft(*gpu.slot, *gpu.scratch, *gpu.overlay);
    draft.edit(&Gpu::power).limit_mw.set(value);
    draft.publish();
  };
  change_power(1);  // both copies are alike from here on, but for the topic that changes
  std::memset(&gpu.other().clocks, 0xA5, sizeof(Clocks));
  change_power(2);
  EXPECT_EQ(reinterpret_cast<const unsigned char*>(&gpu.published().clocks)[0], 0xA5) << "the clocks were copied, too";
  EXPECT_EQ(gpu.published().power.limit_mw.value, 2U);
  change_power(3);
  EXPECT_EQ(gpu.published().power.limit_mw.value, 3U);
}

}  // namespace
}  // namespace nvmlab::changes_test
