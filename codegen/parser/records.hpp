// SPDX-License-Identifier: Apache-2.0
// Layout of one struct or union, with its nested anonymous records. Internal to codegen/parser.
#pragma once

#include "codegen/model/facts.hpp"
#include "codegen/parser/clang.hpp"

namespace nvmlab::codegen {

// `definition` is a struct or union definition; the name is the caller's to set.
Result<Record> read_record(const clang::Unit& unit, CXCursor definition);

}  // namespace nvmlab::codegen
