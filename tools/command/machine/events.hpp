// SPDX-License-Identifier: Apache-2.0
// Events by the names that people write and read. Tests: tests/command/event_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "control/events.hpp"

namespace nvmlab::tool {

struct EventName {
  std::string_view name;
  std::uint64_t type;
  bool of_machine;
  std::string_view help;
};

std::span<const EventName> event_names();

// "xid", "double-bit-ecc", ...; an error names the nearest.
std::expected<const EventName*, std::string> find_event(std::string_view name);

// "xid 79", "mig-config"; a type without a name by its number.
std::string describe(const Event& event);

}  // namespace nvmlab::tool
