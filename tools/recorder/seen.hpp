// SPDX-License-Identifier: Apache-2.0
// What calls told that later calls are given: clocks, ids of processes and profiles, UUIDs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "recorder/walk_row.hpp"

namespace nvmlab::recorder {

class Seen {
 public:
  struct Value {
    std::uint16_t slot;
    int gpu;  // -1: of the machine
    std::uint64_t number;
    std::string text;
    bool operator==(const Value&) const = default;
  };

  void remember(std::uint16_t slot, int gpu, std::uint64_t number, std::string_view text = {}) {
    if (slot == kNoSlot) return;
    Value value{slot, gpu, number, std::string(text)};
    for (const Value& each : values_) {
      if (each == value) return;
    }
    values_.push_back(std::move(value));
  }

  // In the order in which they came; for the machine (-1) those of all GPUs, each once.
  std::vector<Value> of(std::uint16_t slot, int gpu) const {
    std::vector<Value> found;
    for (const Value& each : values_) {
      if (each.slot != slot || (gpu >= 0 && each.gpu != gpu)) continue;
      bool known = false;
      for (const Value& other : found)
        known = known || (other.number == each.number && other.text == each.text);
      if (!known) found.push_back(each);
    }
    return found;
  }

 private:
  std::vector<Value> values_;
};

}  // namespace nvmlab::recorder
