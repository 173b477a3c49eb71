// SPDX-License-Identifier: Apache-2.0
//
// nvmlInternalGetExportTable, which nvidia-smi cannot do without: one id is known, word 0 is the size in bytes, word
// N is slot N or null. nvidia-smi guards every slot by size and by null, so a slot that nobody understands must be
// null: a function that answered 0 without writing would make it print whatever its stack held.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <set>

#include "tests/drivers/abi/driver.hpp"

namespace {

using namespace nvmlab::abi_test;
using Id = std::array<unsigned char, 16>;

// 6c3efec4-8fc9-4e6c-a327-ee696e12f7c4 as nvidia-smi passes it: the first three parts are little-endian numbers.
constexpr Id kKnownId = {0xc4, 0xfe, 0x3e, 0x6c, 0xc9, 0x8f, 0x6c, 0x4e,
                         0xa3, 0x27, 0xee, 0x69, 0x6e, 0x12, 0xf7, 0xc4};

// Slots whose form has been worked out from real nvidia-smi releases (340 to 555); a driver may fill fewer.
const std::set<unsigned> kUnderstoodSlots = {12,  20,  23,  26,  65,  72,  75,  81,  108, 138, 139, 145, 157, 165,
                                             207, 209, 210, 211, 213, 214, 215, 223, 226, 230, 231, 232, 237, 240,
                                             242, 243, 249, 250, 251, 189, 192, 193, 168, 169, 182, 183, 184};
// Without these the table, -i, topo -m, dmon or the process list of nvidia-smi 535 and 550 fail.
constexpr std::array kNeededSlots = {12, 23, 72, 75, 81, 213, 214, 215};

class InternalTable : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(driver_.open()) << driver_.error(); }

  int ask(const void** table, const void* id) const {
    return driver_.call<int(const void**, const void*)>("nvmlInternalGetExportTable", table, id);
  }

  Driver driver_;
};

TEST_F(InternalTable, KnownIdAnswersBeforeInit) {
  const void* table = nullptr;
  EXPECT_EQ(ask(&table, kKnownId.data()), kSuccess);
  EXPECT_NE(table, nullptr);
}

TEST_F(InternalTable, AnyOtherIdAndNullAreInvalid) {
  const void* table = this;
  for (std::size_t byte = 0; byte < kKnownId.size(); ++byte) {
    Id other = kKnownId;
    other.at(byte) ^= 1;
    EXPECT_EQ(ask(&table, other.data()), kInvalidArgument) << "byte " << byte;
  }
  EXPECT_EQ(ask(&table, nullptr), kInvalidArgument);
  EXPECT_EQ(ask(nullptr, kKnownId.data()), kInvalidArgument);
  EXPECT_EQ(ask(nullptr, nullptr), kInvalidArgument);
}

TEST_F(InternalTable, TheTableIsTheSameForEverybody) {
  const void* before = nullptr;
  const void* after = nullptr;
  ASSERT_EQ(ask(&before, kKnownId.data()), kSuccess);
  ASSERT_EQ(driver_.init(), kSuccess);
  ASSERT_EQ(ask(&after, kKnownId.data()), kSuccess);
  EXPECT_EQ(driver_.shutdown(), kSuccess);
  EXPECT_EQ(before, after);
}

TEST_F(InternalTable, OnlyUnderstoodSlotsAreFilled) {
  const void* table = nullptr;
  ASSERT_EQ(ask(&table, kKnownId.data()), kSuccess);
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, table, sizeof bytes);
  ASSERT_EQ(bytes % sizeof(void*), 0U);
  ASSERT_GE(bytes, 216U * sizeof(void*)) << "too small for the process list";
  ASSERT_LE(bytes, 512U * sizeof(void*)) << "the largest real one has 255 words";
  const auto* words = static_cast<void* const*>(table);
  for (unsigned slot = 1; slot < bytes / sizeof(void*); ++slot) {
    EXPECT_TRUE(kUnderstoodSlots.contains(slot) || words[slot] == nullptr) << "slot " << slot;
  }
  for (const auto slot : kNeededSlots)
    EXPECT_NE(words[slot], nullptr) << "slot " << slot;
}

TEST_F(InternalTable, SlotsAnswerUninitializedBeforeInit) {
  const void* table = nullptr;
  ASSERT_EQ(ask(&table, kKnownId.data()), kSuccess);
  const auto* words = static_cast<void* const*>(table);
  std::array<char, 34> text{};
  const auto bus_id_of_index = reinterpret_cast<int (*)(unsigned, char*, unsigned)>(words[81]);
  EXPECT_EQ(bus_id_of_index(0, text.data(), size_of(text)), kUninitialized);
  unsigned value = 77;
  const auto monitoring = reinterpret_cast<int (*)(Handle, unsigned*)>(words[72]);
  EXPECT_EQ(monitoring(nullptr, &value), kUninitialized);
  EXPECT_EQ(value, 77U);
}

TEST_F(InternalTable, SlotsAnswerWithTheSameGpusAsTheFunctions) {
  ASSERT_EQ(driver_.init(), kSuccess);
  const void* table = nullptr;
  ASSERT_EQ(ask(&table, kKnownId.data()), kSuccess);
  const auto* words = static_cast<void* const*>(table);
  const auto bus_id_of_index = reinterpret_cast<int (*)(unsigned, char*, unsigned)>(words[81]);
  const auto place_of_index = reinterpret_cast<int (*)(unsigned, unsigned*, unsigned*, unsigned*)>(words[75]);
  const auto monitoring = reinterpret_cast<int (*)(Handle, unsigned*)>(words[72]);
  for (unsigned index = 0; index < kDefaultGpus; ++index) {
    std::array<char, 34> text{};
    ASSERT_EQ(bus_id_of_index(index, text.data(), size_of(text)), kSuccess);
    unsigned domain = 0, bus = 0, device = 0;
    ASSERT_EQ(place_of_index(index, &domain, &bus, &device), kSuccess);
    std::array<char, 34> expected{};
    std::snprintf(expected.data(), expected.size(), "%08X:%02X:%02X.0", domain, bus, device);
    EXPECT_STRCASEEQ(text.data(), expected.data());

    Handle by_bus_id = nullptr;
    Handle by_index = nullptr;
    ASSERT_EQ((driver_.call<int(const char*, Handle*)>("nvmlDeviceGetHandleByPciBusId_v2", text.data(), &by_bus_id)),
              kSuccess);
    ASSERT_EQ(driver_.gpu(index, by_index), kSuccess);
    EXPECT_EQ(by_bus_id, by_index);
    unsigned supported = 0;
    EXPECT_EQ(monitoring(by_index, &supported), kSuccess);
    EXPECT_NE(supported, 0U);
  }
  EXPECT_EQ(bus_id_of_index(kDefaultGpus, std::array<char, 34>{}.data(), 34), kInvalidArgument);
  EXPECT_EQ(driver_.shutdown(), kSuccess);
}

}  // namespace
