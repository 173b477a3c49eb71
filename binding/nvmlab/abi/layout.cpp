// SPDX-License-Identifier: Apache-2.0
// The one translation unit that asserts every size and offset; it gives an empty object.
#include "nvmlab/abi/generated/layout.hpp"  // IWYU pragma: keep

#include "nvmlab/abi/abi.hpp"  // IWYU pragma: keep
