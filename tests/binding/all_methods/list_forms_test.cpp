// SPDX-License-Identifier: Apache-2.0
// Every list has a form into the caller's memory: with drivers of all ages it answers what the list answers, element by
// element, and allocates nothing. The list itself allocates what it keeps and no more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/binding/all_methods/subjects.hpp"
#include "tests/binding/generated/list_forms.hpp"
#include "tests/binding/support/allocations.hpp"
#include "tests/binding/support/simulated.hpp"
#include "tests/support/files.hpp"

namespace nvml::all_methods {
namespace {

using Of = Round::Of;
constexpr Round kRounds[] = {{0}, {1}, {1593}, {2619}, {0, Of::mig}, {0, Of::last}, {19, Of::last}};

// What came of all comparisons with one driver.
struct Tally {
  std::set<std::string> methods;   // that there are
  std::set<std::string> answered;  // lists that were compared
  std::set<std::string> filled;    // of which one had elements
  std::size_t elements = 0;
  std::size_t shortages = 0;  // errors that told how many there are
};

// Memory of the caller's for a form: elements that are none of the answer's.
template <class Form>
struct LentTo;
template <class R, class C, class... P>
struct LentTo<Result<R> (C::*)(P...) const> {
  using Span = std::tuple_element_t<sizeof...(P) - 1, std::tuple<P...>>;
  using Element = typename Span::element_type;
};

// A list as a range of what it has: bytes of a struct with something behind it are compared by their number alone.
template <class List, class View>
bool same_elements(const List& list, const View& view, std::size_t& elements) {
  if constexpr (std::is_same_v<View, std::span<std::byte>>) {
    elements = view.size();
    return !view.empty();
  } else if constexpr (std::is_same_v<View, IndexView>) {
    elements = view.size();
    return view == IndexView{list};
  } else if constexpr (std::is_same_v<View, VgpuPlacementsView>) {
    elements = view.ids.size();
    return view.size == list.size && std::ranges::equal(list.ids, view.ids);
  } else {
    elements = view.size();
    return std::equal(list.begin(), list.end(), view.begin(), view.end());
  }
}

// Says an error how much room there was and how much is needed? Bytes of a struct are counted by its function.
template <class Element>
bool expect_shortage(const Error& error, std::size_t elements) {
  if constexpr (std::is_same_v<Element, std::byte>) return false;
  if (error.shortage() == nullptr) {
    ADD_FAILURE() << error;
    return false;
  }
  EXPECT_EQ(error.shortage()->offered, elements - 1) << error;
  if (error.shortage()->needed == 0) return false;
  EXPECT_GE(error.shortage()->needed, elements) << error;
  return true;
}

template <class Class, auto List, auto Form, class R, class C, class... P>
void compare(Result<R> (C::*)(P...) const, const char* name, const Subjects& subjects, Tally& tally) {
  using Element = typename LentTo<decltype(Form)>::Element;
  const Class& object = subjects.get<Class>();
  const auto arguments = [&]<unsigned... place>(std::integer_sequence<unsigned, place...>) {
    return std::tuple<std::remove_cvref_t<P>...>{subjects.argument<std::remove_cvref_t<P>>(place)...};
  }
  (std::make_integer_sequence<unsigned, sizeof...(P)>{});
  const auto lists = [&](const auto&... each) { return (object.*List)(each...); };
  static_cast<void>(std::apply(lists, arguments));  // a device's name is asked once
  unsigned long listed = nvmlab::binding_test::allocations();
  const auto list = std::apply(lists, arguments);
  listed = nvmlab::binding_test::allocations() - listed;
  std::vector<Element> memory(std::is_same_v<Element, std::byte> ? 8192 : 512);
  const std::span<Element> room{memory};
  std::apply([&](const auto&... each) { static_cast<void>((object.*Form)(each..., room)); },
             arguments);  // a device's name is asked once
  unsigned long used = nvmlab::binding_test::allocations();
  const auto form = std::apply([&](const auto&... each) { return (object.*Form)(each..., room); }, arguments);
  used = nvmlab::binding_test::allocations() - used;
  EXPECT_EQ(list.has_value(), form.has_value()) << (list ? form.error().message() : list.error().message());
  if (!list || !form) {
    if (!list && !form) {
      EXPECT_EQ(list.error().code(), form.error().code());
    }
    return;
  }
  std::size_t elements = 0;
  EXPECT_TRUE(same_elements(*list, *form, elements));
  EXPECT_EQ(used, 0U);
  EXPECT_LE(listed, nvmlab::binding_test::kept_by(*list)) << "allocations of the list, and those that it keeps";
  if (!std::is_same_v<Element, std::byte>) tally.elements += elements;
  tally.answered.insert(name);
  if (elements == 0) return;
  tally.filled.insert(name);
  if constexpr (!std::is_same_v<R, IndexSet>) {  // of which as many words are written as there is room for
    const auto less =
        std::apply([&](const auto&... each) { return (object.*Form)(each..., room.first(elements - 1)); }, arguments);
    EXPECT_FALSE(less);
    if (!less) {
      EXPECT_EQ(less.error().code(), Return::insufficient_size);
      tally.shortages += expect_shortage<Element>(less.error(), elements) ? 1 : 0;
    }
  }
}

class ListForms : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    const auto folder = nvmlab::test::binary_folder() / "lib";
    library_ = folder / "drivers" / GetParam() / "libnvidia-ml.so.1";
    if (!exists(library_) || !exists(folder / "libnvmlab-compiler.so")) GTEST_SKIP() << library_ << " is not built";
    const auto profile = nvmlab::test::source_folder() / "tests/drivers/functions/profiles/everything.yaml";
    setenv("NVMLAB_PROFILE", profile.c_str(), 1);
    setenv("NVMLAB_GPUS", "2", 1);
  }
  void TearDown() override {
    unsetenv("NVMLAB_PROFILE");
    unsetenv("NVMLAB_GPUS");
  }
  std::filesystem::path library_;
};

TEST_P(ListForms, AnswerWhatTheListsDo) {
  const auto library = Library::open({.path = library_.string()});
  ASSERT_TRUE(library) << library.error().message();
  if (const unsigned count = library->device_count().value_or(0); count > 1)
    static_cast<void>(library->device(count - 1)->set_mig_mode(true));  // not with drivers before MIG
  Tally tally;
  for (const Round& round : kRounds) {
    const Subjects subjects = Subjects::real(*library, round);
    for_each_list([&]<class Class, auto List, auto Form>(const char* name, unsigned /*functions*/) {
      SCOPED_TRACE(std::string{name} + " of " + std::string{GetParam()});
      tally.methods.insert(name);
      try {
        compare<Class, List, Form>(List, name, subjects, tally);
      } catch (const Absent&) {  // no vGPU, no part of a GPU
      }
    });
  }
  EXPECT_GE(tally.answered.size(), 15U);
  EXPECT_GE(tally.shortages, 10U);
  std::cout << tally.methods.size() << " lists, " << tally.answered.size() << " answered by driver " << GetParam()
            << ", " << tally.filled.size() << " of them with elements, " << tally.elements << " elements compared, "
            << tally.shortages << " errors that told the count\n";
}

INSTANTIATE_TEST_SUITE_P(Drivers, ListForms, testing::Values("418", "470", "535", "580", "615"),
                         [](const auto& driver) { return std::string{driver.param}; });

}  // namespace
}  // namespace nvml::all_methods
