// SPDX-License-Identifier: Apache-2.0
// What to_string calls a value of an enumeration that this release of the binding has no name for. The number is kept.
#pragma once

#include <string_view>

namespace nvml::detail {

inline constexpr std::string_view kUnrecognized = "unrecognized";

}  // namespace nvml::detail
