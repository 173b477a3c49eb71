// SPDX-License-Identifier: Apache-2.0
// The way of a typed answer through one C function: what the function was given becomes the method's arguments, and
// what the fake answers becomes what the function writes. Covered by tests/binding/fake_methods_test.cpp.
#pragma once

#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/convert.hpp"
#include "nvmlab/nvml/fake_method.hpp"
#include "nvmlab/nvml/reflect.hpp"

namespace nvml::inline v1::detail {

// An argument of C as the method was given it.
template <class P, class C>
inline constexpr bool kReadable = [] {
  if constexpr (std::is_pointer_v<C> && !std::is_same_v<P, C>) {
    if constexpr (std::is_same_v<P, std::string> || std::is_same_v<P, std::string_view>) {
      return std::is_same_v<C, const char*>;
    } else if constexpr (!std::is_void_v<std::remove_pointer_t<C>> && std::is_default_constructible_v<P>) {
      return requires(const std::remove_pointer_t<C>& c, P& value) { from_c(c, value); };
    } else {
      return false;
    }
  } else {
    return std::is_same_v<P, C> ||
           (std::is_default_constructible_v<P> && requires(const C& c, P& value) { from_c(c, value); });
  }
}();
template <class P, class C>
P readable(const C& c) {
  P value{};
  if constexpr (std::is_same_v<P, C>) {
    value = c;
  } else if constexpr (std::is_same_v<C, const char*>) {
    if (c != nullptr) value = c;
  } else if constexpr (std::is_pointer_v<C>) {
    if (c != nullptr) from_c(*c, value);
  } else {
    from_c(c, value);
  }
  return value;
}

// Whether a value can be written to what these pointers point to: one place; a text and its room; a count and a list;
// each member of a struct to a place of its own.
template <class T, class C>
concept writable = std::is_same_v<T, C> || requires(const T& value, C& c) {
  to_c(value, c);
};
template <class T, class C>
void write_one(const T& value, C* c) {
  if (c == nullptr) return;
  if constexpr (std::is_same_v<T, C>) {
    *c = value;
  } else {
    to_c(value, *c);
  }
}

template <class T, class... Out>
struct Writer {
  static constexpr bool can = false;
};
template <>
struct Writer<void> {
  static constexpr bool can = true;
};
template <class T, class C>
requires(writable<T, C>) struct Writer<T, C*> {
  static constexpr bool can = true;
  static abi::nvmlReturn_t write(const T& value, C* c) {
    write_one(value, c);
    return abi::NVML_SUCCESS;
  }
};
template <>
struct Writer<std::string, char*, unsigned> {
  static constexpr bool can = true;
  static abi::nvmlReturn_t write(const std::string& value, char* text, unsigned room) {
    if (value.size() >= room) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    std::memcpy(text, value.c_str(), value.size() + 1);
    return abi::NVML_SUCCESS;
  }
};
template <class T, class C>
requires(writable<T, C>) struct Writer<std::vector<T>, unsigned*, C*> {
  static constexpr bool can = true;
  static abi::nvmlReturn_t write(const std::vector<T>& value, unsigned* count, C* list) {
    const unsigned room = std::exchange(*count, static_cast<unsigned>(value.size()));
    if (value.empty()) return abi::NVML_SUCCESS;
    if (list == nullptr || room < value.size()) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    for (std::size_t i = 0; i < value.size(); ++i)
      write_one(value[i], list + i);
    return abi::NVML_SUCCESS;
  }
};

// A struct that was made for what a function writes to several places: its members are in their order.
template <class T>
concept has_members = requires(const T& value) {
  for_each_member(value, [](std::string_view, const auto&) {});
};
template <has_members T, class First, class Second, class... More>
requires(!std::is_class_v<First> && !writable<T, First>) struct Writer<T, First*, Second*, More*...> {
  static constexpr bool can = true;
  static abi::nvmlReturn_t write(const T& value, First* first, Second* second, More*... more) {
    std::size_t next = 0;
    for_each_member(value, [&](std::string_view /*name*/, const auto& member) {
      std::size_t place = 0;
      const auto to = [&](auto* c) {
        if (place++ == next) write_part(member, c);
      };
      to(first);
      to(second);
      (to(more), ...);
      ++next;
    });
    return next == 2 + sizeof...(More) ? abi::NVML_SUCCESS : abi::NVML_ERROR_UNKNOWN;
  }

 private:
  template <class M, class C>
  static void write_part(const M& member, C* c) {
    if constexpr (writable<M, C>) {
      write_one(member, c);
    } else if constexpr (requires {
                           *member;
                           member.has_value();
                         }) {
      if (member) write_part(*member, c);
    }
  }
};

// One C function as an answer's way out, if it can be one.
template <class Method, class Function>
struct FakeRoute {
  static constexpr bool can = false;
};
template <class Method, class... In>
struct FakeRoute<Method, abi::nvmlReturn_t (*)(In...)> {
  using Of = Signature<Method>;
  using Given = typename Of::Arguments;
  static constexpr std::size_t kHandles = std::is_same_v<typename Of::Handle, NoHandle> ? 0 : 1;
  static constexpr std::size_t kGiven = std::tuple_size_v<Given>;
  static constexpr std::size_t kIn = sizeof...(In);
  using All = std::tuple<In...>;

  static constexpr bool kTakes = [] {
    if constexpr (kIn < kHandles + kGiven) {
      return false;
    } else {
      return []<std::size_t... I>(std::index_sequence<I...>) {
        return (kReadable<std::tuple_element_t<I, Given>, std::tuple_element_t<kHandles + I, All>> && ...);
      }
      (std::make_index_sequence<kGiven>{});
    }
  }();
  template <std::size_t... I>
  static auto writer(std::index_sequence<I...>)
      -> Writer<typename Of::Value, std::tuple_element_t<kHandles + kGiven + I, All>...>;
  static constexpr bool can = [] {
    if constexpr (!kTakes) {
      return false;
    } else {
      return decltype(writer(std::make_index_sequence<kIn - kHandles - kGiven>{}))::can;
    }
  }();

  static abi::nvmlReturn_t ask(FakeMethodState<Method>& state, const char* function, In... in) {
    const All all{in...};
    auto call = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return typename Of::Call{function, handle(all),
                               Given{readable<std::tuple_element_t<I, Given>>(std::get<kHandles + I>(all))...}};
    }
    (std::make_index_sequence<kGiven>{});
    {
      const std::scoped_lock lock{state.mutex};
      state.calls.push_back(call);
    }
    const auto answer = state.answer(call);
    if (!answer) return static_cast<abi::nvmlReturn_t>(answer.error().code());
    if constexpr (std::is_void_v<typename Of::Value>) {
      return abi::NVML_SUCCESS;
    } else {
      return [&]<std::size_t... I>(std::index_sequence<I...> places) {
        return decltype(writer(places))::write(*answer, std::get<kHandles + kGiven + I>(all)...);
      }
      (std::make_index_sequence<kIn - kHandles - kGiven>{});
    }
  }

 private:
  static typename Of::Handle handle([[maybe_unused]] const All& all) {
    if constexpr (kHandles == 0) {
      return {};
    } else {
      return std::get<0>(all);
    }
  }
};

template <class Method, class Slot>
struct RouteOf;
template <class Method, class Function>
struct RouteOf<Method, Function Functions::*> : FakeRoute<Method, Function> {};

}  // namespace nvml::inline v1::detail
