// SPDX-License-Identifier: Apache-2.0
// GPUs in the making share what they do not change, and none sees what was done to another.
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "compiler/gpu_drafts.hpp"

namespace nvmlab::compiler {
namespace {

constexpr std::uint32_t kCores = 100;

void mark(std::size_t leaf, const yaml::Place& place, Marks& marks) { marks[leaf].place = &place; }

TEST(Marks, ACopyIsItsOwn) {
  const yaml::Place first;
  const yaml::Place second;
  Marks marks(100);
  EXPECT_EQ(marks.size(), 100U);
  mark(3, first, marks);
  mark(99, first, marks);
  Marks copy = marks;
  mark(3, second, copy);
  mark(4, second, copy);
  EXPECT_EQ(std::as_const(marks)[3].place, &first);
  EXPECT_EQ(std::as_const(marks)[4].place, nullptr);
  EXPECT_EQ(std::as_const(marks)[50].place, nullptr);
  EXPECT_EQ(std::as_const(copy)[3].place, &second);
  EXPECT_EQ(std::as_const(copy)[99].place, &first);
  mark(99, second, marks);
  EXPECT_EQ(std::as_const(copy)[99].place, &first);
}

TEST(Zeroed, CopiesWhatDiffers) {
  Zeroed<Gpu> from;
  from->identity.core_count.set(kCores);
  from->power.draw_mw.set(1);
  Zeroed<Gpu> to(*from);
  EXPECT_EQ(std::memcmp(from.get(), to.get(), sizeof(Gpu)), 0);
  from->power.draw_mw = {};
  from->pci.bus.set(7);
  copy_differences(*from, *to);
  EXPECT_EQ(std::memcmp(from.get(), to.get(), sizeof(Gpu)), 0);
}

class Drafts : public testing::Test {
 protected:
  Drafts() {
    board_ = start(kCores);
    list(*board_, 1, 10);
    other_ = start(kCores + 1);
    list(*other_, 2, 20);
    list(*board_, 1, 30);
  }

  const GpuDrafts::Start* start(std::uint32_t cores) {
    GpuDraft& draft = drafts_.blank();
    EXPECT_FALSE(draft.state->pci.bus.has_value());
    EXPECT_EQ(std::as_const(draft.marks)[5].place, nullptr);
    draft.state->identity.core_count.set(cores);
    if (cores == kCores) mark(5, place_, draft.marks);
    return &drafts_.keep_start();
  }

  void list(const GpuDrafts::Start& start, std::uint32_t count, std::uint32_t bus) {
    GpuDraft& gpu = drafts_.begin(start);
    EXPECT_FALSE(gpu.state->pci.bus.has_value());
    gpu.state->pci.bus.set(bus);
    mark(bus, place_, gpu.marks);
    drafts_.keep(count, place_);
  }

  yaml::Place place_;
  GpuDrafts drafts_;
  const GpuDrafts::Start* board_ = nullptr;
  const GpuDrafts::Start* other_ = nullptr;
};

TEST_F(Drafts, AreAsTheyWereKept) {
  ASSERT_EQ(drafts_.size(), 4U);
  const std::uint32_t buses[] = {10, 20, 20, 30};
  for (const std::uint32_t index : {3U, 0U, 1U, 2U, 0U}) {
    const GpuDraft& gpu = drafts_.load(index);
    const bool other = index == 1 || index == 2;
    EXPECT_EQ(gpu.state->pci.bus.value, buses[index]) << index;
    EXPECT_EQ(gpu.state->identity.core_count.value, other ? kCores + 1 : kCores) << index;
    EXPECT_EQ(gpu.marks[5].place, other ? nullptr : &place_) << index;
    EXPECT_EQ(gpu.marks[buses[index]].place, &place_) << index;
    EXPECT_EQ(&drafts_.start(index), other ? other_ : board_) << index;
    EXPECT_EQ(drafts_.repetition(index), index == 2 ? 1U : 0U);
    EXPECT_EQ(&drafts_.place(index), &place_);
  }
}

TEST_F(Drafts, ForgetWhatIsDoneToThem) {
  GpuDraft& gpu = drafts_.load(0);
  gpu.state->pci.bus.set(99);
  gpu.state->memory.total_bytes.set(1);
  mark(7, place_, gpu.marks);
  const GpuDraft& next = drafts_.load(3);
  EXPECT_EQ(next.state->pci.bus.value, 30U);
  EXPECT_FALSE(next.state->memory.total_bytes.has_value());
  EXPECT_EQ(next.marks[7].place, nullptr);
  EXPECT_EQ(drafts_.load(0).state->pci.bus.value, 10U);
}

}  // namespace
}  // namespace nvmlab::compiler
