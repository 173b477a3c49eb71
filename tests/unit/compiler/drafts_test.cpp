// SPDX-License-Identifier: Apache-2.0
#include "compiler/drafts.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "compiler/literal.hpp"
#include "compiler/paths.hpp"

namespace nvmlab::compiler {
namespace {

// A machine with two boards: GPU 0 and GPU 1 have the first, GPU 2 has the second.
class DraftChecking : public testing::Test {
 protected:
  DraftChecking() {
    drafts_.machine = "m";
    drafts_.boards.resize(2);
    drafts_.gpus = {{0, {}}, {0, {}}, {1, {}}};
    add(drafts_.node, "system.driver_version", "550.163.01");
  }

  void add(std::vector<DraftValue>& values, std::string_view field, const Literal& value,
           const Source* source = nullptr) {
    const FieldRef ref = *find_field(field);
    auto& bytes = bytes_.emplace_back(ref.field->size);
    Problems problems;
    ASSERT_TRUE(store(value, *ref.field, field, {}, bytes.data(), problems)) << describe(problems);
    values.push_back({field, bytes, source == nullptr ? &written_ : source, {file_, ++line_, 0}});
  }

  static std::string text(const std::vector<DraftProblem>& problems) {
    std::string out;
    for (const DraftProblem& problem : problems) {
      const std::string gpu = problem.gpu ? " of GPU " + std::to_string(*problem.gpu) : "";
      out += std::string(problem.field) + gpu + " at " + problem.origin.error(problem.message).text() + "\n";
    }
    return out;
  }
  std::string problems() const { return text(check(drafts_).problems); }

  Drafts drafts_;
  const Source written_{"w", "assumed", "", ""};
  const Source captured_{"c", "capture", "", ""};

 private:
  std::deque<std::vector<std::byte>> bytes_;
  std::shared_ptr<const std::string> file_ = std::make_shared<const std::string>("in");
  std::size_t line_ = 0;
};

TEST_F(DraftChecking, FindsNothingInASoundMachine) {
  add(drafts_.boards[0].values, "memory.total_bytes", 100);
  add(drafts_.gpus[1].values, "memory.used_bytes", 100);
  EXPECT_EQ(problems(), "");
  EXPECT_EQ(text(check(drafts_).notes), "");
}

TEST_F(DraftChecking, NamesTheFieldTheGpuAndTheOrigin) {
  add(drafts_.boards[0].values, "memory.total_bytes", 100);
  add(drafts_.gpus[1].values, "memory.used_bytes", 101);
  EXPECT_EQ(problems(),
            "memory.used_bytes of GPU 1 at in:3: memory.used_bytes 101 and memory.reserved_bytes 0 together are more "
            "than memory.total_bytes 100\n");
}

TEST_F(DraftChecking, AValueOfABoardIsReportedOnce) {
  add(drafts_.boards[0].values, "memory.bar1_total_bytes", 1);
  add(drafts_.boards[0].values, "memory.bar1_used_bytes", 2);
  EXPECT_EQ(problems(),
            "memory.bar1_used_bytes of GPU 0 at in:3: memory.bar1_used_bytes 2 is more than memory.bar1_total_bytes "
            "1\n");
}

TEST_F(DraftChecking, ListsProblemsInTheOrderOfTheValues) {
  add(drafts_.gpus[2].values, "identity.uuid", "GPU-2");
  add(drafts_.gpus[0].values, "identity.uuid", "GPU-0");
  add(drafts_.boards[1].values, "memory.bar1_total_bytes", 1);
  add(drafts_.boards[1].values, "memory.bar1_used_bytes", 2);
  std::vector<std::string> order;
  const auto found = check(drafts_);
  for (const DraftProblem& problem : found.problems)
    order.push_back(std::string(problem.field) + " " + std::to_string(problem.gpu.value_or(9)));
  EXPECT_EQ(order, (std::vector<std::string>{"memory.bar1_used_bytes 2", "identity.uuid 0", "identity.uuid 2"}));
}

TEST_F(DraftChecking, AGpuWithoutTheValueHasNoField) {
  add(drafts_.gpus[0].values, "identity.minor_number", 1);
  EXPECT_EQ(problems(), " of GPU 1 at GPU 0 and GPU 1 have the same minor number 1\n");
}

TEST_F(DraftChecking, OnlyACaptureIsBelievedWhatIsOdd) {
  add(drafts_.boards[1].values, "power.max_limit_mw", 3);
  add(drafts_.boards[1].values, "power.limit_mw", 4, &captured_);
  EXPECT_EQ(text(check(drafts_).notes),
            "power.limit_mw of GPU 2 at in:3: power.limit_mw 4 is above power.max_limit_mw 3; a capture says so, and "
            "it stands\n");
  drafts_.boards[1].values.back().source = &written_;
  EXPECT_EQ(problems(), "power.limit_mw of GPU 2 at in:3: power.limit_mw 4 is above power.max_limit_mw 3\n");
}

TEST_F(DraftChecking, ABoardHasTheValuesThatItInherits) {
  drafts_.boards[1].inherits = {"t4"};
  add(drafts_.gpus[2].values, "memory.used_bytes", std::uint64_t{1} << 40);
  const auto found = check(drafts_);
  ASSERT_EQ(found.problems.size(), 1U) << text(found.problems);
  EXPECT_EQ(found.problems.front().field, "memory.used_bytes");
}

// A driver deprecates a value on every board, so the family's value is kept.
TEST_F(DraftChecking, ADeprecatedValueIsThatOfTheFamily) {
  drafts_.boards[1].inherits = {"t4"};
  add(drafts_.node, "system.cuda_version", 12040);
  add(drafts_.gpus[2].values, "power.state", ErrorCode{26});
  EXPECT_EQ(problems(), "");
}

TEST_F(DraftChecking, AProfileNeedsADriverAndAName) {
  drafts_.node.clear();
  EXPECT_EQ(problems(), " of GPU 0 at system.driver_version is missing; a node has a driver\n");
  add(drafts_.node, "system.driver_version", "five");
  EXPECT_EQ(problems(),
            "system.driver_version at in:2: 'five' is no driver version; one such as 535.161.08 would be right\n");
  drafts_.machine = "a b";
  EXPECT_EQ(problems(), " at 'a b' cannot be a name; at most 63 letters, digits, '-', '_' and '.' would be right\n");
}

TEST_F(DraftChecking, AMachineHasALimitedNumberOfGpus) {
  drafts_.gpus.resize(100'000);
  EXPECT_EQ(problems().substr(0, 13), " at more than");
}

}  // namespace
}  // namespace nvmlab::compiler
