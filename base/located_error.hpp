// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a file, and where. Tests: tests/unit/base/text_test.cpp.
#pragma once

#include <cstddef>
#include <string>

namespace nvmlab {

struct LocatedError {
  std::string file = {};     // empty: about no file
  std::size_t line = 0;      // from 1; 0: the file as a whole
  std::size_t column = 0;    // from 1; 0: the line as a whole
  std::string message = {};  // what was found; what would be right

  // file:line:column: message, without the parts that are not known: the one line that a user sees.
  std::string text() const;
};

}  // namespace nvmlab
