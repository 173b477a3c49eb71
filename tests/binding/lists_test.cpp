// SPDX-License-Identifier: Apache-2.0
// Lists by each protocol against a fake that follows it to the letter and counts what it is asked.
#include "nvmlab/nvml/shapes/lists.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace nvml::detail {
namespace {

using abi::nvmlReturn_t;

// A driver with one list. Room for an element more than it has must be left alone.
struct Fake {
  Protocol protocol = Protocol::A;
  unsigned elements = 0;
  unsigned grows = 0;  // elements that come into being after each call
  unsigned told = 0;   // a count that is told instead of the true one, 0: the true one
  nvmlReturn_t when_empty = abi::NVML_SUCCESS;
  unsigned calls = 0;
  unsigned most_offered = 0;

  nvmlReturn_t ask(unsigned* count, unsigned* room) {
    ++calls;
    const unsigned offered = *count;
    const unsigned here = elements;
    elements += grows;
    if (here == 0 && when_empty != abi::NVML_SUCCESS) return when_empty;
    const auto tell = [&](nvmlReturn_t code) {
      *count = told != 0 ? told : here;
      return code;
    };
    const bool asks_by_null = protocol == Protocol::E || protocol == Protocol::F || protocol == Protocol::G;
    if (room == nullptr && (protocol == Protocol::B || protocol == Protocol::H))
      return abi::NVML_ERROR_INVALID_ARGUMENT;
    if (room == nullptr && asks_by_null)
      return tell(protocol == Protocol::F ? abi::NVML_ERROR_INSUFFICIENT_SIZE : abi::NVML_SUCCESS);
    if (protocol == Protocol::G || protocol == Protocol::H) return write(room, here), tell(abi::NVML_SUCCESS);
    most_offered = std::max(most_offered, offered);
    if (protocol == Protocol::E && offered == 0) return abi::NVML_ERROR_INVALID_ARGUMENT;
    if (protocol == Protocol::D && offered != 0) return write(room, offered), abi::NVML_SUCCESS;
    if (offered == 0 && (protocol == Protocol::C || protocol == Protocol::D)) return tell(abi::NVML_SUCCESS);
    if (offered < here && protocol == Protocol::B) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    if (offered < here) return tell(abi::NVML_ERROR_INSUFFICIENT_SIZE);
    return write(room, here), tell(abi::NVML_SUCCESS);
  }

  static void write(unsigned* room, unsigned many) { std::iota(room, room + many, 1000U); }
};
Fake fake;

nvmlReturn_t pids(abi::nvmlDevice_t, unsigned* count, unsigned* room) { return fake.ask(count, room); }

class Lists : public testing::TestWithParam<char> {
 protected:
  Lists() {
    fake = {};
    fake.protocol = rule.protocol = Protocol{GetParam()};
    library->functions.nvmlDeviceGetAccountingPids = pids;
  }
  void have(unsigned elements) {
    fake.elements = elements;
    if (rule.protocol == Protocol::H) rule.capacity = elements + 3;
  }
  Result<std::vector<unsigned>> ask() { return list<unsigned, unsigned>(library, kSlot, rule, kAsk); }
  Result<std::span<unsigned>> ask_into(std::span<unsigned> room) {
    return list_into<unsigned, unsigned>(library, kSlot, rule, room, kAsk);
  }
  static std::vector<unsigned> expected(unsigned elements) {
    std::vector<unsigned> all(elements);
    std::iota(all.begin(), all.end(), 1000U);
    return all;
  }

  static constexpr auto kSlot = &Functions::nvmlDeviceGetAccountingPids;
  static constexpr auto kAsk = [](auto* function, unsigned* count, unsigned* room) {
    return function(nullptr, count, room);
  };
  Shared library{new State};
  ListRule rule{};
};

TEST_P(Lists, OfAnyLength) {
  for (const unsigned elements : {0U, 1U, 7U, 256U, 257U, 100'000U}) {
    have(elements);
    const auto answer = ask();
    ASSERT_TRUE(answer) << elements << ": " << answer.error().message();
    EXPECT_EQ(*answer, expected(elements)) << elements;
  }
}

TEST_P(Lists, NothingIsThereByACodeOfItsOwn) {
  have(0);
  fake.when_empty = abi::NVML_ERROR_NOT_FOUND;
  EXPECT_EQ(ask().error().code(), Return{abi::NVML_ERROR_NOT_FOUND}) << "unless the rule says that it means nothing";
  rule.empty[0] = abi::NVML_ERROR_NOT_FOUND;
  EXPECT_EQ(ask().value(), std::vector<unsigned>{});
  unsigned room[4] = {};
  EXPECT_TRUE(ask_into(room).value().empty());
}

TEST_P(Lists, AnErrorIsTheDrivers) {
  have(3);
  library->functions.nvmlDeviceGetAccountingPids = [](abi::nvmlDevice_t, unsigned*, unsigned*) {
    return abi::NVML_ERROR_GPU_IS_LOST;
  };
  const Error lost{Return{abi::NVML_ERROR_GPU_IS_LOST}, Origin::driver, "nvmlDeviceGetAccountingPids"};
  unsigned room[8] = {};
  EXPECT_EQ(ask().error(), lost);
  EXPECT_EQ(ask_into(room).error(), lost);
  EXPECT_EQ(ask_into(room).error().shortage(), nullptr);
}

TEST_P(Lists, AMissingFunctionIsAnError) {
  library->functions.nvmlDeviceGetAccountingPids = nullptr;
  unsigned room[4] = {};
  EXPECT_EQ(ask().error().origin(), Origin::symbol);
  EXPECT_EQ(ask_into(room).error().origin(), Origin::symbol);
}

TEST_P(Lists, IntoTheCallersRoom) {
  have(5);
  rule.capacity = 5;
  std::vector<unsigned> room(8, 77);
  const auto exact = ask_into(std::span{room}.first(5));
  ASSERT_TRUE(exact) << exact.error().message();
  EXPECT_EQ(std::vector<unsigned>(exact->begin(), exact->end()), expected(5));
  EXPECT_EQ(exact->data(), room.data());
  EXPECT_EQ(room[5], 77U);
  EXPECT_EQ(ask_into(room).value().size(), 5U);
  EXPECT_EQ(room[5], 77U) << "what is not filled is left alone";
}

TEST_P(Lists, TooLittleRoomIsAnErrorAndNothingIsWrittenBeyond) {
  have(5);
  std::vector<unsigned> room(8, 77);
  for (const unsigned offered : {0U, 1U, 4U}) {
    const auto answer = ask_into(std::span{room}.first(offered));
    ASSERT_FALSE(answer) << offered;
    EXPECT_EQ(answer.error().code(), Return{abi::NVML_ERROR_INSUFFICIENT_SIZE}) << offered;
    EXPECT_EQ(room[offered], 77U);
    ASSERT_NE(answer.error().shortage(), nullptr);
    // B tells nothing, H only how many there can be.
    const unsigned needed = rule.protocol == Protocol::B ? 0 : rule.protocol == Protocol::H ? 8 : 5;
    EXPECT_EQ(*answer.error().shortage(), (Shortage{offered, needed}));
  }
  EXPECT_FALSE(ask_into({})) << "not even an address";
}

// A count that cannot be, or is not more than there was room for, is none.
TEST_P(Lists, OfANeededCountThatCannotBeNothingIsTold) {
  if (rule.protocol != Protocol::A && rule.protocol != Protocol::C && rule.protocol != Protocol::F) return;
  have(5);
  for (const unsigned told : {3U, 0xFFFFFFFFU}) {
    fake.told = told;
    unsigned room[4] = {};
    const auto answer = ask_into(room);
    ASSERT_FALSE(answer);
    EXPECT_EQ(*answer.error().shortage(), (Shortage{4, 0})) << told;
  }
}

TEST_P(Lists, NoRoomForNothing) {
  have(0);
  rule.capacity = 0;
  EXPECT_TRUE(ask_into({}).value().empty());
}

INSTANTIATE_TEST_SUITE_P(Protocols, Lists, testing::Values('A', 'B', 'C', 'D', 'E', 'F', 'G', 'H'),
                         [](const auto& letter) { return std::string(1, letter.param); });

class Growing : public Lists {};

// Processes start while they are being listed.
TEST_P(Growing, BetweenTwoCalls) {
  fake.grows = 60;
  have(250);
  const auto answer = ask();
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_GE(answer->size(), 250U);
  EXPECT_EQ(*answer, expected(static_cast<unsigned>(answer->size())));
  EXPECT_LE(fake.calls, 3U);
}

// Some drivers tell a count that is not their own, and some none.
TEST_P(Growing, WithAReportThatHelpsNobody) {
  have(1000);
  for (const unsigned told : {1U, 0xFFFFFFFFU}) {
    fake.told = told;
    fake.calls = 0;
    const auto answer = list_raw<unsigned>(*library, kSlot, rule, kAsk, [](auto elements) { return elements.size(); });
    ASSERT_TRUE(answer) << answer.error().message();
    EXPECT_EQ(*answer, std::min(told, 1024U)) << "as many as told, but not beyond the room";
    EXPECT_EQ(fake.calls, 3U) << "256, 512, 1024";
  }
}

TEST_P(Growing, EndsSomewhere) {
  fake.elements = 1U << 31;
  const auto answer = ask();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Return{abi::NVML_ERROR_INSUFFICIENT_SIZE});
  EXPECT_LE(fake.most_offered, 1U << 20);
  EXPECT_LE(fake.calls, 20U);
}

INSTANTIATE_TEST_SUITE_P(Protocols, Growing, testing::Values('A', 'B', 'C', 'F'),
                         [](const auto& letter) { return std::string(1, letter.param); });

}  // namespace
}  // namespace nvml::detail
