// SPDX-License-Identifier: Apache-2.0
//
// The calls of a recording about one GPU, or about the machine, by function: what the readers of a topic look calls up
// in. And the JSON of their inputs and outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/recording/recording.hpp"

namespace nvmlab::importer::replay {

using recording::Call;
using Json = nlohmann::json;

class CallIndex {
 public:
  void add(const Call& call);

  // In the order of the recording. With a condition as in rows.hpp, those that its first part leaves.
  std::span<const Call* const> of(std::string_view function, std::string_view when = {}) const;
  // The first one that succeeded, else the first one; null where there is none. `when` as in rows.hpp.
  const Call* find(std::string_view function, std::string_view when = {}) const;
  // Likewise, of those that succeeded alone.
  const Call* good(std::string_view function, std::string_view when = {}) const;
  // The line of a field id.
  const Call* field(std::string_view id, unsigned scope = 0) const;

 private:
  std::unordered_map<std::string_view, std::vector<const Call*>> by_function_;
  std::unordered_map<std::string, std::vector<const Call*>> by_input_;  // "function input=value"
};

// Whether the call's inputs are those: "type=NVML_CLOCK_SM link=3".
bool matches(const Call& call, std::string_view when);

// A member by its path: "utilization.gpu", "sensor.0.target". Null where there is none.
const Json* member(const Json& object, std::string_view path);

// A whole number that is not negative; also by the C name of its value.
std::optional<std::uint64_t> number(const Json* value);
std::optional<std::uint64_t> number(const Call& call, std::string_view output);

// The items of an output; none where it is no list.
const Json& list(const Call* call, std::string_view output);
// An array of bytes, which recordings write in hexadecimal; empty where it is none.
std::vector<unsigned> bytes_of(const Json* value);
// Whether a call says which items there are: it gave a list, or said that the board has none.
bool says_items(const Call* call, std::string_view output);

}  // namespace nvmlab::importer::replay
