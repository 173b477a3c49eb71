// SPDX-License-Identifier: Apache-2.0
// Which PTX a driver reads, as the table of releases in the reference of PTX has it. Tests:
// tests/unit/kernels/images_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab::ptx {

// 84 of PTX 8.4 for a driver of CUDA 12.4 (12040); 0, which is any, for one that is newer than the table.
std::uint32_t newest_version(std::uint32_t cuda);

}  // namespace nvmlab::ptx
