// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace nvmlab {

// As text of an element or attribute: what XML 1.0 does not allow, escaped or not, is a question mark.
std::string xml_escaped(std::string_view text);

}  // namespace nvmlab
