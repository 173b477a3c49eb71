// SPDX-License-Identifier: Apache-2.0
//
// Values of profile files, laid over one another: what is named replaces what was there, members of a record one by
// one, lists as a whole. Every value leaves a mark that says where it stood and what its source is; one without a
// source is an error. Tests: tests/unit/compiler/compile_test.cpp.
#pragma once

#include <span>
#include <string_view>

#include "compiler/documents.hpp"
#include "compiler/zeroed.hpp"
#include "engine/state/generated/state.hpp"

namespace nvmlab::compiler {

// A GPU or node in the making.
template <class Owner>
struct Draft {
  Zeroed<Owner> state;
  Marks marks = Marks(leaf_count());

  Draft() = default;
  Draft(Draft&&) noexcept = default;
  Draft& operator=(Draft&&) noexcept = default;
  ~Draft() = default;
  Draft copy() const { return Draft(*this); }
  std::byte* bytes() { return reinterpret_cast<std::byte*>(state.get()); }
  const std::byte* bytes() const { return reinterpret_cast<const std::byte*>(state.get()); }

 private:
  Draft(const Draft& other) : state(*other.state), marks(other.marks) {}
};
using GpuDraft = Draft<Gpu>;
using NodeDraft = Draft<Node>;

class Layers {
 public:
  Layers(Documents& documents, Problems& problems) : documents_(documents), problems_(problems) {}

  // Lays the topics of a mapping over the drafts. `reserved` are keys that mean something else there. A null draft says
  // that its topics have no place here; `elsewhere` then says where they would be right.
  void apply(const yaml::Node& mapping, const Document& document, std::span<const std::string_view> reserved,
             GpuDraft* gpu, NodeDraft* node, std::string_view elsewhere);

  // A GPU profile with all that it inherits.
  void apply_profile(const Document& document, GpuDraft& gpu, NodeDraft& node);

 private:
  struct Target {
    const Topic* topic = nullptr;
    const Document* document = nullptr;
    std::byte* bytes = nullptr;  // of the topic
    Marks* marks = nullptr;
  };

  void apply_topic(const yaml::Node& mapping, const Target& target, const Source* source);
  void apply_record(const yaml::Node& node, const Target& target, const Field& field, const Source* source);
  void apply_leaf(const yaml::Node& node, const Target& target, const Field& field, const Field* member,
                  const Source* source, const yaml::Place& place);
  // {value: V, source: S} and {answer: A, source: S}: what is left without the source.
  const yaml::Node* unwrap(const yaml::Node& node, const Document& document, std::string_view name,
                           const Source** source, yaml::Node* copy);

  Documents& documents_;
  Problems& problems_;
};

}  // namespace nvmlab::compiler
