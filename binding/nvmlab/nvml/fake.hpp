// SPDX-License-Identifier: Apache-2.0
// NVML for unit tests. Not part of <nvmlab/nvml.hpp>. Covered by
// tests/binding/fake_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "nvmlab/nvml/fake_method.hpp"
#include "nvmlab/nvml/fake_route.hpp"
#include "nvmlab/nvml/generated/method_functions.hpp"
#include "nvmlab/nvml/generated/return.hpp"
#include "nvmlab/nvml/library.hpp"

namespace nvml::inline v1 {
namespace detail {

// C functions have no place for what a lambda captured, so there is a room for
// it by the number of the fake.
inline constexpr std::size_t kMostFakes = 16;

class FakeState final : public State {
 public:
  FakeState();  // ends the program if kMostFakes are alive already
  explicit FakeState(Shared original);
  ~FakeState() override;

  abi::nvmlReturn_t shut_down() noexcept override;
  void* symbol(const char* name) const noexcept override;

  std::size_t number() const noexcept { return number_; }
  void at_end(void (*forget)(std::size_t number)) { forget_.push_back(forget); }

 private:
  Shared original_;  // what the entries that nobody replaced belong to; null if
                     // they belong to nothing
  std::vector<void (*)(std::size_t)> forget_;
  std::size_t number_;
  bool shut_down_ = false;
};

template <auto Slot, class Function>
struct FakeFunction;

template <auto Slot, class Answer, class... Arguments>
struct FakeFunction<Slot, Answer (*Functions::*)(Arguments...)> {
  using Pointer = Answer (*)(Arguments...);

  using Targets = std::array<std::function<Answer(Arguments...)>, kMostFakes>;

  // Never destroyed: a fake may be a global of the test's, and outlive what is destroyed at the end.
  static Targets& targets() {
    static auto* const all = new Targets;
    return *all;
  }

  template <std::size_t Number>
  static Answer call(Arguments... arguments) {
    return targets()[Number](arguments...);
  }

  static void forget(std::size_t number) { targets()[number] = nullptr; }

  static Pointer pointer(std::size_t number) {
    return [&]<std::size_t... Numbers>(std::index_sequence<Numbers...>) {
      constexpr Pointer pointers[] = {&call<Numbers>...};
      return pointers[number];
    }
    (std::make_index_sequence<kMostFakes>{});
  }

  template <class Callable>
  static constexpr bool takes = std::is_invocable_r_v<Answer, Callable&, Arguments...>;
};

}  // namespace detail

/// NVML for unit tests: a table of functions that a test fills with lambdas,
/// and a Library that calls them. No GPU, no driver, no framework for mocks.
///
///     nvml::Fake fake;
///     fake.set<&nvml::Functions::nvmlDeviceGetCount_v2>([&](unsigned* count) {
///       *count = gpus;
///       return nvml::abi::NVML_SUCCESS;
///     });
///     code_under_test(fake.library());
///
/// A lambda takes exactly what the C function takes, and one that does not is
/// refused by the compiler. At most 16 fakes live at once in a process. Setting
/// entries while another thread calls them is not safe; calling from many
/// threads is as safe as the lambdas are.
class Fake {
 public:
  /// A library without any function: every call answers FUNCTION_NOT_FOUND of
  /// origin symbol.
  Fake();

  /// What `original` answers (the simulated driver, say), but for what set()
  /// replaces.
  explicit Fake(const Library& original);

  /// The same fake; the other is none any more.
  Fake(Fake&& other) noexcept : library_(std::move(other.library_)), state_(other.state_) {}
  /// Likewise.
  Fake& operator=(Fake&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(state_, other.state_);
    return *this;
  }
  ~Fake() {
    if (library_) state_->bystanders.subtract(1);
  }

  /// The entry calls `callable` from now on, also for the libraries and objects
  /// that there are already. What it captured lives until the last of them is
  /// gone.
  template <auto Slot, class Callable>
  Fake& set(Callable callable) {
    using Function = detail::FakeFunction<Slot, decltype(Slot)>;
    static_assert(Function::template takes<Callable>, "the lambda must take and return what the C function does");
    if constexpr (std::is_convertible_v<Callable, typename Function::Pointer>) {
      state_->functions.*Slot = callable;
    } else {
      Function::targets()[state_->number()] = std::move(callable);
      state_->at_end(&Function::forget);
      state_->functions.*Slot = Function::pointer(state_->number());
    }
    return *this;
  }

  /// The function answers this and does nothing else.
  template <auto Slot>
  Fake& set_answer(Return answer) {
    return set<Slot>([answer](auto...) { return static_cast<abi::nvmlReturn_t>(answer); });
  }

  /// What a method answers from now on, whichever of its C functions the
  /// binding asks: all versions and former names of the function lead there,
  /// and those that cannot tell the answer are not there. Of a method of one
  /// version
  /// (`memory_info_v2`) it is that function alone. `answer` is a value, an
  /// Error, a Return, or a function of the call. Returns what was asked:
  ///
  ///     const auto power = fake.on<&nvml::Device::power_usage>(nvml::Milliwatts{250'000});
  ///     constexpr auto set_limit = nvml::overload<nvml::Milliwatts>(&nvml::Device::set_power_management_limit);
  ///     const auto limit = fake.on<set_limit>(nvml::Return::no_permission);
  ///     code_under_test(fake.library());
  ///     EXPECT_EQ(std::get<0>(limit.calls().at(0).arguments), nvml::Milliwatts{200'000});
  ///
  /// A method with overloads is named with overload(). One that no answer can be written for is refused by the
  /// compiler: set() its functions.
  template <auto Method, class Answer = typename detail::Signature<decltype(Method)>::Value>
  requires(!std::is_void_v<Answer>) FakeMethod<Method> on(Answer answer) {
    auto state = std::make_shared<detail::FakeMethodState<decltype(Method)>>();
    state->answer = detail::as_answer<decltype(Method)>(std::move(answer));
    lead(state, typename detail::FunctionsOf<Method>::type{});
    return FakeMethod<Method>{std::move(state)};
  }
  /// A command that succeeds.
  template <auto Method>
  requires(std::is_void_v<typename detail::Signature<decltype(Method)>::Value>) FakeMethod<Method> on() {
    return on<Method>(Return{});
  }

  /// As if the library did not have the function.
  template <auto Slot>
  Fake& remove() {
    state_->functions.*Slot = nullptr;
    return *this;
  }

  /// The library of this table. Nothing initialises it; if nvmlShutdown was
  /// set, the last owner calls it, or Library::shutdown(), which does not wait
  /// for the fake.
  [[nodiscard]] Library library() const { return Library{library_}; }

 private:
  template <class Method, auto... Slots>
  void lead(const std::shared_ptr<detail::FakeMethodState<Method>>& state, detail::Behind<Slots...>) {
    static_assert((detail::RouteOf<Method, Slots>::can || ...),
                  "no answer can be written for this method: set() its functions");
    (lead_one<Slots>(state), ...);
  }
  template <auto Slot, class Method>
  void lead_one(const std::shared_ptr<detail::FakeMethodState<Method>>& state) {
    using Route = detail::RouteOf<Method, Slot>;
    if constexpr (Route::can) {
      const detail::Asked asked{detail::function_name(detail::slot_offset(Slot)), detail::kProtocolOf<Slot>};
      set<Slot>([state, asked](auto... in) { return Route::ask(*state, asked, in...); });
    } else {
      remove<Slot>();
    }
  }

  explicit Fake(detail::FakeState* state) : library_(state), state_(state) { state->bystanders.add(1); }

  detail::Shared library_;
  detail::FakeState* state_;
};

}  // namespace nvml::inline v1
