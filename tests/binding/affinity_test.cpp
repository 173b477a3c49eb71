// SPDX-License-Identifier: Apache-2.0
// Sets of CPUs, counted in words, and performance states, counted in bytes.
#include <gtest/gtest.h>

#include "nvmlab/nvml/generated/enums.hpp"
#include "nvmlab/nvml/shapes/sized_arrays.hpp"

namespace nvml::detail {
namespace {

using Words = std::vector<unsigned long>;

TEST(IndexSet, ItsNumbersAreVisitedInOrder) {
  const IndexSet set{Words{1UL | 1UL << 63, 0, 1UL << 5, 0, 0}};
  EXPECT_EQ(std::vector<unsigned>(set.begin(), set.end()), (std::vector<unsigned>{0, 63, 133}));
  EXPECT_EQ(set.size(), 3U);
  EXPECT_TRUE(set.contains(63));
  EXPECT_FALSE(set.contains(64));
  EXPECT_FALSE(set.contains(1'000'000));
  EXPECT_EQ(set.words().size(), 3U);
}

TEST(IndexSet, ZerosAtTheEndSayNothing) {
  EXPECT_EQ(IndexSet(Words{2, 0, 0}), IndexSet(Words{2}));
  EXPECT_NE(IndexSet(Words{2}), IndexSet(Words{0, 2}));
  const IndexSet none{Words{0, 0}};
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.begin(), none.end());
}

unsigned asked_size;

class Affinity : public testing::Test {
 protected:
  Affinity() {
    library->functions.nvmlDeviceGetCpuAffinity = [](abi::nvmlDevice_t, unsigned words, unsigned long* set) {
      asked_size = words;
      if (words == 0 || set == nullptr) return abi::NVML_ERROR_INVALID_ARGUMENT;
      for (unsigned i = 0; i < words; ++i)
        set[i] = i < 3 ? ~0UL : 0;
      return abi::NVML_SUCCESS;
    };
    library->functions.nvmlDeviceGetSupportedPerformanceStates = [](abi::nvmlDevice_t, abi::nvmlPstates_t* states,
                                                                    unsigned bytes) {
      asked_size = bytes;
      if (bytes < 3 * sizeof *states) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
      for (unsigned i = 0; i < bytes / sizeof *states; ++i)
        states[i] = i < 3 ? abi::nvmlPstates_t{2 * i} : abi::NVML_PSTATE_UNKNOWN;
      return abi::NVML_SUCCESS;
    };
  }
  static constexpr auto kCpus = &Functions::nvmlDeviceGetCpuAffinity;
  static constexpr auto kStates = &Functions::nvmlDeviceGetSupportedPerformanceStates;
  static abi::nvmlReturn_t cpus_once(abi::nvmlDeviceGetCpuAffinity_fn* f, unsigned size, unsigned long* where) {
    return f(nullptr, size, where);
  }
  static abi::nvmlReturn_t states_once(abi::nvmlDeviceGetSupportedPerformanceStates_fn* f, unsigned size,
                                       abi::nvmlPstates_t* where) {
    return f(nullptr, where, size);
  }
  Shared library{new State};
};

TEST_F(Affinity, RoomForEveryCpuIsOfferedInWords) {
  const auto set = index_set(*library, kCpus, cpus_once);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->size(), 192U);
  EXPECT_EQ(asked_size, 8192 / 64U);
}

TEST_F(Affinity, IntoTheCallersWords) {
  unsigned long room[4] = {7, 7, 7, 7};
  const auto set = index_set_into(*library, kCpus, std::span{room}.first(3), cpus_once);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->words().size(), 3U);
  EXPECT_EQ(*set, *index_set(*library, kCpus, cpus_once));
  static_cast<void>(index_set_into(*library, kCpus, std::span{room}.first(3), cpus_once));
  EXPECT_EQ(asked_size, 3U);
  EXPECT_EQ(room[3], 7U);
  EXPECT_EQ(index_set_into(*library, kCpus, {}, cpus_once).error().origin(), Origin::driver);
  library->functions.nvmlDeviceGetCpuAffinity = nullptr;
  EXPECT_EQ(index_set(*library, kCpus, cpus_once).error().origin(), Origin::symbol);
  EXPECT_EQ(index_set_into(*library, kCpus, room, cpus_once).error().origin(), Origin::symbol);
}

TEST_F(Affinity, StatesAreAskedForInBytes) {
  const auto all = states<Pstate>(*library, kStates, states_once);
  ASSERT_TRUE(all);
  EXPECT_EQ(*all, (std::vector<Pstate>{Pstate::p0, Pstate::p2, Pstate::p4}));
  EXPECT_EQ(asked_size, 16 * sizeof(abi::nvmlPstates_t));
}

TEST_F(Affinity, StatesIntoTheCallersRoom) {
  Pstate room[5] = {};
  EXPECT_EQ(states_into<Pstate>(*library, kStates, room, states_once).value().size(), 3U);
  EXPECT_EQ(room[2], Pstate::p4);
  EXPECT_EQ(states_into<Pstate>(*library, kStates, std::span{room}.first(3), states_once).value().size(), 3U)
      << "all of it";
  const auto small = states_into<Pstate>(*library, kStates, std::span{room}.first(2), states_once);
  EXPECT_EQ(small.error().code(), Return{abi::NVML_ERROR_INSUFFICIENT_SIZE});
  EXPECT_EQ(*small.error().shortage(), (Shortage{2, 0})) << "how many there are it does not say";
}

}  // namespace
}  // namespace nvml::detail
