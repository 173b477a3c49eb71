// SPDX-License-Identifier: Apache-2.0
// Lists by every protocol of model/binding/README.md, ranges and their ends.
#include "recorder/ask.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <vector>

namespace nvmlab::recorder {
namespace {

constexpr unsigned kThere = 100;  // elements of the list
unsigned calls_of_list = 0;

int fill(unsigned* count, unsigned* items) {
  for (unsigned i = 0; i < kThere; ++i)
    items[i] = i;
  *count = kThere;
  return kSuccess;
}

int list_a(Word, unsigned* count, unsigned* items) {
  ++calls_of_list;
  if (*count < kThere) {
    *count = kThere;
    return kInsufficientSize;
  }
  return fill(count, items);
}
int list_b(Word, unsigned* count, unsigned* items) {  // does not tell how many there are
  return *count < kThere ? kInsufficientSize : fill(count, items);
}
int list_c(Word, unsigned* count, unsigned* items) {
  if (*count == 0) return *count = kThere, kSuccess;
  return *count < kThere ? kInsufficientSize : fill(count, items);
}
int list_d(Word, unsigned* count, unsigned* items) {
  if (*count == 0) return *count = kThere, kSuccess;
  if (*count > kThere) return kInvalidArgument;
  return fill(count, items);
}
int list_e(Word, unsigned* count, unsigned* items) {
  if (items == nullptr) return *count = kThere, kSuccess;
  return *count == 0 ? kInvalidArgument : fill(count, items);
}
int list_f(Word, unsigned* count, unsigned* items) {
  if (items == nullptr || *count < kThere) return *count = kThere, kInsufficientSize;
  return fill(count, items);
}
int list_g(Word, unsigned* count, unsigned* items) {  // never looks at the room
  if (items == nullptr) return *count = kThere, kSuccess;
  return fill(count, items);
}
int number(Word, unsigned value, unsigned* answer) {
  *answer = value * 2;
  return value < 5 ? kSuccess : kInvalidArgument;
}
int nothing(Word, unsigned, unsigned*) { return kNotSupported; }

class Functions final : public Library {
 public:
  void* address(const char* name) const override {
    const auto at = all.find(name);
    return at == all.end() ? nullptr : at->second;
  }
  std::map<std::string, void*> all;
};

class Kept final : public Lines {
 public:
  void line(std::string_view text) override { all.emplace_back(text); }
  std::vector<std::string> all;
};

constexpr Field field(const char* name, Kind kind, std::uint32_t size) {
  return {name, 0, size, 0, kind, Mask::none, false, kUncounted, kNoSlot, nullptr, nullptr};
}
constexpr Input kNumbers{Input::From::numbers, false, nullptr, 64, {}, kNoSlot};
constexpr Input kSupported{Input::From::numbers, true, nullptr, 64, {}, kNoSlot};
constexpr Parameter kList[] = {{field("device", Kind::handle, 8), Role::receiver, 0, 0, nullptr, {}},
                               {field("count", Kind::number, 4), Role::count, 0, 0, nullptr, {}},
                               {field("items", Kind::number, 4), Role::items, 16, 0, nullptr, {}}};
constexpr Parameter kRange[] = {{field("device", Kind::handle, 8), Role::receiver, 0, 0, nullptr, {}},
                                {field("value", Kind::number, 4), Role::input, 0, 0, &kNumbers, {}},
                                {field("answer", Kind::number, 4), Role::output, 0, 0, nullptr, {}}};
constexpr Parameter kRangeOfSome[] = {{field("device", Kind::handle, 8), Role::receiver, 0, 0, nullptr, {}},
                                      {field("value", Kind::number, 4), Role::input, 0, 0, &kSupported, {}},
                                      {field("answer", Kind::number, 4), Role::output, 0, 0, nullptr, {}}};

class Ask : public testing::Test {
 protected:
  std::vector<std::string> asked(void* function, char protocol, std::span<const Parameter> parameters) {
    Functions library;
    library.all["f"] = function;
    Kept lines;
    Masker masker(false);
    Seen seen;
    const Objects objects;
    Walking walking{library, lines, masker, seen, objects};
    Object gpu{1, {}};
    gpu.subject.gpu = 0;
    ask(walking, {"f", About::device, false, protocol, Moves::unknown, parameters}, gpu);
    EXPECT_EQ(walking.calls, lines.all.size());
    return lines.all;
  }
};

TEST_F(Ask, ListsAreWholeByEveryProtocol) {
  std::string items;
  for (unsigned i = 0; i < kThere; ++i)
    items += (i == 0 ? "" : ",") + std::to_string(i);
  const std::string expected = R"({"call":"f","gpu":0,"code":"SUCCESS","out":{"count":100,"items":[)" + items + "]}}";
  const std::pair<char, int (*)(Word, unsigned*, unsigned*)> all[] = {{'A', list_a}, {'B', list_b}, {'C', list_c},
                                                                      {'D', list_d}, {'E', list_e}, {'F', list_f},
                                                                      {'G', list_g}, {'\0', list_a}};
  for (const auto& [protocol, function] : all) {
    const auto lines = asked(reinterpret_cast<void*>(function), protocol, kList);
    ASSERT_EQ(lines.size(), 1u) << protocol;
    EXPECT_EQ(lines[0], expected) << protocol;
  }
  calls_of_list = 0;
  asked(reinterpret_cast<void*>(list_a), 'A', kList);
  EXPECT_EQ(calls_of_list, 2u);
}

TEST_F(Ask, ARangeEndsAtTheFirstInvalidArgument) {
  const auto lines = asked(reinterpret_cast<void*>(number), '\0', kRange);
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines[4], R"({"call":"f","gpu":0,"in":{"value":4},"code":"SUCCESS","out":{"answer":8}})");
  EXPECT_EQ(lines[5], R"({"call":"f","gpu":0,"in":{"value":5},"code":"INVALID_ARGUMENT"})");
}

TEST_F(Ask, ARangeOfWhatIsNotSupportedIsOneLineWhereTheRuleSaysSo) {
  EXPECT_EQ(asked(reinterpret_cast<void*>(nothing), '\0', kRange).size(), 64u);
  EXPECT_EQ(asked(reinterpret_cast<void*>(nothing), '\0', kRangeOfSome).size(), 1u);
  EXPECT_EQ(asked(reinterpret_cast<void*>(number), '\0', kRangeOfSome).size(), 6u);
}

}  // namespace
}  // namespace nvmlab::recorder
