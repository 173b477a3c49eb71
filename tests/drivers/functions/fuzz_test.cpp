// SPDX-License-Identifier: Apache-2.0
//
// Long random conversations with the driver (support/conversation.hpp). The seed is fixed, so that what fails once
// fails again; NVMLAB_FUZZ_SEED and NVMLAB_FUZZ_CALLS try others. Built with a sanitizer, the driver is one too, and
// the test runs as it is. tests/fuzz/ has the same conversations led by coverage.
#include <gtest/gtest.h>

#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "tests/drivers/functions/support/conversation.hpp"
#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

class Random : public Choices {
 public:
  explicit Random(std::uint64_t seed) : random_(seed) {}
  std::size_t pick(std::size_t below) override {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }
  std::uint64_t any() override { return random_(); }

 private:
  std::mt19937_64 random_;
};

std::uint64_t number(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

class Fuzz : public testing::TestWithParam<const char*> {};

TEST_P(Fuzz, NoConversationCrashesOrWritesWhereItShouldNot) {
  const SharedMachine machine(GetParam());
  if (std::string(GetParam()) == "dgx-h100") machine.fill_gpu(1);  // one GPU where everything has a value
  auto* notes =
      static_cast<Notes*>(::mmap(nullptr, sizeof(Notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(notes, MAP_FAILED);
  const std::uint64_t seed = number("NVMLAB_FUZZ_SEED", 20240901);
  const std::uint64_t calls = number("NVMLAB_FUZZ_CALLS", 60'000);
  const auto talk = [&] {
    Random random(seed);
    Conversation conversation(random, *notes);
    Driver::get().init();
    for (std::uint64_t i = 0; i < calls; ++i) {
      if (i % 500 == 0) Driver::get().init();
      if (const std::string wrong = conversation.say(); !wrong.empty()) return wrong;
    }
    return std::string();
  };
  const auto said = as_root(talk);
  const std::string result = said ? *said : in_child(talk);  // without rights, setters refuse: still worth a talk
  EXPECT_EQ(result, "") << "seed " << seed << ", call " << notes->count << ", after\n" << notes->history();
  EXPECT_GT(notes->count, calls / 2);
  ::munmap(notes, sizeof(Notes));
}

// The same from eight threads at once, on one machine and with one count of inits. No thread may say a wrong word, and
// under the thread sanitizer no two may touch a word of the library or of the store at once.
TEST(FuzzThreads, EightConversationsAtOnce) {
  const Environment root{{"NVMLAB_ROLE", "root"}};
  const SharedMachine machine("dgx-h100");
  machine.fill_gpu(1);
  const std::uint64_t seed = number("NVMLAB_FUZZ_SEED", 20240901);
  const std::uint64_t calls = number("NVMLAB_FUZZ_CALLS", 60'000) / 8;
  std::array<std::string, 8> wrong;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    threads.emplace_back([&, i] {
      Random random(seed + i);
      Notes notes{};
      Conversation conversation(random, notes);
      for (std::uint64_t call = 0; call < calls && wrong[i].empty(); ++call) {
        if (call % 100 == 0) Driver::get().init();
        wrong[i] = conversation.say();
      }
      if (!wrong[i].empty()) wrong[i] += ", after\n" + notes.history();
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  for (const std::string& said : wrong)
    EXPECT_EQ(said, "") << "seed " << seed;
}

INSTANTIATE_TEST_SUITE_P(Machines, Fuzz, testing::Values("dgx-a100", "dgx-h100", "g4dn-xlarge"),
                         [](const auto& machine) {
                           return std::string(machine.param) == "g4dn-xlarge" ? std::string("t4")
                                                                              : std::string(machine.param).substr(4);
                         });

}  // namespace
}  // namespace nvmlab::driver_test
