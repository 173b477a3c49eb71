// SPDX-License-Identifier: Apache-2.0
// Tables name fields by their offset in bytes.
#pragma once

#include <cstddef>

namespace nvmlab {

inline constexpr std::size_t kNoField = ~std::size_t{0};  // a choice that exists and that no board supports

}  // namespace nvmlab
