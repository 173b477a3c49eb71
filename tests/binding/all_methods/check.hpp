// SPDX-License-Identifier: Apache-2.0
// What every method must do, whatever it is about. The entry of its C function is replaced by one that looks at the
// arguments and writes down what the function wrote; then the typed answer is turned back into C and held against that.
// What the function is (a writer of patterns, or the driver's own) the test says.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include "nvmlab/nvml/fake.hpp"
#include "nvmlab/nvml/generated/return.hpp"
#include "tests/binding/all_methods/lists.hpp"
#include "tests/binding/all_methods/subjects.hpp"

namespace nvml::all_methods {

enum class Kind {
  command,  // arguments alone are compared
  value,    // the answer too
  by_hand,  // compared by a test of its own, see by_hand.hpp
};

enum class Real { not_called, refused, compared };

using Failure = std::optional<Error>;

// One method, or one version's part of a walk.
struct Call {
  const char* function;
  const char* method;
  Kind kind;
  // The entry writes patterns, zeros, and refuses: the answer is what it wrote, and the code.
  void (*check_pattern)(const Call&);
  // The library lacks it.
  void (*check_missing)(const Call&);
  // The library's own function, as far as it is there and its object can be had.
  Real (*check_real)(const Call&, const Library&, const Round&);
  // No crash.
  void (*call)(const Subjects&);
  // What it answers; the error, if it is one.
  Return (*answer)(const Subjects&);
  Failure (*error)(const Subjects&);
};
using Calls = std::vector<Call>;

// Said once and not in every instance: report.cpp.
void report_missing(const Call& call, const Failure& failure);
void report_pattern(const Call& call, const Failure& failure, bool same);
void report_other(const Call& call, const Failure& failure, bool same, bool same_as_before);
void report_allocations(const Call& call, unsigned long used, unsigned long kept);
void report_refused(const Call& call, const Failure& failure);
Real report_real(const Call& call, const Failure& failure, bool same);

template <class R>
Failure failure_of(const R& result) {
  return result.has_value() ? Failure{} : Failure{result.error()};
}

// The objects and arguments of the call that is being looked at.
inline const Subjects* subjects_now = nullptr;
template <class T>
const T& subject() {
  return subjects_now->get<T>();
}
template <class T>
T given(unsigned place) {
  return subjects_now->argument<T>(place);
}
template <class T, class C>
T given_structure(unsigned place) {
  return subjects_now->structure<T, C>(place);
}

// The entry that stands in for a function.
template <auto Slot, class Function = decltype(Slot)>
struct StandIn;

template <auto Slot, class... Arguments>
struct StandIn<Slot, abi::nvmlReturn_t (*Functions::*)(Arguments...)> {
  static inline abi::nvmlReturn_t (*real)(Arguments...) = nullptr;  // null: patterns
  static inline void (*came)(Arguments...) = nullptr;
  static inline abi::nvmlReturn_t (*act)(Arguments...) = nullptr;
  static inline void (*note)(Arguments...) = nullptr;

  static abi::nvmlReturn_t entry(Arguments... arguments) {
    const nvmlab::binding_test::Uncounted stand_in;
    ++seen.calls;
    if (real != nullptr) {
      seen.answer = real(arguments...);
    } else {
      came(arguments...);
      seen.answer = seen.refusal != abi::NVML_SUCCESS ? seen.refusal : act(arguments...);
    }
    if (seen.answer == abi::NVML_SUCCESS) note(arguments...);
    return seen.answer;
  }
};

template <class Do>
struct Plain {
  static void missing(const Call& call) {
    Fake fake;
    report_missing(call, failure_of(Do{}(Subjects::invented(fake.library()))));
  }
  static void run(const Subjects& subjects) { static_cast<void>(Do{}(subjects)); }
  static Return answer(const Subjects& subjects) {
    const auto result = Do{}(subjects);
    return result ? Return::success : result.error().code();
  }
  static Failure error(const Subjects& subjects) { return failure_of(Do{}(subjects)); }
};

// Do calls the method. Came looks at the arguments of the C function, Act stands in for it, Note writes down what it
// answered, and Same holds the typed answer against that.
template <auto Slot, class Do, class Came, class Act, class Note, class Same>
struct Checked {
  using Entry = StandIn<Slot>;

  // The caller's memory: the second answer has overwritten the first.
  template <class R>
  static constexpr bool is_lent = std::is_same_v<typename R::value_type, IndexView> || requires {
    typename R::value_type::element_type;
  };

  template <class R>
  static bool agrees(const R& result) {
    if constexpr (std::is_void_v<typename R::value_type>) {
      return result.has_value();
    } else {
      return result.has_value() && Same{}(*result);
    }
  }

  // Allocations are held against those that the answer keeps. Not where it is the caller's memory (list_forms_test
  // does) or an object that is no copy.
  template <class R>
  static void look_at_allocations(const Call& call, const R& result, unsigned long used) {
    using T = typename R::value_type;
    if constexpr (std::is_copy_constructible_v<T> && !is_lent<R> && !requires(const T& value) { value.handle(); }) {
      if (result) report_allocations(call, used, nvmlab::binding_test::kept_by(*result));
    }
  }

  static void pattern(const Call& call) {
    Fake fake;
    fake.set<Slot>(&Entry::entry);
    const Subjects subjects = Subjects::invented(fake.library());
    subjects_now = &subjects;
    Entry::real = nullptr;
    Entry::came = Came{};
    Entry::act = Act{};
    Entry::note = Note{};
    unsigned refused_layouts = 0;
    do {
      seen = {};
      seen.refused_layouts = refused_layouts;
      const unsigned long before = nvmlab::binding_test::allocations();
      const auto result = Do{}(subjects);
      const unsigned long used = nvmlab::binding_test::allocations() - before;
      report_pattern(call, failure_of(result), agrees(result));
      look_at_allocations(call, result, used);
      seen.content = test::Content::zeros;
      const auto other = Do{}(subjects);
      report_other(call, failure_of(other), agrees(other),
                   !is_lent<std::remove_const_t<decltype(result)>> && agrees(result));
    } while (++refused_layouts < seen.layouts);
    seen = {};
    seen.refusal = abi::NVML_ERROR_GPU_IS_LOST;
    report_refused(call, failure_of(Do{}(subjects)));
  }

  static Real real(const Call& call, const Library& library, const Round& round) {
    Fake fake(library);
    Entry::real = library.functions().*Slot;
    if (Entry::real == nullptr) return Real::not_called;
    const Subjects subjects = Subjects::real(fake.library(), round);
    fake.set<Slot>(&Entry::entry);
    Entry::note = Note{};
    seen = {};
    const auto result = Do{}(subjects);
    return report_real(call, failure_of(result), agrees(result));
  }
};

template <auto Slot, class Do, class Came, class Act, class Note, class Same>
Call checked(const char* function, const char* method, Kind kind, Do, Came, Act, Note, Same) {
  using Way = Checked<Slot, Do, Came, Act, Note, Same>;
  return {function,           method,           kind, &Way::pattern, &Plain<Do>::missing, &Way::real, &Plain<Do>::run,
          &Plain<Do>::answer, &Plain<Do>::error};
}

template <class Do>
Call plain(const char* function, const char* method, Do) {
  return {function, method,          Kind::by_hand,      nullptr,          &Plain<Do>::missing,
          nullptr,  &Plain<Do>::run, &Plain<Do>::answer, &Plain<Do>::error};
}

}  // namespace nvml::all_methods
