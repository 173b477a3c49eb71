// SPDX-License-Identifier: Apache-2.0
//
// The names of a struct's members and of an enumeration's values, as the compiler knows them. So what a change takes is
// written once, where it is declared. For aggregates of at most eleven members. Tests:
// tests/unit/command/change_text_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

namespace nvmlab::tool {

namespace reflection {

// The compilers end their signature with "= THIS]" or "= THIS; ...]", and THIS with the name, perhaps in brackets.
constexpr std::string_view last_name(std::string_view signature, std::string_view behind) {
  signature.remove_prefix(signature.find(behind) + behind.size());
  signature = signature.substr(0, signature.find_first_of(";]"));
  while (!signature.empty() && signature.back() == ')')
    signature.remove_suffix(1);
  const std::size_t before = signature.find_last_of(":.");
  return before == std::string_view::npos ? signature : signature.substr(before + 1);
}

template <auto* Place>
constexpr std::string_view member_name() {
  return last_name(__PRETTY_FUNCTION__, "Place = ");
}

template <auto Value>
constexpr std::string_view value_name() {
  return last_name(__PRETTY_FUNCTION__, "Value = ");
}

template <class Type>
constexpr std::string_view type_name() {
  return last_name(__PRETTY_FUNCTION__, "Type = ");
}

struct Anything {
  template <class Type>
  constexpr operator Type() const;  // NOLINT(google-explicit-constructor): stands for a value of any type
};

template <class Body, std::size_t... Index>
constexpr bool takes(std::index_sequence<Index...>) {
  return requires { Body{{(void(Index), Anything{})}...}; };
}

constexpr std::size_t kMost = 11;

template <class Body, std::size_t Count = kMost>
constexpr std::size_t count() {
  if constexpr (Count == 0 || takes<Body>(std::make_index_sequence<Count>{})) {
    return Count;
  } else {
    return count<Body, Count - 1>();
  }
}

template <class Body>
constexpr auto all(const Body& body) {
  constexpr std::size_t kCount = count<Body>();
  if constexpr (kCount == 0) {
    return std::tuple<>();
  } else if constexpr (kCount == 1) {
    const auto& [a] = body;
    return std::tie(a);
  } else if constexpr (kCount == 2) {
    const auto& [a, b] = body;
    return std::tie(a, b);
  } else if constexpr (kCount == 3) {
    const auto& [a, b, c] = body;
    return std::tie(a, b, c);
  } else if constexpr (kCount == 4) {
    const auto& [a, b, c, d] = body;
    return std::tie(a, b, c, d);
  } else if constexpr (kCount == 5) {
    const auto& [a, b, c, d, e] = body;
    return std::tie(a, b, c, d, e);
  } else if constexpr (kCount == 6) {
    const auto& [a, b, c, d, e, f] = body;
    return std::tie(a, b, c, d, e, f);
  } else if constexpr (kCount == 7) {
    const auto& [a, b, c, d, e, f, g] = body;
    return std::tie(a, b, c, d, e, f, g);
  } else if constexpr (kCount == 8) {
    const auto& [a, b, c, d, e, f, g, h] = body;
    return std::tie(a, b, c, d, e, f, g, h);
  } else if constexpr (kCount == 9) {
    const auto& [a, b, c, d, e, f, g, h, i] = body;
    return std::tie(a, b, c, d, e, f, g, h, i);
  } else if constexpr (kCount == 10) {
    const auto& [a, b, c, d, e, f, g, h, i, j] = body;
    return std::tie(a, b, c, d, e, f, g, h, i, j);
  } else {
    const auto& [a, b, c, d, e, f, g, h, i, j, k] = body;
    return std::tie(a, b, c, d, e, f, g, h, i, j, k);
  }
}

template <class Body>
struct Sample {
  static constexpr Body kBody{};
};

template <class Enum, std::uint32_t... Value>
std::string_view name_among(std::uint32_t value, std::integer_sequence<std::uint32_t, Value...>) {
  std::string_view name;
  (void)((value == Value && (name = value_name<static_cast<Enum>(Value)>(), true)) || ...);
  return name;
}

}  // namespace reflection

// visit(name, value) for each member, in order.
template <class Body, class Visit>
void visit_members(const Body& body, const Visit& visit) {
  const auto values = reflection::all(body);
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    (visit(reflection::member_name<&std::get<Index>(reflection::all(reflection::Sample<Body>::kBody))>(),
           std::get<Index>(values)),
     ...);
  }
  (std::make_index_sequence<reflection::count<Body>()>{});
}

// Of an enumerator below sixteen; a digit or nothing where there is none.
template <class Enum>
std::string_view enumerator_name(Enum value) {
  return reflection::name_among<Enum>(static_cast<std::uint32_t>(value),
                                      std::make_integer_sequence<std::uint32_t, 16>{});
}

}  // namespace nvmlab::tool
