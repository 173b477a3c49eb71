// SPDX-License-Identifier: Apache-2.0
// What a Library knows about itself, and how it ends.
#include "nvmlab/nvml/library.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "nvmlab/nvml/fake.hpp"
#include "nvmlab/nvml/objects.hpp"
#include "tests/binding/support/fake_objects.hpp"
#include "tests/binding/support/simulated.hpp"
#include "tests/support/waiting.hpp"

namespace nvml {
namespace {

using namespace std::chrono_literals;
using nvmlab::binding_test::code;
using nvmlab::binding_test::gpus;
using nvmlab::binding_test::open_simulated;

TEST(Library, KnowsItsFunctions) {
  const Library library = open_simulated();
  EXPECT_TRUE(library.has("nvmlDeviceGetPowerUsage"));
  EXPECT_TRUE(library.has<&Functions::nvmlDeviceGetPowerUsage>());
  EXPECT_FALSE(library.has("nvmlDeviceGetNoSuchThing"));
  EXPECT_TRUE(library.has("nvmlInternalGetExportTable"));  // exported, and no header has it
}

TEST(Library, FindsAnySymbolByNameAndType) {
  const Library library = open_simulated();
  auto* const count_gpus = library.find<abi::nvmlReturn_t(unsigned*)>("nvmlDeviceGetCount_v2");
  ASSERT_NE(count_gpus, nullptr);
  unsigned count = 0;
  EXPECT_EQ(count_gpus(&count), abi::NVML_SUCCESS);
  EXPECT_EQ(count, 8U);
  EXPECT_EQ(library.find<void()>("nvmlNewerThanThis"), nullptr);
}

TEST(Library, FromATableHasThatTable) {
  Functions functions;
  functions.nvmlDeviceGetCount_v2 = [](unsigned* count) {
    *count = 2;
    return abi::NVML_SUCCESS;
  };
  functions.nvmlShutdown = [] { return abi::NVML_ERROR_UNKNOWN; };
  Library library = Library::from_table(functions);
  EXPECT_EQ(gpus(library).value(), 2U);
  EXPECT_TRUE(library.has("nvmlDeviceGetCount_v2"));
  EXPECT_FALSE(library.has("nvmlInit_v2"));
  EXPECT_EQ(library.path(), "");
  EXPECT_TRUE(library.shutdown().has_value());  // not initialised here, so not shut down
}

// Three GPUs, of which the second has fallen off the bus.
class LostGpu : public testing::Test {
 protected:
  LostGpu() {
    fake.set<&Functions::nvmlDeviceGetCount_v2>([](unsigned* count) {
      *count = 3;
      return abi::NVML_SUCCESS;
    });
    fake.set<&Functions::nvmlDeviceGetHandleByIndex_v2>([](unsigned index, abi::nvmlDevice_t* device) {
      *device = index == 1 ? nullptr : nvmlab::binding_test::device_handle(0x10 + index);
      return index == 1 ? abi::NVML_ERROR_GPU_IS_LOST : abi::NVML_SUCCESS;
    });
    fake.set<&Functions::nvmlDeviceGetIndex>([](abi::nvmlDevice_t device, unsigned* index) {
      *index = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device)) - 0x10;
      return abi::NVML_SUCCESS;
    });
  }
  Fake fake;
};

TEST_F(LostGpu, IsSeenInTheShortestLoop) {
  std::vector<unsigned> told;
  unsigned failed = 0;
  for (auto&& device : fake.library().devices()) {
    const auto index = device.index();
    if (index) told.push_back(*index);
    failed += !index;
  }
  EXPECT_EQ(told, (std::vector<unsigned>{0, 2}));
  EXPECT_EQ(failed, 1U) << "a monitor shows three GPUs";
}

TEST_F(LostGpu, SaysWhatItIs) {
  const auto devices = fake.library().devices();
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_FALSE(devices[0].refusal());
  ASSERT_TRUE(devices[1].refusal());
  const std::string told = devices[1].refusal()->message();
  EXPECT_TRUE(told.starts_with("nvmlDeviceGetHandleByIndex_v2: GPU is lost (the driver's answer), GPU 1\n")) << told;
  EXPECT_EQ(devices[1].handle(), nullptr);
  EXPECT_EQ(devices[1].memory_info().error(), *devices[1].refusal()) << "a family of versions";
  EXPECT_EQ(devices[1].running_compute_processes().error(), *devices[1].refusal()) << "a list";
  EXPECT_EQ(devices[1].set_power_management_limit(Milliwatts{1}).error(), *devices[1].refusal());
  EXPECT_TRUE(devices[1].mig_devices().at(0).refusal()) << "nobody knows whether it has any";
}

TEST_F(LostGpu, IsSeenAlsoWhereTheirNumberIsNotKnown) {
  fake.set_answer<&Functions::nvmlDeviceGetCount_v2>(code(abi::NVML_ERROR_UNKNOWN));
  const auto devices = fake.library().devices();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].uuid().error(), (Error{code(abi::NVML_ERROR_UNKNOWN), Origin::driver, "nvmlDeviceGetCount_v2"}));
}

TEST_F(LostGpu, UnitsAreNoneWhereTheDriverKnowsNone) {
  EXPECT_TRUE(fake.library().units().empty());
  fake.set_answer<&Functions::nvmlUnitGetCount>(code(abi::NVML_ERROR_NOT_SUPPORTED));
  EXPECT_TRUE(fake.library().units().empty());
  fake.set_answer<&Functions::nvmlUnitGetCount>(code(abi::NVML_ERROR_UNKNOWN));
  EXPECT_EQ(fake.library().units().size(), 1U);
}

TEST(Library, ShutdownAnswersWhatNvmlDoes) {
  Library good = open_simulated();
  EXPECT_TRUE(good.shutdown().has_value());

  Fake fake;
  Library bad = fake.library();
  fake.set_answer<&Functions::nvmlShutdown>(code(abi::NVML_ERROR_UNKNOWN));
  const auto answer = bad.shutdown();
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error(), (Error{code(abi::NVML_ERROR_UNKNOWN), Origin::driver, "nvmlShutdown"}));
}

TEST(Library, AfterShutdownCallsAreRefused) {
  Library library = open_simulated();
  ASSERT_TRUE(library.shutdown().has_value());
  const Error refused{code(abi::NVML_ERROR_UNINITIALIZED), Origin::binding, "nvmlDeviceGetCount_v2"};
  ASSERT_FALSE(gpus(library).has_value());
  EXPECT_EQ(gpus(library).error(), refused);
  EXPECT_FALSE(library.has("nvmlDeviceGetCount_v2"));

  const auto again = library.shutdown();
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error(), (Error{code(abi::NVML_ERROR_UNINITIALIZED), Origin::binding, "nvmlShutdown"}));
}

TEST(Library, ShutdownWaitsForOtherOwners) {
  std::atomic<bool> shut = false;
  Fake fake;
  fake.set<&Functions::nvmlShutdown>([&] {
    shut = true;
    return abi::NVML_SUCCESS;
  });
  Library library = fake.library();
  std::optional<Library> other = library;

  std::thread owner{[&, waiter = gettid()] {
    EXPECT_TRUE(nvmlab::test::becomes_blocked(waiter));
    EXPECT_FALSE(shut);
    other.reset();
  }};
  EXPECT_TRUE(library.shutdown(nvmlab::test::kDeadline).has_value());
  EXPECT_TRUE(shut);
  owner.join();
}

TEST(Library, ShutdownGivesUpAfterItsPatienceAndTheLastOwnerDoesIt) {
  std::atomic<int> shutdowns = 0;
  Fake fake;
  fake.set<&Functions::nvmlShutdown>([&] {
    ++shutdowns;
    return abi::NVML_SUCCESS;
  });
  Library library = fake.library();
  std::optional<Library> other = library;

  const auto answer = library.shutdown(5ms);
  ASSERT_FALSE(answer.has_value());
  EXPECT_EQ(answer.error(), (Error{code(abi::NVML_ERROR_TIMEOUT), Origin::binding, "nvmlShutdown"}));
  EXPECT_EQ(shutdowns, 0);
  other.reset();
  EXPECT_EQ(shutdowns, 0);  // the fake is an owner too
  fake = Fake{};
  EXPECT_EQ(shutdowns, 1);
}

TEST(Library, ShutdownRunsIntoNoCall) {
  for (int round = 0; round < 20; ++round) {
    Library library = open_simulated();
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&wrong, own = library] {
        for (int i = 0; i < 200; ++i) {
          if (gpus(own).value_or(0) != 8) ++wrong;
        }
      });
    }
    const auto answer = library.shutdown(nvmlab::test::kDeadline);
    EXPECT_TRUE(answer.has_value()) << answer.error().message();
    for (auto& thread : threads)
      thread.join();
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace nvml
