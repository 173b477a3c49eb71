// SPDX-License-Identifier: Apache-2.0
//
// What an input says of one field: a value or an error code, in the layout of the state, and where it was read.
// Tests: tests/unit/import/observation_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/tree.hpp"
#include "engine/state/field.hpp"

namespace nvmlab::importer {

// The bytes of a field as the state keeps them; of a list, its items and no more.
class FieldValue {
 public:
  FieldValue(const Field& field, std::vector<std::byte> bytes);

  const Field& field() const { return *field_; }
  std::span<const std::byte> bytes() const { return bytes_; }

  // The error code in place of a value; NVML_SUCCESS where there is a value.
  std::uint32_t code() const;
  bool has_value() const { return code() == 0; }
  bool unsupported() const;  // NVML_ERROR_NOT_SUPPORTED
  // A number that is not negative; also that of a label.
  std::optional<std::uint64_t> number() const;
  // The name of an enumerated value; empty where it has none.
  std::string_view label() const;
  std::string_view text() const;
  std::uint32_t list_count() const;

  // As a profile says it.
  std::string yaml() const;

  bool operator==(const FieldValue& other) const = default;

 private:
  const Field* field_;
  std::vector<std::byte> bytes_;
};

// Who says so: one of the sources that the profile declares, and the line.
struct Origin {
  std::size_t source = 0;
  yaml::Place place;
};

struct Observation {
  FieldValue value;
  Origin origin;
};

using Observations = std::map<std::string, Observation, std::less<>>;  // by the field's name

}  // namespace nvmlab::importer
