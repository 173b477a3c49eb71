// SPDX-License-Identifier: Apache-2.0
// Writing port registers. Tests: tests/drivers/functions/records_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

struct WritePortRegister {
  std::uint32_t id;
  std::uint32_t size;  // of the content, which is that of the register
  std::uint8_t content[256];
};

Code make(const WritePortRegister& change, GpuEdit& gpu);

}  // namespace nvmlab
