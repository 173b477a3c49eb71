// SPDX-License-Identifier: Apache-2.0
//
// Expectations about texts and lists that show the whole of what they looked at when they fail. (GoogleTest alone has
// none; GoogleMock is not among the packages that the project takes.)
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <regex>
#include <string>
#include <vector>

namespace nvmlab::test {

using Texts = std::vector<std::string>;

template <class Value>
struct Matcher {
  std::function<bool(const Value&)> holds;
  std::string says;
};

inline Matcher<std::string> HasSubstr(const std::string& part) {
  return {[part](const std::string& text) { return text.find(part) != std::string::npos; }, "has \"" + part + "\""};
}
inline Matcher<std::string> StartsWith(const std::string& start) {
  return {[start](const std::string& text) { return text.starts_with(start); }, "starts with \"" + start + "\""};
}
inline Matcher<std::string> MatchesRegex(const std::string& pattern) {
  return {[pattern](const std::string& text) { return std::regex_match(text, std::regex(pattern)); },
          "matches " + pattern};
}
inline Matcher<Texts> Contains(const std::string& wanted) {
  return {[wanted](const Texts& texts) { return std::ranges::find(texts, wanted) != texts.end(); },
          "contains \"" + wanted + "\""};
}
inline Matcher<Texts> IsSupersetOf(const Texts& wanted) {
  return {[wanted](const Texts& texts) {
            return std::ranges::all_of(wanted,
                                       [&](const auto& each) { return std::ranges::find(texts, each) != texts.end(); });
          },
          "contains " + testing::PrintToString(wanted)};
}
inline Matcher<Texts> ElementsAre(const Texts& wanted) {
  return {[wanted](const Texts& texts) { return texts == wanted; }, "is " + testing::PrintToString(wanted)};
}
template <class Value>
Matcher<Value> Not(const Matcher<Value>& inner) {
  return {[inner](const Value& value) { return !inner.holds(value); }, "not: " + inner.says};
}
template <class... More>
Matcher<std::string> AllOf(const More&... inner) {
  return {[=](const std::string& text) { return (inner.holds(text) && ...); }, ((inner.says + "; ") + ...)};
}

template <class Value>
testing::AssertionResult matches(const Value& value, const Matcher<Value>& matcher) {
  if (matcher.holds(value)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "expected: " << matcher.says << "\nfound: " << testing::PrintToString(value);
}

#define EXPECT_THAT(value, matcher) EXPECT_TRUE(::nvmlab::test::matches(value, matcher))

}  // namespace nvmlab::test
