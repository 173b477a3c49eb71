// SPDX-License-Identifier: Apache-2.0
#include "compiler/provenance.hpp"

#include <algorithm>

#include "engine/store/identity.hpp"

namespace nvmlab::compiler {
namespace {

struct Numbering {
  std::vector<std::vector<std::uint32_t>> first;  // of each field of each topic
  std::uint32_t count = 0;

  Numbering() {
    for (const Topic& topic : topics()) {
      std::vector<std::uint32_t>& fields = first.emplace_back();
      for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
        const Field& field = topic.table.fields[i];
        fields.push_back(count);
        count += field.type == FieldType::record ? field.record->field_count : 1;
      }
    }
  }
};

const Numbering& numbering() {
  static const Numbering numbers;
  return numbers;
}

bool differs_between_repeated(const FieldRef& ref) {
  return ref.name == "pci.domain" || std::ranges::find(kIdentityFields, ref.name) != std::end(kIdentityFields);
}

}  // namespace

std::uint32_t leaf_count() { return numbering().count; }

std::uint32_t leaf_of(const Topic& topic, const Field& field, const Field* member) {
  const TopicList all = topics();
  const auto topic_index = static_cast<std::size_t>(std::find(all.items, all.items + all.count, &topic) - all.items);
  const auto field_index = static_cast<std::size_t>(&field - topic.table.fields);
  const std::uint32_t first = numbering().first[topic_index][field_index];
  return member == nullptr ? first : first + static_cast<std::uint32_t>(member - field.record->fields);
}

std::uint32_t leaf_of(const FieldRef& ref) {
  const std::uint32_t inside = ref.offset - ref.topic->offset;
  for (std::uint32_t i = 0; i < ref.topic->table.field_count; ++i) {
    const Field& field = ref.topic->table.fields[i];
    if (inside < field.offset || inside >= field.offset + field.size) continue;
    if (field.type != FieldType::record) return leaf_of(*ref.topic, field);
    for (std::uint32_t k = 0; k < field.record->field_count; ++k) {
      const Field& member = field.record->fields[k];
      const std::uint32_t start = field.offset + member.offset;
      if (inside >= start && inside < start + member.size) return leaf_of(*ref.topic, field, &member);
    }
  }
  return 0;
}

std::vector<std::uint16_t> Provenance::indices(const Marks& marks) {
  std::vector<std::uint16_t> out(marks.size());
  for (std::size_t leaf = 0; leaf < marks.size(); ++leaf) {
    const Source* source = marks[leaf].source;
    if (source == nullptr) continue;
    auto known = std::ranges::find(seen_, source);
    if (known == seen_.end()) {
      known = seen_.insert(seen_.end(), source);
      sources_.push_back(*source);
    }
    out[leaf] = static_cast<std::uint16_t>(known - seen_.begin() + 1);
  }
  return out;
}

const Source* Provenance::find(std::uint32_t gpu, const FieldRef& ref) const {
  const std::vector<std::uint16_t>* leaves = &node_;
  if (!ref.topic->of_node) {
    if (gpus_.empty()) return nullptr;
    if (gpu >= gpus_.size() && differs_between_repeated(ref)) return &derived_source();
    leaves = &gpus_[gpu % gpus_.size()];
  }
  const std::uint32_t leaf = leaf_of(ref);
  if (leaf >= leaves->size() || (*leaves)[leaf] == 0) return nullptr;
  return &sources_[(*leaves)[leaf] - 1u];
}

const Source& derived_source() {
  static const Source source{"derived", "derived", "worked out by the profile compiler (docs/guide/profiles.md)", ""};
  return source;
}

}  // namespace nvmlab::compiler
