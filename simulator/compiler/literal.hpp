// SPDX-License-Identifier: Apache-2.0
//
// Values as programs have them (numbers, labels, texts, error codes, records and lists of these), on their way into
// fields whose type is known at run time only. They pass the same checks as those of a profile. Importers make them of
// what they read. Tests: tests/unit/import/observation_test.cpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/yaml/tree.hpp"
#include "compiler/numbers.hpp"
#include "compiler/problems.hpp"
#include "engine/state/fact.hpp"
#include "engine/state/field.hpp"

namespace nvmlab::compiler {

class Literal;
using LiteralList = std::vector<Literal>;
using LiteralRecord = std::map<std::string, Literal, std::less<>>;

// What NVML returns in place of a value.
struct ErrorCode {
  std::uint32_t value = kNotSupported;
  bool operator==(const ErrorCode&) const = default;
};

// The name of an enumerated value: "enabled". A flag takes yes and no.
struct Label {
  std::string name;
  bool operator==(const Label&) const = default;
};

class Literal {
 public:
  Literal() = default;  // NOT_SUPPORTED
  Literal(std::integral auto number) {
    if (std::cmp_less(number, 0)) {
      value_ = Number{true, std::uint64_t{0} - static_cast<std::uint64_t>(number)};
    } else {
      value_ = Number{false, static_cast<std::uint64_t>(number)};
    }
  }
  Literal(bool yes) : value_(Number{false, yes ? std::uint64_t{1} : 0}) {}
  Literal(Number number) : value_(number) {}
  Literal(ErrorCode code) : value_(code) {}
  Literal(Label label) : value_(std::move(label)) {}
  Literal(std::string text) : value_(std::move(text)) {}  // or the digits of bytes in hexadecimal
  Literal(std::string_view text) : value_(std::string(text)) {}
  Literal(const char* text) : value_(std::string(text)) {}
  Literal(LiteralList items) : value_(std::move(items)) {}
  Literal(LiteralRecord members) : value_(std::move(members)) {}
  // A list of numbers.
  Literal(const std::vector<std::uint64_t>& numbers);
  Literal(const std::vector<std::uint32_t>& numbers);

  bool operator==(const Literal& other) const;

  template <class T>
  const T* get_if() const {
    return std::get_if<T>(&value_);
  }
  bool is_error() const { return std::holds_alternative<ErrorCode>(value_); }

 private:
  std::variant<ErrorCode, Number, Label, std::string, LiteralList, LiteralRecord> value_;
};

// Into the `field.size` bytes at `at`. `name` is the field's full name and `place` where the value was read, for
// messages. False when something was wrong: then `problems` says what, and the bytes are unspecified but valid.
bool store(const Literal& literal, const Field& field, std::string_view name, const yaml::Place& place, std::byte* at,
           Problems& problems);

}  // namespace nvmlab::compiler
