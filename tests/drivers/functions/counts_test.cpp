// SPDX-License-Identifier: Apache-2.0
//
// Lengths that a caller says it has: for each function that fills an array of as many items as a number behind a
// pointer says, a length of billions in front of memory for exactly the items that there are. What there is is written,
// and not one byte more.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstring>
#include <optional>

#include "tests/drivers/functions/support/arguments.hpp"
#include "tests/drivers/functions/support/machine.hpp"

namespace nvmlab::driver_test {
namespace {

// Which parameter is the number and which the array that it belongs to.
struct List {
  std::size_t count;
  std::size_t items;
};

std::optional<List> list_of(const FunctionFacts& function) {
  if (function.name.ends_with("EncoderStats")) return std::nullopt;  // a number of sessions, and two averages
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const ParameterFacts& count = function.parameters[i];
    if (count.role != Role::pointer || !count.counts() || count.size != 4) continue;
    for (const std::size_t other : {i + 1, i - 1}) {
      if (other >= function.parameters.size()) continue;
      const ParameterFacts& items = function.parameters[other];
      if (items.role == Role::pointer && !items.counts()) return List{i, other};
    }
  }
  return std::nullopt;
}

class Counts : public testing::Test {
 protected:
  void SetUp() override {
    machine.fill_gpu(1);
    ASSERT_EQ(driver.init(), kSuccess);
  }
  void TearDown() override { EXPECT_EQ(driver.shutdown(), kSuccess); }

  struct Answer {
    int code;
    unsigned count;
  };
  static Answer ask(Arguments& arguments, const List& list, unsigned offered, std::size_t bytes) {
    arguments.words.at(list.items) = reinterpret_cast<Word>(arguments.memory(list.items).place(bytes));
    std::memcpy(arguments.memory(list.count).data(), &offered, sizeof offered);
    Answer answer{arguments.call(), 0};
    std::memcpy(&answer.count, arguments.memory(list.count).data(), sizeof answer.count);
    return answer;
  }

  // What was wrong with one function, asked with `choice` as every other number; counts the lists that have items.
  static std::string offer_billions(const FunctionFacts& function, const List& list, Word device, Word choice) {
    const std::size_t item = function.parameters[list.items].size;
    Arguments arguments(function, device);
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      if (function.parameters[i].role == Role::number) arguments.words.at(i) = choice;
    }
    const std::size_t most = (std::size_t{64} << 10) / item;
    const Answer all = ask(arguments, list, static_cast<unsigned>(most), most * item);
    if (all.code != kSuccess) return "";
    if (all.count > most) return fmt::format("said {} items of {}", all.count, most);
    for (const unsigned offered : {0x80000000U, 0x80000001U, 0xFFFFFFFFU}) {
      const Answer again = ask(arguments, list, offered, all.count * item);
      if (again.code != all.code || again.count != all.count)
        return fmt::format("offered {:#x}: {} with {} instead of {}", offered, again.code, again.count, all.count);
    }
    return "";
  }

  SharedMachine machine{"dgx-h100"};
  const Driver& driver = Driver::get();
};

TEST_F(Counts, OfBillionsWriteWhatThereIs) {
  unsigned lists = 0;
  for (const FunctionFacts& function : Api::get().functions()) {
    const auto list = list_of(function);
    if (!list || !function.in_driver(Api::kNewestDriver)) continue;
    ++lists;
    for (const unsigned gpu : {0U, 1U}) {
      for (const Word choice : {Word{0}, Word{1}, Word{2}, Word{1593}}) {
        EXPECT_EQ(in_child([&] { return offer_billions(function, *list, driver.device(gpu), choice); }), "")
            << function.name << " of GPU " << gpu << " with " << choice;
      }
    }
  }
  EXPECT_GE(lists, 30U) << "the table of protocols in the facts has 35";
}

}  // namespace
}  // namespace nvmlab::driver_test
