// SPDX-License-Identifier: Apache-2.0
// What a C function writes through its parameters: patterns in place of it, a copy of it, and whether a typed value is
// the same.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>

#include "tests/binding/generated/leaves.hpp"
#include "tests/binding/support/filler.hpp"

namespace nvml::all_methods {

template <class P>
concept has_leaves = requires(P& c, test::Filler& filler) {
  leaves(c, filler);
};

// A parameter through which something comes out.
template <class A>
inline constexpr bool comes_out = false;
template <class P>
inline constexpr bool comes_out<P*> = !std::is_const_v<P> && !std::is_void_v<P> &&
                                      (std::is_pointer_v<P> || std::is_scalar_v<P> || requires { sizeof(P); });

// The version word that today's layout of a struct has.
struct WordReader {
  unsigned found = 0;
  void number(const char*, auto&) {}
  void flag(const char*, auto&) {}
  void handle(const char*, auto&) {}
  void text(const char*, auto&) {}
  void count(const char*, auto&, unsigned) {}
  void word(unsigned&, unsigned version) { found = found == 0 ? version : found; }
};

// A driver refuses a struct whose version word is another layout's.
template <class A>
bool right_version(const A& argument) {
  if constexpr (comes_out<A>) {
    if constexpr (requires { argument->version; }) {
      if (argument == nullptr) return true;
      using P = std::remove_pointer_t<A>;
      if constexpr (has_leaves<P>) {
        const auto empty = std::make_shared<P>();
        WordReader reader;
        leaves(*empty, reader);
        return argument->version == reader.found;
      } else {
        return (argument->version & 0xFFFFFFU) == sizeof *argument;
      }
    }
  }
  return true;
}

constexpr const char* kPatternText = "a text";

template <class A>
void write_pattern(const A& argument, [[maybe_unused]] unsigned start) {
  if constexpr (comes_out<A>) {
    using P = std::remove_pointer_t<A>;
    if (argument == nullptr) return;
    test::Filler filler(test::Content::pattern, start);
    if constexpr (std::is_same_v<P, char>) {
      std::strcpy(argument, kPatternText);
    } else if constexpr (std::is_pointer_v<P>) {
      filler.handle("", *argument);
    } else if constexpr (std::is_scalar_v<P>) {
      filler.number("", *argument);
    } else if constexpr (has_leaves<P>) {
      leaves(*argument, filler);
    }
  }
}

// One parameter's place. Empty for what goes in.
template <class A>
struct Written {
  void keep(const A&) {}
};

template <class A>
requires comes_out<A>
struct Written<A> {
  using P = std::remove_pointer_t<A>;
  using Copy = std::conditional_t<std::is_same_v<P, char>, std::string, P>;
  std::shared_ptr<Copy> copy;

  void keep(const A& argument) {
    if (argument == nullptr || !right_version(argument)) return;
    if constexpr (std::is_same_v<P, char>) {
      copy = std::make_shared<std::string>(argument);
    } else {
      copy = std::make_shared<Copy>(*argument);
    }
  }
};

template <class A>
auto places(const Written<A>& written) {
  if constexpr (comes_out<A>) {
    return std::make_tuple(written.copy);
  } else {
    return std::tuple<>{};
  }
}

// Whether there is a copy of all that comes out.
template <class A>
bool kept(const Written<A>& written) {
  if constexpr (comes_out<A>) {
    return written.copy != nullptr;
  } else {
    return true;
  }
}

template <class P>
bool same_parts(P& a, P& b) {
  test::Collector first;
  test::Collector second;
  leaves(a, first);
  leaves(b, second);
  return first.all == second.all;
}

// Is the typed value what C wrote?
template <class T, class C>
bool same(const T& value, const C& c) {
  if constexpr (requires { typename detail::TypedOf<C>::type; }) {
    using Typed = detail::typed<C>;
    Typed again{};
    from_c(c, again);
    if constexpr (std::is_same_v<T, Typed>) {
      if constexpr (has_leaves<C>) {
        auto back = std::make_shared<C>();
        auto wanted = std::make_shared<C>();
        to_c(value, *back);
        to_c(again, *wanted);
        if (!same_parts(*back, *wanted)) return false;
      }
      return value == again;
    } else {
      const auto& [only] = again;  // a struct of one member is its member
      return value == only;
    }
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, C>) {
    return value == c;
  } else if constexpr (requires { value.handle(); }) {
    return value.handle() == c;
  } else if constexpr (requires { value.has_value(); }) {
    return !value.has_value() || same(*value, c);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value == (c != 0);
  } else {
    using detail::to_c;
    C back{};
    to_c(value, back);
    return std::memcmp(&back, &c, sizeof c) == 0;
  }
}

}  // namespace nvml::all_methods
