// SPDX-License-Identifier: Apache-2.0
//
// Random making and destroying on every board against a model that knows nothing of the engine: a table of facts of its
// own, and brute force. What can be made, the engine makes; what it says still fits is what can still be made.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/test_name.hpp"
#include "tests/unit/mig/boards.hpp"

namespace nvmlab::mig_test {
namespace {

struct Kind {
  std::uint32_t id = 0;
  std::vector<std::uint32_t> takes;  // compute slices, memory slices, engines
  std::uint32_t most = 0;
  std::vector<std::uint32_t> starts;
};

struct Made {
  const Kind* kind;
  std::uint32_t start;
};

// A chip by geometries.tsv.
class Model {
 public:
  explicit Model(const std::string& geometry) {
    for (const auto& row : table("geometries.tsv")) {
      if (row[0] != geometry) continue;
      std::vector<std::uint32_t> takes;
      for (std::size_t i = 2; i < 8; ++i)
        takes.push_back(static_cast<std::uint32_t>(std::stoul(row[i])));
      if (row[1] == "chip") {
        all_ = takes;
      } else {
        kinds_.push_back({static_cast<std::uint32_t>(std::stoul(row[1])), takes,
                          static_cast<std::uint32_t>(std::stoul(row[8])), numbers(row[9])});
      }
    }
  }

  const std::vector<Kind>& kinds() const { return kinds_; }
  std::vector<Made>& made() { return made_; }

  bool fits(const Kind& kind, std::uint32_t start) const {
    if (std::ranges::find(kind.starts, start) == kind.starts.end()) return false;
    if (std::ranges::count(made_, &kind, &Made::kind) >= kind.most) return false;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      std::uint32_t taken = kind.takes[i];
      for (const Made& each : made_)
        taken += each.kind->takes[i];
      if (taken > all_[i]) return false;
    }
    return std::ranges::none_of(made_, [&](const Made& each) {
      return start < each.start + each.kind->takes[1] && each.start < start + kind.takes[1];
    });
  }

  bool fits(const Kind& kind) const {
    return std::ranges::any_of(kind.starts, [&](std::uint32_t start) { return fits(kind, start); });
  }

  // The most that can be added, over all ways to add them.
  std::uint32_t capacity(const Kind& kind, std::size_t from = 0) {
    std::uint32_t best = 0;
    for (std::size_t i = from; i < kind.starts.size(); ++i) {
      if (!fits(kind, kind.starts[i])) continue;
      made_.push_back({&kind, kind.starts[i]});
      best = std::max(best, 1 + capacity(kind, i + 1));
      made_.pop_back();
    }
    return best;
  }

 private:
  std::vector<std::uint32_t> all_;
  std::vector<Kind> kinds_;
  std::vector<Made> made_;
};

class MigModel : public testing::TestWithParam<BoardCase> {};

TEST_P(MigModel, AgreesWithTheEngine) {
  const BoardCase& board = GetParam();
  MigMachine machine(board.inherits, board.missing);
  Model model(board.geometry);
  ASSERT_EQ(machine.make(SetMigMode{1}), kSuccess);
  ASSERT_EQ(machine.board().count, model.kinds().size());
  const std::uint64_t used = machine.gpu().memory.used_bytes.value_or(0);
  std::mt19937 random(20261123);
  std::uint32_t made = 0;
  std::uint32_t refused = 0;
  for (int step = 0; step < 1500; ++step) {
    const Kind& kind = model.kinds()[random() % model.kinds().size()];
    const MigLayout before = machine.layout();
    switch (random() % 4) {
      case 0: {
        const Code code = machine.make(CreateGpuInstance{kind.id, kAnyStart, 0});
        ASSERT_EQ(code, model.fits(kind) ? kSuccess : kInsufficientResources) << "profile " << kind.id;
        if (code != kSuccess) {
          ++refused;
          break;
        }
        ++made;
        const MigLayout after = machine.layout();
        for (std::uint32_t i = 0; i < after.gpu_instances; ++i) {
          const auto& each = after.gpu_instance[i];
          if (before.find(each.id) != nullptr) continue;
          ASSERT_TRUE(model.fits(kind, each.start));
          model.made().push_back({&kind, each.start});
        }
        break;
      }
      case 1: {
        const auto start = static_cast<std::uint32_t>(random() % 13);
        const bool known = std::ranges::find(kind.starts, start) != kind.starts.end();
        const Code code = machine.make(CreateGpuInstance{kind.id, start, kind.takes[1]});
        ASSERT_EQ(code, !known                    ? kInvalidArgument
                        : model.fits(kind, start) ? kSuccess
                                                  : kInsufficientResources)
            << "profile " << kind.id << " at " << start;
        if (code == kSuccess) model.made().push_back({&kind, start});
        break;
      }
      default: {
        if (before.gpu_instances == 0) break;
        const auto& gone = before.gpu_instance[random() % before.gpu_instances];
        ASSERT_EQ(machine.make(DestroyGpuInstance{gone.id, gone.serial}), kSuccess);
        EXPECT_EQ(machine.make(DestroyGpuInstance{gone.id, gone.serial}), kNotFound);
        std::erase_if(model.made(), [&](const Made& each) { return each.start == gone.start; });
      }
    }
    const MigLayout now = machine.layout();
    ASSERT_EQ(now.gpu_instances, model.made().size());
    ASSERT_TRUE(possible(machine.board(), now));
    const MigBoard chip = machine.board();
    for (const Kind& each : model.kinds())
      ASSERT_EQ(remaining_capacity(chip, now, *chip.find(each.id)), model.capacity(each)) << "profile " << each.id;
  }
  EXPECT_GT(made, 100U);
  EXPECT_GT(refused, 20U);
  while (machine.layout().gpu_instances > 0)
    ASSERT_EQ(machine.make(DestroyGpuInstance{machine.layout().gpu_instance[0].id, kAnySerial}), kSuccess);
  EXPECT_EQ(machine.gpu().memory.used_bytes.value_or(0), used);
}

INSTANTIATE_TEST_SUITE_P(Boards, MigModel, testing::ValuesIn(kBoards),
                         [](const auto& board) { return board.param.name; });

// Of a GPU instance of so many slices: how many compute instances of so many, by what nvidia-smi mig -lcip prints.
TEST(MigComputeProfiles, AreThoseThatAreListed) {
  struct Row {
    std::uint32_t gpu_profile;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> numbers_and_instances;
  };
  const std::vector<Row> rows = {{19, {{0, 1}}},
                                 {20, {{0, 1}}},
                                 {15, {{0, 1}, {7, 1}}},
                                 {14, {{0, 2}, {1, 1}}},
                                 {9, {{0, 3}, {1, 1}, {2, 1}}},
                                 {5, {{0, 4}, {1, 2}, {3, 1}}},
                                 {0, {{0, 7}, {1, 3}, {2, 2}, {3, 1}, {4, 1}}}};
  const MigMachine machine("h100-sxm5-80gb", 14);
  const MigBoard board = machine.board();
  for (const Row& row : rows) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (std::uint32_t number = 0; number < 20; ++number) {
      ComputeProfile profile{};
      if (find_compute_profile(board, *board.find(row.gpu_profile), number, &profile))
        found.emplace_back(number, profile.instances);
    }
    EXPECT_EQ(found, row.numbers_and_instances) << "in profile " << row.gpu_profile;
  }
  ComputeProfile profile{};
  for (const auto& [number, multiprocessors] : {std::pair{0u, 16u}, std::pair{1u, 32u}, std::pair{2u, 60u}}) {
    ASSERT_TRUE(find_compute_profile(board, *board.find(9), number, &profile));
    EXPECT_EQ(profile.multiprocessors, multiprocessors) << "of 3g.40gb, as a capture shows";
  }
}

// A slice with the memory of two has more multiprocessors than a slice: profile 0 takes those of one, 7 all.
TEST(MigComputeProfiles, AreTwoOfASliceWithTwiceItsMemory) {
  constexpr std::uint32_t k1gTwice = 15;
  MigMachine machine("h100-sxm5-80gb", 14);
  const MigBoard board = machine.board();
  for (const auto& [number, multiprocessors, fills] : {std::tuple{0u, 16u, false}, std::tuple{7u, 26u, true}}) {
    ComputeProfile profile{};
    ASSERT_TRUE(find_compute_profile(board, *board.find(k1gTwice), number, &profile));
    EXPECT_EQ(profile.multiprocessors, multiprocessors);
    EXPECT_EQ(profile.fills, fills);
    EXPECT_EQ(profile.slices, 1U);
  }
  ASSERT_EQ(machine.make(SetMigMode{1}), kSuccess);
  ASSERT_EQ(machine.make(CreateGpuInstance{k1gTwice, kAnyStart, 0}), kSuccess);
  const MigLayout::GpuInstance in = machine.layout().gpu_instance[0];
  for (const std::uint32_t first : {0u, 7u}) {
    ASSERT_EQ(machine.make(CreateComputeInstance{in.id, in.serial, first, kAnyStart}), kSuccess);
    for (const std::uint32_t second : {0u, 7u})
      EXPECT_EQ(machine.make(CreateComputeInstance{in.id, in.serial, second, kAnyStart}), kInsufficientResources);
    ASSERT_EQ(machine.make(DestroyComputeInstance{in.id, 0, kAnySerial}), kSuccess);
  }
}

TEST(MigComputeInstances, HaveTheLowestFreeNumberAndTheirOwnSlices) {
  MigMachine machine("h100-sxm5-80gb", 14);
  ASSERT_EQ(machine.make(SetMigMode{1}), kSuccess);
  ASSERT_EQ(machine.make(CreateGpuInstance{5, kAnyStart, 0}), kSuccess);  // 4g
  const MigLayout::GpuInstance in = machine.layout().gpu_instance[0];
  const auto create = [&](std::uint32_t profile, std::uint32_t start = kAnyStart) {
    return machine.make(CreateComputeInstance{in.id, in.serial, profile, start});
  };
  EXPECT_EQ(create(2), kInvalidArgument) << "no 3c.4g";
  ASSERT_EQ(create(0), kSuccess);
  ASSERT_EQ(create(1), kSuccess);
  EXPECT_EQ(machine.layout().compute_instance[1].start, 2U);
  EXPECT_EQ(create(1), kInsufficientResources);
  ASSERT_EQ(create(0), kSuccess);
  EXPECT_EQ(create(0), kInsufficientResources);
  EXPECT_EQ(machine.make(DestroyGpuInstance{in.id, in.serial}), kInUse);
  ASSERT_EQ(machine.make(DestroyComputeInstance{in.id, 0, kAnySerial}), kSuccess);
  ASSERT_EQ(machine.make(DestroyComputeInstance{in.id, 2, kAnySerial}), kSuccess);
  ASSERT_EQ(create(1), kSuccess);
  EXPECT_EQ(machine.layout().compute_instance[0].id, 0U);
  EXPECT_EQ(machine.layout().compute_instance[0].start, 0U);
  EXPECT_EQ(machine.make(CreateComputeInstance{in.id, in.serial + 1, 0, kAnyStart}), kNotFound) << "another instance";
}

TEST(MigComputeInstances, LieWhereTheirProfileAllowsItWithItsSize) {
  MigMachine machine("h100-sxm5-80gb", 14);
  ASSERT_EQ(machine.make(SetMigMode{1}), kSuccess);
  ASSERT_EQ(machine.make(CreateGpuInstance{5, kAnyStart, 0}), kSuccess);  // 4g
  const MigLayout::GpuInstance in = machine.layout().gpu_instance[0];
  const auto create = [&](std::uint32_t start, std::uint32_t slices) {
    return machine.make(CreateComputeInstance{in.id, in.serial, 1, start, slices});
  };
  EXPECT_EQ(create(2, 1), kInvalidArgument) << "2c.4g has two slices";
  EXPECT_EQ(create(1, 2), kInvalidArgument);
  EXPECT_EQ(create(32, 2), kInvalidArgument);
  EXPECT_EQ(create(2, 2), kSuccess);
  EXPECT_EQ(create(2, 2), kInsufficientResources);
}

TEST(MigInstances, AreReturnedByTheChangeThatCreatesThem) {
  MigMachine machine("h100-sxm5-80gb", 14);
  ASSERT_EQ(machine.make(SetMigMode{1}), kSuccess);
  for (int i = 0; i < 2; ++i) {
    const Applied gpu = machine.change(CreateGpuInstance{19, kAnyStart, 0});  // 1g
    ASSERT_EQ(gpu.code, kSuccess);
    const MigLayout layout = machine.layout();
    const MigLayout::GpuInstance* in = layout.find(gpu.created.id);
    ASSERT_NE(in, nullptr);
    EXPECT_EQ(gpu.created.serial, in->serial);
    const Applied compute = machine.change(CreateComputeInstance{in->id, in->serial, 0, kAnyStart});
    ASSERT_EQ(compute.code, kSuccess);
    EXPECT_EQ(compute.created.id, 0U);
    const MigLayout after = machine.layout();
    EXPECT_EQ(compute.created.serial, after.find(in->id, 0)->serial);
  }
  const Applied rejected = machine.change(CreateGpuInstance{999, kAnyStart, 0});
  EXPECT_EQ(rejected.code, kInvalidArgument);
  EXPECT_EQ(rejected.created.serial, 0U) << "nothing was created";
}

}  // namespace
}  // namespace nvmlab::mig_test
