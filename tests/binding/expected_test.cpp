// SPDX-License-Identifier: Apache-2.0
// nvml::expected beside std::expected, which is its oracle where the library has one; in the language modes and without
// exceptions it is run by tests/binding/language.
#include "nvmlab/loader/expected.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "nvmlab/loader/exception.hpp"
#include "nvmlab/nvml/generated/return.hpp"

namespace nvml {
namespace {

using Number = expected<int, std::string>;
const Error kRefused{Return::not_supported, Origin::driver, "nvmlDeviceGetFanSpeed"};

TEST(Expected, HoldsAValueOrAnError) {
  const Number seven = 7;
  const Number none = unexpected("none");
  EXPECT_TRUE(seven.has_value());
  EXPECT_EQ(*seven, 7);
  EXPECT_EQ(seven.value_or(1), 7);
  EXPECT_EQ(seven.error_or("fine"), "fine");
  EXPECT_FALSE(none);
  EXPECT_EQ(none.error(), "none");
  EXPECT_EQ(none.value_or(1), 1);
  EXPECT_EQ(Number{}, 0);
  EXPECT_EQ((expected<std::string, int>{std::in_place, 3, 'a'}), "aaa");
  EXPECT_EQ((Number{unexpect, 3, 'a'}.error()), "aaa");
  EXPECT_TRUE((expected<void, int>{}.has_value()));
}

// Before C++26 what a loop's list is a part of is gone when the loop begins: so a temporary's value is no part of it.
TEST(Expected, ATemporaryAnswersByValue) {
  using List = expected<std::vector<int>, std::string>;
  const auto list = [] { return List{std::vector{1, 2, 3}}; };
  const auto fixed = []() -> const List { return List{std::vector{1, 2, 3}}; };
  static_assert(std::is_same_v<decltype(*list()), std::vector<int>>);
  static_assert(std::is_same_v<decltype(list().value()), std::vector<int>>);
  static_assert(std::is_same_v<decltype(*fixed()), std::vector<int>>);
  static_assert(std::is_same_v<decltype(fixed().value()), std::vector<int>>);
  static_assert(std::is_same_v<decltype(list().error()), std::string>);
  static_assert(std::is_same_v<decltype(*std::declval<expected<void, int>>()), void>);
  int sum = 0;
  for (const int each : *list())
    sum += each;
  for (const int each : fixed().value())
    sum += each;
  EXPECT_EQ(sum, 12);
  const std::string& why = List{unexpected("a text that is too long for its place")}.error();
  EXPECT_EQ(why, "a text that is too long for its place");
}

TEST(Expected, GivesAwayWhatOnlyMoves) {
  using Owner = expected<std::unique_ptr<int>, std::string>;
  EXPECT_EQ(**Owner{std::make_unique<int>(7)}, 7);
  Owner owner{std::make_unique<int>(8)};
  const std::unique_ptr<int> taken = *std::move(owner);
  EXPECT_EQ(*taken, 8);
}

// A step is given the place itself, and nothing is moved twice.
TEST(Expected, MovesOnce) {
  struct Counted {
    int* moves;
    explicit Counted(int& count) : moves(&count) {}
    Counted(const Counted&) = delete;
    Counted(Counted&& other) noexcept : moves(other.moves) { ++*moves; }
    Counted& operator=(const Counted&) = delete;
    Counted& operator=(Counted&&) = delete;
    ~Counted() = default;
  };
  int moves = 0;
  expected<Counted, int> first{std::in_place, moves};
  expected<Counted, int> second{std::move(first)};
  EXPECT_EQ(moves, 1);
  const Counted third = *std::move(second);
  EXPECT_EQ(*third.moves, 2);
  EXPECT_EQ((expected<Counted, int>{std::in_place, moves}.transform([](Counted&& held) { return *held.moves; })), 2);
}

TEST(Expected, ComparesByWhatItHolds) {
  EXPECT_EQ(Number{7}, Number{7});
  EXPECT_NE(Number{7}, Number{8});
  EXPECT_NE(Number{7}, Number{unexpected("none")});
  EXPECT_EQ(Number{unexpected("none")}, Number{unexpected("none")});
  EXPECT_EQ(Number{unexpected("none")}, unexpected(std::string{"none"}));
  EXPECT_EQ((Number{7}), (expected<long, std::string>{7L}));
  EXPECT_EQ((expected<void, int>{}), (expected<void, int>{}));
}

TEST(Expected, IsCopiedMovedAndAssigned) {
  using Text = expected<std::string, std::string>;
  const Text states[] = {Text{"a value that is too long for its place"},
                         Text{unexpected("an error, of another length")}};
  for (const Text& from : states) {
    for (const Text& to : states) {
      Text copy = to;
      copy = from;
      EXPECT_EQ(copy, from);
      Text moved = to;
      moved = std::move(copy);
      EXPECT_EQ(moved, from);
      moved = *&moved;
      EXPECT_EQ(moved, from);
    }
  }
  Text emplaced = states[1];
  EXPECT_EQ(emplaced.emplace(2U, 'x'), "xx");
  expected<std::unique_ptr<int>, int> owner = std::make_unique<int>(3);
  EXPECT_EQ(*std::move(owner).value(), 3);
  static_assert(!std::is_copy_constructible_v<expected<std::unique_ptr<int>, int>>);
  static_assert(std::is_nothrow_move_constructible_v<Result<std::string>>);
}

struct ThrowsWhenCopied {
  ThrowsWhenCopied() = default;
  ThrowsWhenCopied(const ThrowsWhenCopied& /*other*/) { throw std::runtime_error{"copied"}; }
  ThrowsWhenCopied& operator=(const ThrowsWhenCopied&) = default;
};

TEST(Expected, KeepsItsErrorWhereTheValueThatReplacesItThrows) {
  using Fragile = expected<ThrowsWhenCopied, std::string>;
  const Fragile value;
  Fragile target = unexpected("an error that is too long for its place");
  EXPECT_THROW(target = value, std::runtime_error);
  ASSERT_FALSE(target.has_value());
  EXPECT_EQ(target.error(), "an error that is too long for its place");
}

TEST(Expected, ValueThrowsWhatTheErrorSays) {
  try {
    static_cast<void>(Result<int>{unexpected(kRefused)}.value());
    FAIL() << "nothing was thrown";
  } catch (const Exception& thrown) {
    EXPECT_EQ(thrown.error(), kRefused);
  }
  EXPECT_THROW(Result<void>{unexpected(kRefused)}.value(), Exception);
  EXPECT_THROW(static_cast<void>(Number{unexpected("none")}.value()), bad_expected_access<std::string>);
  EXPECT_NO_THROW(Result<void>{}.value());
}

// Each member with a value and with an error, each against what std::expected does.
template <template <class, class> class Expected, class Unexpected>
std::vector<std::string> chained() {
  using Text = Expected<std::string, int>;
  using Nothing = Expected<void, int>;
  std::vector<std::string> said;
  const auto say = [&](const auto& result) {
    if constexpr (std::is_void_v<typename std::remove_cvref_t<decltype(result)>::value_type>) {
      said.push_back(result ? "void" : "error " + std::to_string(result.error()));
    } else {
      said.push_back(result ? "value " + std::string{*result} : "error " + std::to_string(result.error()));
    }
  };
  for (const Text& text : {Text{"ten"}, Text{Unexpected{10}}}) {
    say(text.and_then([](const std::string& value) -> Text { return value + " more"; }));
    say(text.and_then([](const std::string&) -> Nothing { return Unexpected{4}; }));
    say(text.transform([](const std::string& value) { return value + "!"; }));
    say(text.transform([&](const std::string& value) { said.push_back("saw " + value); }));
    say(text.or_else([](int error) -> Text { return std::to_string(error); }));
    say(text.transform_error([](int error) { return error * 2; }));
    say(Text{text}.transform([](std::string&& value) { return std::move(value) + " moved"; }));
    Text changed = text;
    static_cast<void>(changed.transform([](std::string& value) { value += " changed"; }));
    say(changed);
  }
  for (const Nothing& nothing : {Nothing{}, Nothing{Unexpected{10}}}) {
    say(nothing.and_then([]() -> Text { return "next"; }));
    say(nothing.transform([] { return std::string{"made"}; }));
    say(nothing.or_else([](int) -> Nothing { return {}; }));
    say(nothing.transform_error([](int error) { return error + 1; }));
  }
  return said;
}

TEST(Expected, IsChainedAsTheStandardOneIs) {
  const auto ours = chained<expected, unexpected<int>>();
  const std::vector<std::string> wanted{
      "value ten more",  "error 4",           "value ten!", "saw ten",    "void",       "value ten", "value ten",
      "value ten moved", "value ten changed", "error 10",   "error 10",   "error 10",   "error 10",  "value 10",
      "error 20",        "error 10",          "error 10",   "value next", "value made", "void",      "void",
      "error 10",        "error 10",          "void",       "error 11"};
  EXPECT_EQ(ours, wanted);
#if __cpp_lib_expected >= 202211L  // the first std::expected had no such members
  EXPECT_EQ(ours, (chained<std::expected, std::unexpected<int>>()));
#endif
}

constexpr int sum() {
  expected<int, int> some = 3;
  some = some.transform([](int value) { return value + 1; });
  expected<int, int> none = unexpected(2);
  none = none.or_else([](int error) -> expected<int, int> { return error; });
  return *some + *none;
}
static_assert(sum() == 6);

// A member is a step as well, as it is with std::expected.
struct Limits {
  int most = 350;
  expected<int, int> least = 50;
  constexpr int half() const { return most / 2; }
  constexpr expected<int, int> twice() && { return most * 2; }
};
static_assert(*expected<Limits, int>{}.and_then(&Limits::least) == 50);
static_assert(*expected<Limits, int>{}.transform(&Limits::half) == 175);
static_assert(*expected<Limits, int>{}.and_then(&Limits::twice) == 700);
static_assert(expected<int, Limits>{unexpected(Limits{})}.transform_error(&Limits::half).error() == 175);

#ifdef __cpp_lib_expected

std::expected<int, Error> a_users_function(Result<int> result) { return result; }
Result<int> called_by_another(std::expected<int, Error> result) { return result; }

TEST(Expected, ConvertsFromAndToTheStandardOne) {
  EXPECT_EQ(called_by_another(a_users_function(7)), 7);
  EXPECT_EQ(called_by_another(a_users_function(unexpected(kRefused))), unexpected(kRefused));
  EXPECT_EQ(Result<int>{std::unexpected(kRefused)}.error(), kRefused);
  const Result<std::string> named = std::expected<const char*, Error>{"H100"};
  EXPECT_EQ(named, "H100");
  std::expected<void, Error> nothing = Result<void>{};
  EXPECT_TRUE(nothing.has_value());
  nothing = Result<void>{std::unexpected(kRefused)};
  EXPECT_EQ(nothing.error(), kRefused);
  std::expected<std::unique_ptr<int>, Error> owner = Result<std::unique_ptr<int>>{std::make_unique<int>(3)};
  EXPECT_EQ(**owner, 3);
  const auto chained = Result<int>{7}.and_then([](int value) -> std::expected<int, Error> { return value + 1; });
  EXPECT_EQ(chained, 8);
}

#endif

}  // namespace
}  // namespace nvml
