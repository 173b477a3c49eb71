// SPDX-License-Identifier: Apache-2.0
// NVML for unit tests. Not part of <nvmlab/nvml.hpp>. Covered by tests/binding/fake_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "nvmlab/nvml/library.hpp"

namespace nvml::inline v1 {
namespace detail {

// C functions have no place for what a lambda captured, so there is a room for it by the number of the fake.
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
  Shared original_;  // what the entries that nobody replaced belong to; null if they belong to nothing
  std::vector<void (*)(std::size_t)> forget_;
  std::size_t number_;
  bool shut_down_ = false;
};

template <auto Slot, class Function>
struct FakeFunction;

template <auto Slot, class Answer, class... Arguments>
struct FakeFunction<Slot, Answer (*Functions::*)(Arguments...)> {
  using Pointer = Answer (*)(Arguments...);

  static inline std::function<Answer(Arguments...)> targets[kMostFakes];

  template <std::size_t Number>
  static Answer call(Arguments... arguments) {
    return targets[Number](arguments...);
  }

  static void forget(std::size_t number) { targets[number] = nullptr; }

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

/// NVML for unit tests: a table of functions that a test fills with lambdas, and a Library that calls them. No GPU, no
/// driver, no framework for mocks.
///
///     nvml::Fake fake;
///     fake.set<&nvml::Functions::nvmlDeviceGetCount_v2>([&](unsigned* count) {
///       *count = gpus;
///       return nvml::abi::NVML_SUCCESS;
///     });
///     code_under_test(fake.library());
///
/// A lambda takes exactly what the C function takes, and one that does not is refused by the compiler.
/// At most 16 fakes live at once in a process. Setting entries while another thread calls them is not safe; calling
/// from many threads is as safe as the lambdas are.
class Fake {
 public:
  /// A library without any function: every call answers FUNCTION_NOT_FOUND of origin symbol.
  Fake();

  /// What `original` answers (the simulated driver, say), but for what set() replaces.
  explicit Fake(const Library& original);

  Fake(Fake&& other) noexcept : library_(std::move(other.library_)), state_(other.state_) {}
  Fake& operator=(Fake&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(state_, other.state_);
    return *this;
  }
  ~Fake() {
    if (library_) --state_->bystanders;
  }

  /// The entry calls `callable` from now on, also for the libraries and objects that there are already. What it
  /// captured lives until the last of them is gone.
  template <auto Slot, class Callable>
  Fake& set(Callable callable) {
    using Function = detail::FakeFunction<Slot, decltype(Slot)>;
    static_assert(Function::template takes<Callable>, "the lambda must take and return what the C function does");
    if constexpr (std::is_convertible_v<Callable, typename Function::Pointer>) {
      state_->functions.*Slot = callable;
    } else {
      Function::targets[state_->number()] = std::move(callable);
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

  /// As if the library did not have the function.
  template <auto Slot>
  Fake& remove() {
    state_->functions.*Slot = nullptr;
    return *this;
  }

  /// The library of this table. Nothing initialises it; if nvmlShutdown was set, the last owner calls it, or
  /// Library::shutdown(), which does not wait for the fake.
  [[nodiscard]] Library library() const { return Library{library_}; }

 private:
  explicit Fake(detail::FakeState* state) : library_(state), state_(state) { ++state->bystanders; }

  detail::Shared library_;
  detail::FakeState* state_;
};

}  // namespace nvml::inline v1
