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

// The call that is being looked at.
struct Seen {
  abi::nvmlReturn_t refusal = abi::NVML_SUCCESS;  // what the entry is to answer
  unsigned calls = 0;
  unsigned kept = 0;
  unsigned untold = 0;  // lists that did not fit, and their length was not told
  abi::nvmlReturn_t answer = abi::NVML_SUCCESS;
  test::Content content = test::Content::pattern;  // what the entry is to write
  unsigned layouts = 1;                            // that a versioned struct of the function has
  unsigned refused_layouts = 0;                    // of the newest ones, by a driver that is too old for them
  std::string strange;                             // the arguments that are not what was given
};
inline Seen seen;

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

// Patterns into one place. Structs that a person converts have no list of parts: there all bytes are written but for
// the version word.
template <class P>
void write_pattern(P* where, unsigned start) {
  test::Filler filler(seen.content, start);
  if constexpr (std::is_pointer_v<P>) {
    filler.handle("", *where);
  } else if constexpr (std::is_scalar_v<P>) {
    filler.number("", *where);
  } else if constexpr (has_leaves<P>) {
    leaves(*where, filler);
  } else {
    const P before = *where;
    auto* const bytes = reinterpret_cast<unsigned char*>(where);
    for (std::size_t i = 0; i < sizeof *where; ++i)
      bytes[i] = seen.content == test::Content::zeros ? 0 : static_cast<unsigned char>(1 + (start + i) % 120);
    if constexpr (requires { where->version; }) where->version = before.version;
  }
}

// What a function wrote last to its Nth place of this type.
template <class C, unsigned N = 0>
struct Held {
  static inline C now{};
};

// What an entry does that stands in for a function: patterns to the place, unless the struct is another layout's.
template <class C, unsigned N = 0, class P>
abi::nvmlReturn_t written(P* place) {
  auto* const where = reinterpret_cast<C*>(place);
  if (where == nullptr) return abi::NVML_ERROR_INVALID_ARGUMENT;
  if (!right_version(where)) return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  write_pattern(where, 40 * (N + 1));
  return abi::NVML_SUCCESS;
}

// A struct with a version word has the layout that it says, one of those given newest first.
template <class... Layouts>
struct OneOf {
  static inline unsigned now = 0;

  // Calls `use` with a pointer to the layout; SUCCESS if there is such a one.
  template <class P, class Use>
  static bool find(P* place, unsigned skip, Use use) {
    unsigned number = 0;
    const auto attempt = [&]<class C>(C* where) {
      const unsigned mine = number++;
      if (mine < skip || !right_version(where)) return false;
      now = mine;
      use(where);
      return true;
    };
    return place != nullptr && (attempt(reinterpret_cast<Layouts*>(place)) || ...);
  }

  template <class P>
  static abi::nvmlReturn_t written(P* place) {
    seen.layouts = sizeof...(Layouts);
    const bool found = find(place, seen.refused_layouts, [](auto* where) { write_pattern(where, 40); });
    return found ? abi::NVML_SUCCESS : abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }

  template <class P>
  static void keep(P* place) {
    find(place, 0, []<class C>(C* where) {
      ++seen.kept;
      std::memcpy(&Held<C>::now, where, sizeof(C));
    });
  }
};

inline abi::nvmlReturn_t written_text(char* place) {
  std::strcpy(place, seen.content == test::Content::zeros ? "" : "a text");
  return abi::NVML_SUCCESS;
}

// What was a key stays what it was.
template <class M>
void restore(M& member, const M& before) {
  std::memcpy(&member, &before, sizeof member);
}

// An answer came: it is copied.
template <class C, unsigned N = 0, class P>
void keep(const P* place) {
  ++seen.kept;
  const auto* const where = reinterpret_cast<const C*>(place);
  if (where != nullptr) std::memcpy(&Held<C, N>::now, where, sizeof(C));
}
inline void keep_text(const char* place) {
  ++seen.kept;
  Held<std::string>::now = place;
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
  if constexpr (std::is_same_v<T, bool> && std::is_scalar_v<C>) {
    return value == (c != 0);
  } else if constexpr (std::is_arithmetic_v<T> && std::is_arithmetic_v<C>) {
    return static_cast<C>(value) == c;
  } else if constexpr (requires { typename detail::TypedOf<C>::type; }) {
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
  } else if constexpr (std::is_same_v<T, std::string> && std::is_array_v<C>) {
    return value == std::string(c, ::strnlen(c, sizeof c));
  } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, C>) {
    return value == c;
  } else if constexpr (requires { value.handle(); }) {
    return value.handle() == c;
  } else if constexpr (requires { value.has_value(); }) {
    if (value.has_value()) return same(*value, c);
    return c == static_cast<C>(-1) || c == C{};  // the numbers that stand for nothing
  } else {
    using detail::to_c;
    C back{};
    to_c(value, back);
    return std::memcmp(&back, &c, sizeof c) == 0;
  }
}

template <class Layouts>
struct SameAsOneOf;
template <class... Layouts>
struct SameAsOneOf<OneOf<Layouts...>> {
  template <class T>
  static bool check(const T& value) {
    unsigned number = 0;
    const auto is = [&](const auto& c) { return number++ == OneOf<Layouts...>::now && same(value, c); };
    return (is(Held<Layouts>::now) || ...);
  }
};

// An argument of the method against what the C function got.
template <class T, class C>
void came(const T& value, const C& c, const char* name) {
  bool arrived = false;
  if constexpr (requires { value.handle(); }) {
    arrived = value.handle() == c;
  } else if constexpr (std::is_array_v<C>) {
    if constexpr (std::is_same_v<T, std::string>) {
      arrived = same(value, c);
    } else {
      arrived = sizeof value == sizeof c && std::memcmp(&value, &c, sizeof c) == 0;
    }
  } else if constexpr (std::is_pointer_v<C>) {
    if constexpr (std::is_same_v<std::remove_cv_t<std::remove_pointer_t<C>>, char>) {
      arrived = c != nullptr && value == c;
    } else {
      arrived = c != nullptr && same(value, *c);
    }
  } else {
    arrived = same(value, c);
  }
  if (!arrived) seen.strange += std::string(seen.strange.empty() ? "" : ", ") + name;
}

// The struct that goes in has the version word of its layout.
template <class P>
void came_versioned(P* c) {
  if (c == nullptr || !right_version(c)) seen.strange += " version";
}

}  // namespace nvml::all_methods
