// SPDX-License-Identifier: Apache-2.0
//
// More GPUs than a profile lists: its GPUs again, in order, each under an identity of its own.
// Tests: tests/unit/machine/replicate_test.cpp.
#pragma once

#include <cstdint>

#include "engine/machine/image.hpp"

namespace nvmlab {

// Writes GPU `index` of a machine made after `pattern` into zeroed memory. GPUs that the pattern lists are copied;
// others get a UUID, serial number, PDI, minor number and PCI address that no other GPU of the machine has.
void replicate(const Image& pattern, std::uint32_t index, Gpu* out);

}  // namespace nvmlab
