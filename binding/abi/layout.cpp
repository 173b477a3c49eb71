// SPDX-License-Identifier: Apache-2.0
// The one translation unit that asserts every size and offset; it gives an empty object.
#include "binding/abi/generated/layout.hpp"  // IWYU pragma: keep

#include "binding/abi/abi.hpp"  // IWYU pragma: keep
