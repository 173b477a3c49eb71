// SPDX-License-Identifier: Apache-2.0
// The rows of model/state/ and where they lie in a state, one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/state/field.hpp"
#include "engine/state/generated/state.hpp"

namespace nvmlab::changes_test {

// A field of a GPU, or of an item of a list or record in it.
struct Row {
  const Field* field;
  const Field* siblings;  // the fields beside it
  std::uint32_t sibling_count;
  std::uint32_t base;    // of what holds it, within Gpu
  std::uint32_t offset;  // of the field, within Gpu
  std::string path;
  std::string cleared_by;  // its own, or that of the record or list that it is part of

  const Field* sibling(const std::string& name) const;
};

// All rows of a GPU; of lists, the first `items` of each.
std::vector<Row> rows_of_gpu(std::uint32_t items = 2);

bool is_number(const Field& field);

// Of a number: its value, and whether it has one.
std::uint64_t value_at(const Gpu& gpu, const Field& field, std::uint32_t offset);
bool known_at(const Gpu& gpu, const Field& field, std::uint32_t offset);

// Every number has a value of its own, and every list has two items.
void fill(Gpu& gpu, std::uint32_t seed);

}  // namespace nvmlab::changes_test
