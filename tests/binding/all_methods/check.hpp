// SPDX-License-Identifier: Apache-2.0
// What every method must do, whatever it is about. The entry of its C function is replaced by one that writes down what
// the function wrote; then the typed answer is turned back into C and held against that. What the function is (a writer
// of patterns, or the driver's own) the test says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string_view>
#include <tuple>
#include <vector>

#include "nvmlab/nvml/fake.hpp"
#include "nvmlab/nvml/generated/return.hpp"
#include "tests/binding/all_methods/subjects.hpp"
#include "tests/binding/all_methods/written.hpp"

namespace nvml::all_methods {

enum class Kind {
  command,  // nothing comes out
  value,    // what comes out is in the places of the signature, one for each typed value
  unknown,  // it takes more than a signature to tell
};

// One method, or one version's part of a walk.
struct Call {
  const char* function;
  const char* method;
  Kind kind;
  // The entry writes patterns, and refuses: the answer is what it wrote, and the code.
  std::function<void()> check_pattern;
  // The library lacks it.
  std::function<void()> check_missing;
  // The library's own function, as far as it is there and its object can be had. True: an answer was compared.
  std::function<bool(const Library&)> check_real;
  // No crash.
  std::function<void(const Subjects&)> call;
};
using Calls = std::vector<Call>;

// The entry that stands in for a function.
template <auto Slot, class Function = decltype(Slot)>
struct StandIn;

template <auto Slot, class Answer, class... Arguments>
struct StandIn<Slot, Answer (*Functions::*)(Arguments...)> {
  using Real = Answer (*)(Arguments...);
  static inline Real real = nullptr;  // null: patterns
  static inline abi::nvmlReturn_t answer = abi::NVML_SUCCESS;
  static inline unsigned calls = 0;
  static inline std::tuple<Written<Arguments>...> written;

  static void begin(Real which, abi::nvmlReturn_t code) {
    real = which;
    answer = code;
    calls = 0;
    written = {};
  }

  static Answer entry(Arguments... arguments) {
    if constexpr (std::is_same_v<Answer, abi::nvmlReturn_t>) {
      ++calls;
      if (real == nullptr) {
        if (answer != abi::NVML_SUCCESS) return answer;
        if ((!right_version(arguments) || ...)) return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
        unsigned start = 0;  // so that no two places have one pattern
        (write_pattern(arguments, start += 40), ...);
      } else {
        answer = real(arguments...);
      }
      std::apply([&](auto&... each) { (each.keep(arguments), ...); }, written);
      return answer;
    } else {
      return real == nullptr ? nullptr : real(arguments...);
    }
  }
};

// A typed answer against all that was written; answers of several values are structs with a member for each.
template <class T, class... W>
bool compare(const T& value, const std::tuple<W...>& written) {
  auto kept = std::apply([](const auto&... each) { return std::tuple_cat(places(each)...); }, written);
  constexpr std::size_t count = std::tuple_size_v<decltype(kept)>;
  if constexpr (count == 1) {
    return same(value, *std::get<0>(kept));
  } else if constexpr (count == 2) {
    const auto& [a, b] = value;
    return same(a, *std::get<0>(kept)) && same(b, *std::get<1>(kept));
  } else if constexpr (count == 3) {
    const auto& [a, b, c] = value;
    return same(a, *std::get<0>(kept)) && same(b, *std::get<1>(kept)) && same(c, *std::get<2>(kept));
  } else if constexpr (count == 4) {
    const auto& [a, b, c, d] = value;
    return same(a, *std::get<0>(kept)) && same(b, *std::get<1>(kept)) && same(c, *std::get<2>(kept)) &&
           same(d, *std::get<3>(kept));
  } else {
    static_assert(count == 0, "more values than this test knows of");
    return false;
  }
}

// Holds the answer of a call against the entry's. True: there was a value to compare.
template <class Entry, class R>
bool expect_written(const R& result) {
  if (!result.has_value()) {
    EXPECT_EQ(result.error().code(), static_cast<Return>(Entry::answer));
    EXPECT_EQ(result.error().origin(), Origin::driver);
    return false;
  }
  EXPECT_EQ(Entry::answer, abi::NVML_SUCCESS);
  if (!std::apply([](const auto&... each) { return (kept(each) && ...); }, Entry::written)) return false;
  EXPECT_TRUE(compare(*result, Entry::written));
  return true;
}

template <auto Slot, Kind kind, class Class, class Do>
Call entry(const char* function, const char* method, Do call) {
  using Entry = StandIn<Slot>;
  Call made{function, method, kind, {}, {}, {}, {}};
  made.check_missing = [=] {
    Fake fake;
    const auto result = call(Subjects::invented(fake.library()));
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().code(), static_cast<Return>(abi::NVML_ERROR_FUNCTION_NOT_FOUND));
    EXPECT_EQ(result.error().origin(), Origin::symbol);
    if (kind != Kind::unknown) {
      EXPECT_TRUE(result.error().function().starts_with("nvml"));
    }
  };
  made.check_pattern = [=] {
    if constexpr (kind != Kind::unknown) {
      Fake fake;
      fake.set<Slot>(&Entry::entry);
      const Subjects subjects = Subjects::invented(fake.library());
      Entry::begin(nullptr, abi::NVML_SUCCESS);
      const auto result = call(subjects);
      ASSERT_TRUE(result.has_value()) << result.error().message();
      EXPECT_GE(Entry::calls, 1U);
      if constexpr (kind == Kind::value) {
        EXPECT_TRUE(expect_written<Entry>(result));
      }
      Entry::begin(nullptr, abi::NVML_ERROR_GPU_IS_LOST);
      const auto refused = call(subjects);
      ASSERT_FALSE(refused.has_value());
      EXPECT_EQ(refused.error(), (Error{Return::gpu_is_lost, Origin::driver, function}));
    }
  };
  made.check_real = [=](const Library& library) {
    if constexpr (kind == Kind::value) {
      Fake fake(library);
      Entry::begin(library.functions().*Slot, abi::NVML_SUCCESS);
      if (Entry::real == nullptr) return false;
      const Subjects subjects = Subjects::real(fake.library());
      fake.set<Slot>(&Entry::entry);
      Entry::begin(Entry::real, abi::NVML_SUCCESS);
      const auto result = call(subjects);
      // A walk went on to an older version, or never came here.
      const bool passed_over = Entry::answer == abi::NVML_ERROR_FUNCTION_NOT_FOUND ||
                               Entry::answer == abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
      return Entry::calls != 0 && !passed_over && expect_written<Entry>(result);
    } else {
      return false;
    }
  };
  made.call = [=](const Subjects& subjects) { static_cast<void>(call(subjects)); };
  return made;
}

}  // namespace nvml::all_methods
