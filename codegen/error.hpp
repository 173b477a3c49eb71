// SPDX-License-Identifier: Apache-2.0
// Error: what every fallible function of nvmlgen returns on failure. A value, with a position where there is one, so
// that the command prints `file:line:column: message` and an editor can jump there. Covered by all of
// tests/unit/codegen.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace nvmlab::codegen {

struct Error {
  std::string message;
  std::string file;        // empty: not about a file
  std::size_t line = 0;    // 1-based; 0: not about a line
  std::size_t column = 0;  // 1-based; 0: not about a column

  std::string text() const;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string message) { return std::unexpected(Error{std::move(message), {}, 0, 0}); }

inline std::unexpected<Error> fail_at(std::string file, std::size_t line, std::size_t column, std::string message) {
  return std::unexpected(Error{std::move(message), std::move(file), line, column});
}

// Line and column (both 1-based) of a byte offset; an offset past the end gives the end.
std::pair<std::size_t, std::size_t> position_of(std::string_view text, std::size_t offset);

}  // namespace nvmlab::codegen
