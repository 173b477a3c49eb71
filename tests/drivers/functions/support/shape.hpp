// SPDX-License-Identifier: Apache-2.0
//
// A struct as a caller fills it in: its members in one flat list, those of nested structs and of the first items of
// arrays included. A conversation (conversation.hpp) gives them values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/drivers/functions/support/api.hpp"

namespace nvmlab::driver_test {

struct Member {
  std::string name;
  std::size_t offset = 0;
  std::size_t size = 0;
  bool handle = false;
  bool text = false;    // or points at one
  bool counts = false;  // of what a pointer of the same struct points at
  bool waits = false;   // for so many milliseconds
  bool pointer = false;
  std::size_t item_size = 0;  // of what a pointer points at
};

struct Shape {
  std::uint32_t version = 0;  // 0: not a versioned struct
  std::size_t size = 0;
  std::vector<Member> members;  // without the version word
  bool points = false;          // one of them is a pointer
};

// Members from `size` on are left out: old callers have shorter structs.
Shape shape_of(const codegen::Record& record, std::uint32_t version, std::size_t size);

}  // namespace nvmlab::driver_test
