// SPDX-License-Identifier: Apache-2.0
// Typed values with something in every part, each part different from the others: what arguments and answers of methods
// are made of in tests over all of them.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "nvmlab/nvml.hpp"
#include "nvmlab/nvml/reflect.hpp"

namespace nvml::test {

// Fills one value after the other, with numbers that go up. What it does not know it counts, so that nothing is passed
// over in silence.
class TypedFiller {
 public:
  explicit TypedFiller(Library library) : library_(std::move(library)) {}

  unsigned unknown = 0;  // parts that were left as they are

  template <class T>
  void fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = true;
    } else if constexpr (std::is_enum_v<T>) {
      fill_enumerator(value);
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = static_cast<T>(next());
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = "text " + std::to_string(next());
    } else if constexpr (std::is_same_v<T, std::byte>) {
      value = static_cast<std::byte>(next());
    } else if constexpr (std::is_pointer_v<T>) {
      value = reinterpret_cast<T>(static_cast<std::size_t>(next()) * 16);
    } else if constexpr (requires {
                           typename T::number;
                           value.count();
                         }) {
      value = T{static_cast<typename T::number>(next())};
    } else if constexpr (requires {
                           typename T::flag;
                           value.raw();
                         }) {
      value = T{enumerators<typename T::flag>().front()};
    } else if constexpr (requires {
                           typename T::number;
                           value.raw();
                         }) {
      value = T{static_cast<typename T::number>(next())};
    } else if constexpr (requires { value.insert(PowerProfileType{}); }) {
      value.insert(static_cast<PowerProfileType>(next()));
    } else if constexpr (std::is_same_v<T, Uuid>) {
      value = Uuid{"GPU-" + std::to_string(next())};
    } else if constexpr (requires { value.time_since_epoch(); }) {
      value = T{typename T::duration{static_cast<typename T::rep>(next())}};
    } else if constexpr (requires { typename T::period; }) {
      value = T{static_cast<typename T::rep>(next())};
    } else if constexpr (requires {
                           value.emplace();
                           *value;
                         }) {
      fill(value.emplace());
    } else if constexpr (detail::IsObject<T>) {
      value = made<T>();
    } else {
      fill_parts(value);
    }
  }

  // Also of what has no value of its own.
  template <class T>
  T make() {
    if constexpr (std::is_default_constructible_v<T>) {
      T value{};
      fill(value);
      return value;
    } else {
      return made<T>();
    }
  }

 private:
  unsigned next() { return last_ = last_ % 100 + 1; }

  template <class T>
  T made() {
    using Handle = typename T::handle_type;
    if constexpr (std::is_pointer_v<Handle>) {
      return T{library_.library(), reinterpret_cast<Handle>(static_cast<std::size_t>(next()) * 16)};
    } else {
      return T{library_.library(), static_cast<Handle>(next())};
    }
  }
  template <class T>
  void fill_enumerator(T& value) {
    if constexpr (requires { detail::Enumerators<T>::all; }) {
      value = enumerators<T>()[enumerators<T>().size() / 2];
    } else {
      value = static_cast<T>(next());
    }
  }
  template <class T>
  void fill_parts(T& value) {
    if constexpr (std::is_same_v<T, IndexSet>) {
      value = IndexSet{std::vector<unsigned long>{5UL + next()}};
    } else if constexpr (requires { value.emplace_back(); }) {
      for (int i = 0; i < 2; ++i)
        fill(value.emplace_back());
    } else if constexpr (requires {
                           std::tuple_size<T>::value;
                           value[0];
                         }) {
      for (auto& each : value)
        fill(each);
    } else if constexpr (Reflected<T>) {
      for_each_member(std::as_const(value), [this](std::string_view /*name*/, const auto& member) {
        fill(const_cast<std::remove_cvref_t<decltype(member)>&>(member));  // `value` is no constant
      });
    } else if constexpr (!requires { std::variant_size<T>::value; }) {  // which goes by a type beside it
      ++unknown;
    }
  }

  Library library_;
  unsigned last_ = 0;
};

}  // namespace nvml::test
