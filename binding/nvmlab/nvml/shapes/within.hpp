// SPDX-License-Identifier: Apache-2.0
// Lists that a struct holds: a count and a pointer among its members. Covered by tests/binding/lists_test.cpp.
#pragma once

#include "nvmlab/nvml/shapes/call.hpp"
#include "nvmlab/nvml/shapes/lists.hpp"

namespace nvml::inline v1::detail {

// One call by way of the struct: room goes in by its members, and how much was filled comes out.
template <auto Count, auto Array, class C, class Room, class Call>
abi::nvmlReturn_t within(C& c, unsigned* count, Room* room, Call&& call) {
  fill_version(c);
  c.*Count = *count;
  c.*Array = room;
  const abi::nvmlReturn_t code = call();
  *count = c.*Count;
  return code;
}

}  // namespace nvml::inline v1::detail
