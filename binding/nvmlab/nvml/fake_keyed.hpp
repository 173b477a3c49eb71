// SPDX-License-Identifier: Apache-2.0
// The way of an answer through a C function that takes a struct: the method's
// last arguments are members of it, and the answer is the struct, one of its
// members, or a list that it holds. Covered by
// tests/binding/fake_methods_test.cpp.
#pragma once

#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nvmlab/nvml/fake_method.hpp"
#include "nvmlab/nvml/fake_parts.hpp"

namespace nvml::inline v1::detail {

template <class T, class C, class Answer>
struct StructWriter {
  static constexpr bool can = false;
};
template <class C, class Answer>
struct StructWriter<void, C, Answer> {
  static constexpr bool can = true;
  static abi::nvmlReturn_t write(const C& /*struct*/) { return abi::NVML_SUCCESS; }
};
template <class T, class C>
requires(writable<T, C>) struct StructWriter<T, C, Whole> {
  static constexpr bool can = true;
  static abi::nvmlReturn_t write(const T& value, C& c) {
    write_one(value, &c);
    return abi::NVML_SUCCESS;
  }
};
template <class T, class C, class M, M C::*Member>
requires(writable<T, M>) struct StructWriter<T, C, Only<Member>> {
  static constexpr bool can = true;
  static abi::nvmlReturn_t write(const T& value, C& c) {
    write_one(value, &(c.*Member));
    return abi::NVML_SUCCESS;
  }
};
template <class T, class C, class N, N C::*Count, class M, M* C::*Array>
requires(writable<T, M>) struct StructWriter<std::vector<T>, C, Within<Count, Array>> {
  static constexpr bool can = true;
  static abi::nvmlReturn_t write(const std::vector<T>& value, C& c, Protocol protocol) {
    return Writer<std::vector<T>, unsigned*, M*>::write(value, &(c.*Count), c.*Array, protocol);
  }
};

// What a member of a struct is.
template <class M, class C>
std::type_identity<M> member_of(M C::*);

template <class Method, class Function, std::size_t Holder, class C, auto OwnHandle, class Answer, auto... Keys>
struct KeyedRoute;
template <class Method, class... In, std::size_t Holder, class C, auto OwnHandle, class Answer, auto... Keys>
struct KeyedRoute<Method, abi::nvmlReturn_t (*)(In...), Holder, C, OwnHandle, Answer, Keys...> {
  using Of = Signature<Method>;
  using Given = typename Of::Arguments;
  using All = std::tuple<In...>;
  static constexpr bool kOwnIsKey = !std::is_same_v<decltype(OwnHandle), std::nullptr_t>;
  static constexpr std::size_t kHandles = std::is_same_v<typename Of::Handle, NoHandle> || kOwnIsKey ? 0 : 1;
  static constexpr std::size_t kBefore = std::tuple_size_v<Given> - sizeof...(Keys);  // that are no keys
  using Members = std::tuple<decltype(member_of(Keys))...>;

  // The place of an argument that is no key, among the function's parameters.
  static constexpr std::size_t place(std::size_t argument) {
    const std::size_t at = kHandles + argument;
    return at < Holder ? at : at + 1;
  }
  template <std::size_t I>
  static constexpr bool readable_before =
      kReadable<std::tuple_element_t<I, Given>, std::tuple_element_t<place(I), All>>;
  static constexpr bool kTakes =
      []<std::size_t... I, std::size_t... K>(std::index_sequence<I...>, std::index_sequence<K...>) {
    return (readable_before<I> && ...) &&
           (kReadable<std::tuple_element_t<kBefore + K, Given>, typename std::tuple_element_t<K, Members>::type> &&
            ...);
  }
  (std::make_index_sequence<kBefore>{}, std::make_index_sequence<sizeof...(Keys)>{});
  using Out = StructWriter<typename Of::Value, C, Answer>;
  static constexpr bool can = kTakes && Out::can;

  static abi::nvmlReturn_t ask(FakeMethodState<Method>& state, Asked asked, In... in) {
    const All all{in...};
    auto& c = *reinterpret_cast<C*>(std::get<Holder>(all));  // by this name or by an older one
    const auto call = call_of(asked.function, all, c, std::make_index_sequence<kBefore>{},
                              std::make_index_sequence<sizeof...(Keys)>{});
    const auto answer = answered(state, call);
    if (!answer) return static_cast<abi::nvmlReturn_t>(answer.error().code());
    if constexpr (std::is_void_v<typename Of::Value>) {
      return Out::write(c);
    } else {
      const C before = c;
      abi::nvmlReturn_t code{};
      if constexpr (requires { Out::write(*answer, c, asked.protocol); }) {
        code = Out::write(*answer, c, asked.protocol);
      } else {
        code = Out::write(*answer, c);
      }
      (static_cast<void>(keep(c.*Keys, before.*Keys)), ...);
      return code;
    }
  }

 private:
  template <class M>
  static void keep(M& now, const M& before) {
    std::memcpy(&now, &before, sizeof now);
  }
  template <std::size_t... I, std::size_t... K>
  static typename Of::Call call_of(const char* function, const All& all, const C& c, std::index_sequence<I...>,
                                   std::index_sequence<K...>) {
    [[maybe_unused]] const auto members = std::tie(c.*Keys...);
    return {function, handle(all, c),
            Given{readable<std::tuple_element_t<I, Given>>(std::get<place(I)>(all))...,
                  readable<std::tuple_element_t<kBefore + K, Given>>(std::get<K>(members))...}};
  }
  static typename Of::Handle handle([[maybe_unused]] const All& all, [[maybe_unused]] const C& c) {
    if constexpr (kOwnIsKey) {
      return c.*OwnHandle;
    } else if constexpr (kHandles == 0) {
      return {};
    } else {
      return std::get<0>(all);
    }
  }
};

}  // namespace nvml::inline v1::detail
