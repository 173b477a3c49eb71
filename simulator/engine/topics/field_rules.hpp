// SPDX-License-Identifier: Apache-2.0
//
// The rule of a field: the range of its values and what follows once it was written, by whatever writer: an NVML
// setter, `nvmlab set`, or a program. Rows of model/state/ name both (`range`, `within`, `follows`); the generated
// table lists them. Tests: tests/drivers/functions/settings_test.cpp, tests/unit/changes/field_rules_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "engine/state/code.hpp"
#include "engine/state/field.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

// The bytes of a Gpu or Node that a change has written, as ranges.
class Written {
 public:
  struct Range {
    std::uint32_t begin;
    std::uint32_t end;
  };
  using RangeAt = Range (*)(const void* of, std::uint32_t index);

  Written(const void* of, std::uint32_t count, RangeAt range_at) : of_(of), count_(count), range_at_(range_at) {}

  std::uint32_t count() const { return count_; }
  Range range(std::uint32_t index) const { return range_at_(of_, index); }

  // The first range that covers a byte of the field, or count().
  std::uint32_t find(std::uint32_t offset, std::uint32_t size) const;
  bool has(std::size_t offset) const { return find(static_cast<std::uint32_t>(offset), 1) != count_; }

 private:
  const void* of_;
  std::uint32_t count_;
  RangeAt range_at_;
};

// One end of a board's range.
struct Bound {
  enum class Kind : std::uint8_t { none, number, field, beside };
  Kind kind = Kind::none;
  std::int64_t value =
      0;  // a number; else the offset of a field, for `beside` of the one in the first item of the list
};

// A list of records; its length comes first, its items behind that.
struct ListPlace {
  std::uint32_t offset = 0;
  std::uint32_t item_size = 0;
  std::uint32_t capacity = 0;  // 0: there is no list
};

template <class State>
struct FieldRule {
  std::uint32_t offset;  // of the field, in the first item of its lists
  std::uint32_t size;
  FieldType type;
  ListPlace lists[2] = {};  // the outer one first
  std::int64_t low = INT64_MIN;
  std::int64_t high = INT64_MAX;
  Bound lowest = {};
  Bound highest = {};
  Code (*follow)(Edit<State>& draft, std::uint32_t item, const Written& written) = nullptr;
};

template <class State>
struct FieldRules {
  const FieldRule<State>* rows;
  std::uint32_t count;

  const FieldRule<State>* begin() const { return rows; }
  const FieldRule<State>* end() const { return rows + count; }
};

// All of a GPU, or of the node.
template <class State>
FieldRules<State> field_rules();
template <>
FieldRules<Gpu> field_rules<Gpu>();
template <>
FieldRules<Node> field_rules<Node>();

// Checks the written fields of a draft against their ranges, then runs each of their rules once. On an error, `*failed`
// is the range that holds the refused field, and the draft must be dropped.
template <class State>
Code follow_written(Edit<State>& draft, const Written& written, std::uint32_t* failed);

// The same for fields of topics that edit() gave.
Code follow_fields(GpuEdit& gpu, std::initializer_list<const void*> fields);
Code follow_fields(NodeEdit& node, std::initializer_list<const void*> fields);

// Gives a number its new value, as NVML setters do. A field without a value keeps its code, which is the answer.
Code write_setting(GpuEdit& gpu, std::uint32_t offset, std::uint64_t value);
Code write_setting(NodeEdit& node, std::uint32_t offset, std::uint64_t value);

// The same for a field of a topic that edit() gave.
template <class State, class T>
Code write_setting(Edit<State>& draft, const Fact<T>& field, std::uint64_t value) {
  return write_setting(draft, draft.place_of_edited(&field), value);
}

}  // namespace nvmlab
