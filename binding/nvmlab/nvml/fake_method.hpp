// SPDX-License-Identifier: Apache-2.0
// How a fake answers a method: its typed answer goes through each C function
// that the method may call, whatever version or former name that is, back to
// what C writes. Covered by tests/binding/fake_methods_test.cpp, over all
// methods.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/object.hpp"
#include "nvmlab/nvml/shapes/raw_list.hpp"

namespace nvml::inline v1 {

/// One call of a method of a fake.
template <class Handle, class... Parameters>
struct FakeCall {
  std::string_view function;                                 ///< the C function that was asked
  Handle handle;                                             ///< of the object; of a Library nothing
  std::tuple<std::remove_cvref_t<Parameters>...> arguments;  ///< as the method was given them
};

namespace detail {

// The C functions behind a method, newest first.
template <auto... Slots>
struct Behind {};
template <auto Method>
struct FunctionsOf;  // generated/method_functions.hpp

// How a C function takes what a method is given, where it is not what comes
// first: its parameters in another order; a struct with members that are the
// method's arguments, in the parameter Holder.
struct InOrder {};
template <std::size_t... Order>
struct Ordered {};
// The struct that is answered is one of these layouts, by the version word that it came with; a single one has none.
template <class... C>
struct LaidOut {};
template <std::size_t Holder, class C, auto OwnHandle, class Answer, auto... Arguments>
struct Keyed {};
// What of that struct is the answer: all of it, one member, a list.
struct Whole {};
template <auto Member>
struct Only {};
template <auto Count, auto Array>
struct Within {};
template <auto Slot>
struct WayOf {
  using type = InOrder;
};

// How a C function that lists something is asked for the length, where that is not by a count that is too small.
template <auto Slot>
inline constexpr Protocol kProtocolOf = Protocol::A;

// Which C function was asked.
struct Asked {
  const char* function;
  Protocol protocol;
};

struct NoHandle {
  bool operator==(const NoHandle&) const = default;
};

// What a method takes and answers.
template <class Method>
struct Signature;
template <class T, class C, class... P>
struct Signature<Result<T> (C::*)(P...) const> {
  using Value = T;
  static constexpr auto handle_of() {
    if constexpr (requires(const C& object) { object.handle(); }) {
      return std::type_identity<decltype(std::declval<const C&>().handle())>{};
    } else {
      return std::type_identity<NoHandle>{};
    }
  }
  using Handle = typename decltype(handle_of())::type;
  using Call = FakeCall<Handle, P...>;
  using Arguments = std::tuple<std::remove_cvref_t<P>...>;
};

// What an answer is made of, and what was asked so far. Shared by the fake and
// the functions of its table.
template <class Method>
struct FakeMethodState {
  using Of = Signature<Method>;
  std::function<Result<typename Of::Value>(const typename Of::Call&)> answer;
  std::mutex mutex;
  std::vector<typename Of::Call> calls;
};

// The same, its objects without a share of their library, which is the fake's own as a rule: an answer that it keeps
// would keep it alive. Who asks is given objects of the library that was asked.
template <class T>
T without_library(T value) {
  if constexpr (IsObject<T>) {
    return T{Shared{}, value.handle()};
  } else if constexpr (requires {
                         value.has_value();
                         *value;
                       }) {
    if constexpr (!std::is_void_v<std::remove_cvref_t<decltype(*value)>>) {
      if (value.has_value()) *value = without_library(std::move(*value));
    }
    return value;
  } else if constexpr (requires { value.push_back(value.front()); } && !std::is_same_v<T, std::string>) {
    for (auto& each : value)
      each = without_library(std::move(each));
    return value;
  } else if constexpr (requires { requires IsObject<decltype(value.device)>; }) {
    value.device = without_library(std::move(value.device));
    return value;
  } else {
    return value;
  }
}

// An answer as a function of the call.
template <class Method, class Answer>
auto as_answer(Answer answer) {
  using Of = Signature<Method>;
  using Wanted = Result<typename Of::Value>;
  return [given = without_library(std::move(answer))]([[maybe_unused]] const typename Of::Call& call) -> Wanted {
    if constexpr (std::is_same_v<Answer, Return>) {
      if constexpr (std::is_default_constructible_v<Wanted>) {
        if (given == Return{}) return Wanted{};
      }
      return unexpected(Error{given, Origin::driver, ""});
    } else if constexpr (std::is_same_v<Answer, Error>) {
      return unexpected(given);
    } else if constexpr (std::is_invocable_v<const Answer&, const typename Of::Call&>) {
      return given(call);
    } else {
      return given;
    }
  };
}

// Keeps the call, and asks the fake.
template <class Method>
auto answered(FakeMethodState<Method>& state, const typename Signature<Method>::Call& call) {
  {
    const std::lock_guard<std::mutex> lock{state.mutex};
    state.calls.push_back(call);
  }
  return state.answer(call);
}

}  // namespace detail

/// Of a method with overloads the one with these parameters:
/// `nvml::overload<nvml::Milliwatts>(&nvml::Device::set_power_management_limit)`.
template <class... P>
struct Overload {
  /// The method itself.
  template <class R, class C>
  constexpr auto operator()(R (C::*method)(P...) const) const noexcept {
    return method;
  }
};
/// The one object that it needs.
template <class... P>
inline constexpr Overload<P...> overload{};

/// What a method of a fake was asked so far, from any thread. A value: copies
/// look at the same calls.
template <auto Method>
class FakeMethod {
 public:
  using Call = typename detail::Signature<decltype(Method)>::Call;  ///< a struct of its arguments

  /// Made by Fake::on().
  explicit FakeMethod(std::shared_ptr<detail::FakeMethodState<decltype(Method)>> state) : state_(std::move(state)) {}

  /// The calls so far, the oldest first.
  std::vector<Call> calls() const {
    const std::lock_guard<std::mutex> lock{state_->mutex};
    return state_->calls;
  }
  std::size_t count() const { return calls().size(); }  ///< how many
  /// As if nothing had been asked.
  void forget() {
    const std::lock_guard<std::mutex> lock{state_->mutex};
    state_->calls.clear();
  }

 private:
  std::shared_ptr<detail::FakeMethodState<decltype(Method)>> state_;
};

}  // namespace nvml::inline v1
