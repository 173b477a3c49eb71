// SPDX-License-Identifier: Apache-2.0
// What fakes are made of: an argument of C as the method was given it, and a
// typed value as what a C function writes. Covered by
// tests/binding/fake_methods_test.cpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "nvmlab/abi/generated/struct_versions.hpp"
#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/convert.hpp"
#include "nvmlab/nvml/index_set.hpp"
#include "nvmlab/nvml/reflect.hpp"
#include "nvmlab/nvml/shapes/raw_list.hpp"
#include "nvmlab/nvml/values/vgpu_metadata.hpp"

namespace nvml::inline v1::detail {

struct Anything {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor): only its type is looked at
};

// The struct of which a method takes or answers the one member alone.
template <class C>
concept has_typed = requires {
  typename TypedOf<C>::type;
};
template <class T, class C>
inline constexpr bool kSoleMember = [] {
  if constexpr (has_typed<C> && !std::is_same_v<T, C>) {
    return !std::is_same_v<typed<C>, T> && requires(const T& value) { typed<C>{value}; }
    &&!requires(const T& value) { typed<C>{value, Anything{}}; };
  } else {
    return false;
  }
}();

// An object, which C knows by its handle.
template <class T, class C>
concept names_object = std::is_constructible_v<T, Shared, C> && !std::is_aggregate_v<T> && requires(const T& object) {
  { object.handle() } -> std::convertible_to<C>;
};

// An argument of C as the method was given it. An object has its handle and no
// library.
template <class P, class C>
inline constexpr bool kReadable = [] {
  if constexpr (names_object<P, C>) {
    return true;
  } else if constexpr (std::is_pointer_v<C> && !std::is_same_v<P, C>) {
    if constexpr (std::is_same_v<P, std::string> || std::is_same_v<P, std::string_view>) {
      return std::is_same_v<C, const char*>;
    } else if constexpr (kSoleMember<P, std::remove_cv_t<std::remove_pointer_t<C>>>) {
      return true;
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
void read(const C& c, P& value) {
  if constexpr (std::is_same_v<P, C>) {
    value = c;
  } else if constexpr (std::is_same_v<C, const char*>) {
    if (c != nullptr) value = c;
  } else if constexpr (std::is_pointer_v<C>) {
    using Pointed = std::remove_cv_t<std::remove_pointer_t<C>>;
    if (c == nullptr) return;
    if constexpr (kSoleMember<P, Pointed>) {
      typed<Pointed> whole{};
      from_c(*c, whole);
      for_each_member(whole, [&](std::string_view /*name*/, const auto& member) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(member)>, P>) value = member;
      });
    } else {
      from_c(*c, value);
    }
  } else {
    from_c(c, value);
  }
}
template <class P, class C>
P readable(const C& c) {
  if constexpr (names_object<P, C>) {
    return P{Shared{}, c};
  } else {
    P value{};
    read(c, value);
    return value;
  }
}

// Whether a value can be written to what these pointers point to: one place; a
// text and its room; a count and a list; each member of a struct to a place of
// its own.
template <class T, class C>
concept writable = std::is_same_v<T, C> || names_object<T, C> || kSoleMember<T, C> || requires(const T& value, C& c) {
  to_c(value, c);
};
template <class T, class C>
void write_one(const T& value, C* c) {
  if (c == nullptr) return;
  if constexpr (std::is_same_v<T, C>) {
    *c = value;
  } else if constexpr (names_object<T, C>) {
    *c = value.handle();
  } else if constexpr (kSoleMember<T, C>) {
    to_c(typed<C>{value}, *c);
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
// A struct in one of these layouts.
template <class T, class... Layout>
struct LayoutWriter {
  static constexpr bool can = (writable<T, Layout> && ...);
  template <class C>
  static abi::nvmlReturn_t write(const T& value, C* c) {
    if (c == nullptr) return abi::NVML_ERROR_INVALID_ARGUMENT;
    const bool known = (write_as<Layout>(value, c) || ...);
    return known ? abi::NVML_SUCCESS : abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  }

 private:
  template <class One, class C>
  static bool write_as(const T& value, C* c) {
    if constexpr (sizeof...(Layout) > 1) {
      unsigned asked = 0;
      std::memcpy(&asked, c, sizeof asked);
      if (asked != abi::version_of<One>) return false;
    }
    write_one(value, reinterpret_cast<One*>(c));
    return true;
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
// Of a length that is told.
template <>
struct Writer<std::string, char*, unsigned*> {
  static constexpr bool can = true;
  static abi::nvmlReturn_t write(const std::string& value, char* text, unsigned* room) {
    const unsigned offered = std::exchange(*room, static_cast<unsigned>(value.size() + 1));
    if (text == nullptr || offered <= value.size()) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    std::memcpy(text, value.c_str(), value.size() + 1);
    return abi::NVML_SUCCESS;
  }
};
// CPUs and NUMA nodes: what the room has no words for is cut off.
template <>
struct Writer<IndexSet, unsigned, unsigned long*> {
  static constexpr bool can = true;
  static abi::nvmlReturn_t write(const IndexSet& value, unsigned room, unsigned long* words) {
    for (unsigned i = 0; i < room; ++i)
      words[i] = i < value.words().size() ? value.words()[i] : 0;
    return abi::NVML_SUCCESS;
  }
};
// Performance states, of which the room is told in bytes.
template <class T>
struct Writer<std::vector<T>, unsigned, abi::nvmlPstates_t*> {
  static constexpr bool can = true;
  static abi::nvmlReturn_t write(const std::vector<T>& value, unsigned bytes, abi::nvmlPstates_t* states) {
    const std::size_t room = bytes / sizeof *states;
    if (value.size() > room) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    for (std::size_t i = 0; i < room; ++i)
      states[i] = i < value.size() ? static_cast<abi::nvmlPstates_t>(value[i]) : abi::NVML_PSTATE_UNKNOWN;
    return abi::NVML_SUCCESS;
  }
};
template <class T, class C>
requires(writable<T, C>) struct Writer<std::vector<T>, unsigned*, C*> {
  static constexpr bool can = true;
  static abi::nvmlReturn_t write(const std::vector<T>& value, unsigned* count, C* list,
                                 Protocol protocol = Protocol::A) {
    const unsigned room = std::exchange(*count, static_cast<unsigned>(value.size()));
    if (value.empty() || only_asks(protocol, room, list == nullptr)) return abi::NVML_SUCCESS;
    if (list == nullptr || room < value.size()) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    for (std::size_t i = 0; i < value.size(); ++i)
      write_one(value[i], list + i);
    return abi::NVML_SUCCESS;
  }

 private:
  // Whether the function tells the count alone, and that with SUCCESS.
  static bool only_asks(Protocol protocol, unsigned room, bool nowhere) {
    if (protocol == Protocol::C || protocol == Protocol::D) return room == 0;
    return (protocol == Protocol::E || protocol == Protocol::G) && nowhere;
  }
};

// What writes an answer to these places.
template <class Layouts, class T, class... Out>
struct WriterOf;
template <class T, class... Out>
struct WriterOf<LaidOut<>, T, Out...> {
  using type = Writer<T, Out...>;
};
template <class First, class... More, class T, class... Out>
struct WriterOf<LaidOut<First, More...>, T, Out...> {
  using type = LayoutWriter<T, First, More...>;
};

// A struct with something behind it.
template <class T, class C>
requires requires(const T& value) {
  { to_c(value) } -> std::same_as<std::vector<std::byte>>;
}
struct Writer<T, C*, unsigned*> {
  static constexpr bool can = true;
  static abi::nvmlReturn_t write(const T& value, C* c, unsigned* room) {
    const std::vector<std::byte> bytes = to_c(value);
    const unsigned offered = std::exchange(*room, static_cast<unsigned>(bytes.size()));
    if (c == nullptr || offered < bytes.size()) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    std::memcpy(static_cast<void*>(c), bytes.data(), bytes.size());
    return abi::NVML_SUCCESS;
  }
};

// A struct that was made for what a function writes to several places: its
// members are in their order.
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

}  // namespace nvml::inline v1::detail
