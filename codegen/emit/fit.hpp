// SPDX-License-Identifier: Apache-2.0
// Generated C++ on lines that fit: a call that is too long for one line gets a line for each argument.
#pragma once

#include <string>

namespace nvmlab::codegen {

// `code` is one expression or statement; lines after the first begin with at least `indent` blanks. No line break at
// the end.
std::string fit(const std::string& code, std::size_t indent);

}  // namespace nvmlab::codegen
