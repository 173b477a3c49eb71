// SPDX-License-Identifier: Apache-2.0
// Shares of a library: who is the last owner, and what a call through the table answers.
#include "nvmlab/loader/state.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

#include "nvmlab/loader/function_names.hpp"
#include "tests/binding/support/simulated.hpp"

namespace nvml::detail {
namespace {

using nvmlab::binding_test::code;

struct Watched : State {
  explicit Watched(int& counter) : ends(counter) {}
  ~Watched() override { ++ends; }
  int& ends;
};

TEST(Shared, TheLastOwnerEndsTheState) {
  int ends = 0;
  {
    Shared first{new Watched(ends)};
    Shared second = first;
    EXPECT_EQ(first, second);
    EXPECT_EQ(first->owners.load(), 2U);
    first = Shared{};
    EXPECT_FALSE(first);
    EXPECT_EQ(ends, 0);
    const Shared third = std::move(second);
    EXPECT_EQ(third->owners.load(), 1U);
    EXPECT_EQ(ends, 0);
  }
  EXPECT_EQ(ends, 1);
}

TEST(Shared, AssigningReleasesWhatWasHeld) {
  int one = 0;
  int two = 0;
  Shared shared{new Watched(one)};
  shared = Shared{new Watched(two)};
  EXPECT_EQ(one, 1);
  EXPECT_EQ(two, 0);
  const Shared& same = shared;
  shared = same;
  EXPECT_EQ(two, 0);
}

TEST(Shared, OwnersMayBeOnAnyThread) {
  int ends = 0;
  {
    const Shared shared{new Watched(ends)};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([shared] {
        for (int i = 0; i < 10000; ++i)
          const Shared copy = shared;
      });
    }
    for (auto& thread : threads)
      thread.join();
    EXPECT_EQ(ends, 0);
  }
  EXPECT_EQ(ends, 1);
}

TEST(Call, AnswersWhatTheFunctionDoes) {
  State state;
  state.functions.nvmlDeviceGetCount_v2 = [](unsigned* count) {
    *count = 4;
    return *count == 4 ? abi::NVML_SUCCESS : abi::NVML_ERROR_UNKNOWN;
  };
  unsigned count = 0;
  EXPECT_TRUE((call<&Functions::nvmlDeviceGetCount_v2>(state, &count).has_value()));
  EXPECT_EQ(count, 4U);

  state.functions.nvmlDeviceGetCount_v2 = [](unsigned*) { return abi::NVML_ERROR_NO_PERMISSION; };
  const auto refused = call<&Functions::nvmlDeviceGetCount_v2>(state, &count);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error(), (Error{code(abi::NVML_ERROR_NO_PERMISSION), Origin::driver, "nvmlDeviceGetCount_v2"}));
}

TEST(Call, WithoutAFunctionSaysWhy) {
  State state;
  const auto asked = [&](Absence absence) {
    state.absence = absence;
    return call<&Functions::nvmlShutdown>(state).error();
  };
  EXPECT_EQ(asked(Absence::symbol), (Error{code(abi::NVML_ERROR_FUNCTION_NOT_FOUND), Origin::symbol, "nvmlShutdown"}));
  EXPECT_EQ(asked(Absence::fork), (Error{code(abi::NVML_ERROR_UNINITIALIZED), Origin::fork, "nvmlShutdown"}));
  EXPECT_EQ(asked(Absence::closed), (Error{code(abi::NVML_ERROR_UNINITIALIZED), Origin::binding, "nvmlShutdown"}));
}

TEST(Table, NamesBelongToTheirEntries) {
  EXPECT_STREQ(function_names[slot_offset(&Functions::nvmlInit_v2) / sizeof(void*)], "nvmlInit_v2");
  EXPECT_STREQ(function_names[slot_offset(&Functions::nvmlVgpuTypeGetName) / sizeof(void*)], "nvmlVgpuTypeGetName");
  EXPECT_EQ(index_of("nvmlInit_v2"), slot_offset(&Functions::nvmlInit_v2) / sizeof(void*));
  EXPECT_EQ(index_of("nvmlNoSuchThing"), kFunctionCount);

  Functions functions;
  const std::size_t at = index_of("nvmlShutdown");
  functions.nvmlShutdown = [] { return abi::NVML_SUCCESS; };
  EXPECT_EQ(entry(functions, at), reinterpret_cast<void*>(functions.nvmlShutdown));
  set_entry(functions, at, nullptr);
  EXPECT_EQ(functions.nvmlShutdown, nullptr);
}

}  // namespace
}  // namespace nvml::detail
