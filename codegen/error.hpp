// SPDX-License-Identifier: Apache-2.0
// What every fallible function of nvmlgen returns on failure: an error with a position where there is one, so that the
// command prints `file:line:column: message` and an editor can jump there. Covered by all of tests/unit/codegen.
#pragma once

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "base/located_error.hpp"

namespace nvmlab::yaml {
class Node;
}

namespace nvmlab::codegen {

using Error = LocatedError;

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(std::string message) {
  return std::unexpected(Error{.message = std::move(message)});
}

inline std::unexpected<Error> fail_at(std::string file, std::size_t line, std::size_t column, std::string message) {
  return std::unexpected(Error{std::move(file), line, column, std::move(message)});
}

// At the place of that node.
std::unexpected<Error> fail_at(const yaml::Node& node, std::string message);

// Line and column (both 1-based) of a byte offset; an offset past the end gives the end.
std::pair<std::size_t, std::size_t> position_of(std::string_view text, std::size_t offset);

}  // namespace nvmlab::codegen
