// SPDX-License-Identifier: Apache-2.0
// The way of a typed answer through one C function: what the function was given
// becomes the method's arguments, and what the fake answers becomes what the
// function writes. Covered by tests/binding/fake_methods_test.cpp.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/fake_keyed.hpp"
#include "nvmlab/nvml/fake_method.hpp"
#include "nvmlab/nvml/fake_parts.hpp"

namespace nvml::inline v1::detail {

// One C function as an answer's way out, if it can be one.
template <class Method, class Function, class Layouts = LaidOut<>>
struct FakeRoute {
  static constexpr bool can = false;
};
template <class Method, class... In, class... Layout>
struct FakeRoute<Method, abi::nvmlReturn_t (*)(In...), LaidOut<Layout...>> {
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
  static typename WriterOf<LaidOut<Layout...>, typename Of::Value,
                           std::tuple_element_t<kHandles + kGiven + I, All>...>::type writer(std::index_sequence<I...>);
  static constexpr bool can = [] {
    if constexpr (!kTakes) {
      return false;
    } else {
      return decltype(writer(std::make_index_sequence<kIn - kHandles - kGiven>{}))::can;
    }
  }();

  static abi::nvmlReturn_t ask(FakeMethodState<Method>& state, Asked asked, In... in) {
    const All all{in...};
    auto call = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return typename Of::Call{asked.function, handle(all),
                               Given{readable<std::tuple_element_t<I, Given>>(std::get<kHandles + I>(all))...}};
    }
    (std::make_index_sequence<kGiven>{});
    const auto answer = answered(state, call);
    if (!answer) return static_cast<abi::nvmlReturn_t>(answer.error().code());
    if constexpr (std::is_void_v<typename Of::Value>) {
      return abi::NVML_SUCCESS;
    } else {
      return [&]<std::size_t... I>(std::index_sequence<I...> places) {
        using Out = decltype(writer(places));
        if constexpr (requires { Out::write(*answer, std::get<kHandles + kGiven + I>(all)..., asked.protocol); }) {
          return Out::write(*answer, std::get<kHandles + kGiven + I>(all)..., asked.protocol);
        } else {
          return Out::write(*answer, std::get<kHandles + kGiven + I>(all)...);
        }
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

// The same of a function whose parameters are in another order.
template <class Method, class Function, std::size_t... Order>
struct OrderedRoute;
template <class Method, class... In, std::size_t... Order>
struct OrderedRoute<Method, abi::nvmlReturn_t (*)(In...), Order...> {
  using InOrder = FakeRoute<Method, abi::nvmlReturn_t (*)(std::tuple_element_t<Order, std::tuple<In...>>...)>;
  static constexpr bool can = InOrder::can;

  static abi::nvmlReturn_t ask(FakeMethodState<Method>& state, Asked asked, In... in) {
    const std::tuple<In...> all{in...};
    return InOrder::ask(state, asked, std::get<Order>(all)...);
  }
};

template <class Method, class Slot, class Way>
struct RouteBy;
template <class Method, class Function>
struct RouteBy<Method, Function Functions::*, InOrder> : FakeRoute<Method, Function> {};
template <class Method, class Function, class... Layout>
struct RouteBy<Method, Function Functions::*, LaidOut<Layout...>> : FakeRoute<Method, Function, LaidOut<Layout...>> {};
template <class Method, class Function, std::size_t... Order>
struct RouteBy<Method, Function Functions::*, Ordered<Order...>> : OrderedRoute<Method, Function, Order...> {};
template <class Method, class Function, std::size_t Holder, class C, auto OwnHandle, class Answer, auto... Arguments>
struct RouteBy<Method, Function Functions::*, Keyed<Holder, C, OwnHandle, Answer, Arguments...>>
    : KeyedRoute<Method, Function, Holder, C, OwnHandle, Answer, Arguments...> {};

template <class Method, auto Slot>
using RouteOf = RouteBy<Method, decltype(Slot), typename WayOf<Slot>::type>;

}  // namespace nvml::inline v1::detail
