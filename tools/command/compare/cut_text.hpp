// SPDX-License-Identifier: Apache-2.0
// Texts that are too long for their column. Columns are characters, not bytes. Tests:
// tests/unit/command/cut_text_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace nvmlab::tool {

std::string cut_end(const std::string& text, std::size_t columns);

// Names differ at their ends, so those stay.
std::string cut_middle(const std::string& name, std::size_t columns);

// Two values side by side. Where both would be cut before they part, the beginning that they share is cut instead.
std::pair<std::string, std::string> cut_pair(const std::string& a, std::size_t columns_a, const std::string& b,
                                             std::size_t columns_b);

}  // namespace nvmlab::tool
