// SPDX-License-Identifier: Apache-2.0
// What all objects of one opened library share: the table of its functions and the duty to shut it down. An object that
// can make a call owns a share, so the library cannot be shut down under a running call: the last owner does it.
// Covered by tests/binding/state_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "nvmlab/loader/atomic.hpp"
#include "nvmlab/loader/error.hpp"
#include "nvmlab/loader/generated/functions.hpp"

namespace nvml::inline v1::detail {

// What a failed call was given, as far as an error tells it: the device, and numbers. Anything else is its place alone.
class Argument {
 public:
  template <class T>
  constexpr Argument(const T& value) noexcept {  // NOLINT(google-explicit-constructor): stands for the argument
    if constexpr (std::is_same_v<T, abi::nvmlDevice_t>) {
      device_ = value;
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      number_ = static_cast<std::int64_t>(value);
      is_number_ = true;
    }
  }
  constexpr abi::nvmlDevice_t device() const noexcept { return device_; }
  constexpr bool is_number() const noexcept { return is_number_; }
  constexpr std::int64_t number() const noexcept { return number_; }

 private:
  abi::nvmlDevice_t device_ = nullptr;
  std::int64_t number_ = 0;
  bool is_number_ = false;
};
using Arguments = std::initializer_list<Argument>;

struct KnownDevice;  // of device_names.cpp

// Why an entry of a table is null.
enum class Absence : std::uint8_t {
  symbol,   // the library lacks the function
  fork,     // this is the child of a fork, and the library was opened by its parent
  closed,   // this owner has shut the library down
  moved,    // this owner has no library: it was moved from, or made without one
  refused,  // the driver refused the object's handle; State::refusal says why
};

struct State {
  // Filled on opening and immutable from then on, with one exception: after fork, in the child, every entry is null.
  // So a call needs no look at who it is: what must not be called is not there.
  Functions functions;
  Atomic<unsigned> owners{1};
  Atomic<unsigned> bystanders{0};            // owners that make no calls, so that a shutdown need not wait for them
  Absence absence = Absence::symbol;         // changes in the child of a fork alone, before it has a second thread
  std::optional<std::string> path;           // of the library's file; nothing for a table that came from no file
  std::optional<Error> refusal;              // of Absence::refused: what every call answers
  mutable Atomic<std::uint32_t> release{0};  // of the driver, once an error has told it; 0: not asked yet
  mutable Atomic<KnownDevice*> known_devices{nullptr};  // of which an error told, or that have an index already

  constexpr State() = default;
  constexpr explicit State(Absence why) noexcept : absence(why) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  virtual ~State();  // the last owner's: shuts down and closes

  // The last owner's, before it lets go: shuts down, once, and says how that went. SUCCESS where there is nothing to
  // do.
  virtual abi::nvmlReturn_t shut_down() noexcept { return abi::NVML_SUCCESS; }

  // An exported symbol by its name, in the table or not; null if there is none.
  virtual void* symbol(const char* name) const noexcept;
};

// The state of owners that have none, of which nobody counts the owners: with it a call needs no look whether there is
// one. It is there before any code runs and is never destroyed.
union NoState {
  State state;
  constexpr NoState() noexcept : state(Absence::moved) {}
#if !defined(__clang__) || \
    __cpp_constexpr >= 202211L  // clang holds C++20 to its words: its state has no such destructor
  constexpr
#endif
      ~NoState() {
  }  // NOLINT(modernize-use-equals-default): it would be deleted
};
extern NoState no_state;

// An owner's share.
class Shared {
 public:
  Shared() noexcept : state_(&no_state.state) {}
  explicit Shared(State* adopted) noexcept : state_(adopted) {}
  Shared(const Shared& other) noexcept : state_(other.state_) {
    if (*this) state_->owners.add(1);
  }
  Shared(Shared&& other) noexcept : state_(std::exchange(other.state_, &no_state.state)) {}
  Shared& operator=(Shared other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~Shared() {
    if (*this && state_->owners.subtract(1) == 1) delete state_;
  }

  State* operator->() const noexcept { return state_; }
  State& operator*() const noexcept { return *state_; }
  explicit operator bool() const noexcept { return state_ != &no_state.state; }
  friend bool operator==(const Shared&, const Shared&) = default;

 private:
  State* state_;
};

// A state of which every call answers this.
Shared refused(Error why);

// The byte offset of a function's entry in the table, by which function_name() knows its name.
template <class F>
std::size_t slot_offset(F* Functions::*slot) noexcept {
  static_assert(sizeof slot == sizeof(std::size_t));
  return __builtin_bit_cast(std::size_t, slot);
}

// The driver's release; 0 if the library does not say.
std::uint32_t release_of(const State& state) noexcept;

// The name of the function that has its entry there.
const char* function_name(std::size_t slot) noexcept;

// Why the call of a table entry has no value. `code` is what the function answered, SUCCESS where it is not there.
// Asks the driver for what helps: once the name and the index of a device, and what is allowed for an argument that was
// refused.
[[gnu::cold]] Error failure(const State& state, std::size_t slot, abi::nvmlReturn_t code,
                            Arguments arguments = {}) noexcept;

// The same error, about this device, where it does not name one yet.
[[gnu::cold]] Error about(const State& state, abi::nvmlDevice_t device, const Error& error) noexcept;
[[gnu::cold]] Error about(unsigned index, const Error& error);
// The same error, about this item, and of this driver where it may be too old for the item.
[[gnu::cold]] Error about(const State& state, const FailedItem& item, const Error& error) noexcept;

// What a method of a device answers where the call itself does not know it. The answer is made where the caller wants
// it: each move of a struct with texts takes longer than many a driver.
template <class Answer>
[[gnu::always_inline]] inline auto about(const State& state, abi::nvmlDevice_t device, Answer&& answer)
    -> decltype(answer()) {
  decltype(answer()) result = answer();
  if (!result.has_value()) [[unlikely]]
    result.error() = about(state, device, result.error());
  return result;
}

// A device has this index: its errors can say so even when it is lost.
void remember_index(const State& state, abi::nvmlDevice_t device, unsigned index);
void forget_devices(State& state) noexcept;

// One call through the table: the function's own answer, or why it could not be asked.
template <auto Slot, class... In>
[[gnu::always_inline]] inline Result<void> call(const State& state, In... in) {
  const auto function = state.functions.*Slot;
  if (function == nullptr) [[unlikely]]
    return unexpected(failure(state, slot_offset(Slot), abi::NVML_SUCCESS));
  if (const abi::nvmlReturn_t code = function(in...); code != abi::NVML_SUCCESS) [[unlikely]]
    return unexpected(failure(state, slot_offset(Slot), code, {in...}));
  return {};
}

}  // namespace nvml::inline v1::detail
