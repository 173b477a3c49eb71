// SPDX-License-Identifier: Apache-2.0
// What the tables of ids share (field values, GPM metrics): rows that stand for many ids by a star, and where in a Gpu
// the value of an id lies. Tests: tests/unit/codegen/id_rows_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "base/yaml/tree.hpp"
#include "codegen/error.hpp"
#include "codegen/meaning/verdicts.hpp"

namespace nvmlab::codegen {

unsigned number_of(const std::string& text);

// "A_L*" fits "A_L11"; the number is what the star stands for.
bool fits(const std::string& pattern, const std::string& name, unsigned& number);

struct Offset {
  std::string expression;  // C++
  std::string type;        // u32, i32 or u64
};

// Of a field by its path, within Gpu.
Result<Offset> offset_of(const Vocabulary& vocabulary, const yaml::Node& path);

// Of a field of the records in a list ("nvlink.links"), within the record.
Result<Offset> offset_in_record(const Vocabulary& vocabulary, const std::string& list, const yaml::Node& field);

// "{offsetof(Gpu, ecc.mode), kNoField}": as many as a row has room for.
std::string padded_offsets(const std::vector<std::string>& offsets, std::size_t room);

}  // namespace nvmlab::codegen
