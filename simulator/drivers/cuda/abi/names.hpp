// SPDX-License-Identifier: Apache-2.0
// The table of exported functions, by name: what cuGetProcAddress looks up, and what the log says of a call.
#pragma once

#include <cstdint>

#include "drivers/cuda/abi/generated/functions.hpp"

namespace nvmlab::cuda {

enum class Stream : std::uint8_t { legacy, per_thread };

struct FunctionRow {
  const char* name;
  std::uint8_t base_length;  // of the name without version and stream
  std::uint32_t since;       // CUDA release that brought it
  Stream stream;
  void (*address)();
  const char* refused;  // why it is not simulated; null: it is
};

extern const FunctionRow kFunctions[kFunctionCount];

}  // namespace nvmlab::cuda
