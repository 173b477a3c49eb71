// SPDX-License-Identifier: Apache-2.0
// What is wrong with a text of PTX, and where. Tests: tests/unit/kernels/parser_test.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace nvmlab::kernels {

inline constexpr int kInvalidPtx = 218;  // CUDA_ERROR_INVALID_PTX

}  // namespace nvmlab::kernels

namespace nvmlab::ptx {

struct Place {
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

struct Problem {
  Place at;
  std::string text;      // what was found; what would be right
  bool too_new = false;  // a version of PTX that the driver does not read

  // "ptx:12:5: ..."
  std::string told() const { return "ptx:" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + text; }
};

}  // namespace nvmlab::ptx
