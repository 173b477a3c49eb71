// SPDX-License-Identifier: Apache-2.0
//
// Where every value of a machine comes from. A source is declared in a profile's `sources:`; each value names one,
// directly or through its topic or file. Provenance is kept for each leaf: a field, or a member of a record field; a
// list is one leaf. Tests: tests/unit/compiler/provenance_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/marks.hpp"
#include "compiler/paths.hpp"
#include "engine/state/field.hpp"

namespace nvmlab::compiler {

struct Source {
  std::string id;
  std::string kind;     // capture, datasheet, documentation, assumed, derived
  std::string text;     // what it is, in one line
  std::string profile;  // the file that declares it
};

// Leaves are numbered over all topics.
std::uint32_t leaf_count();
std::uint32_t leaf_of(const Topic& topic, const Field& field, const Field* member = nullptr);
std::uint32_t leaf_of(const FieldRef& ref);

// After compilation (during it: marks.hpp). Values that nothing states have no source.
class Provenance {
 public:
  void set_node(const Marks& marks) { node_ = indices(marks); }
  void add_gpu(const Marks& marks) { gpus_.push_back(indices(marks)); }

  // `gpu` counts from 0, also beyond the listed ones; it does not matter for fields of the node. Null: not stated.
  const Source* find(std::uint32_t gpu, const FieldRef& ref) const;
  const std::vector<Source>& sources() const { return sources_; }

 private:
  std::vector<std::uint16_t> indices(const Marks& marks);

  std::vector<Source> sources_;
  std::vector<const Source*> seen_;  // during compilation: where sources_ were copied from
  std::vector<std::uint16_t> node_;  // 0 = none, else 1 + index into sources_
  std::vector<std::vector<std::uint16_t>> gpus_;
};

// Of values that the compiler works out where a profile is silent.
const Source& derived_source();

}  // namespace nvmlab::compiler
