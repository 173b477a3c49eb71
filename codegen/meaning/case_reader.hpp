// SPDX-License-Identifier: Apache-2.0
// What one case of a verdict reads: outputs, their fields or items, looked up with the parameters of choices replaced.
// Tests: tests/unit/codegen/readings_test.cpp.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "codegen/meaning/readings.hpp"

namespace nvmlab::codegen {

using yaml::Node;

// Parameters of a choice and what stands for them in paths.
using Substitution = std::vector<std::pair<std::string, std::string>>;

inline std::string substituted(std::string path, const Substitution& with) {
  for (const auto& [parameter, text] : with) {
    const std::string mark = "{" + parameter + "}";
    for (auto at = path.find(mark); at != std::string::npos; at = path.find(mark))
      path.replace(at, mark.size(), text);
  }
  return path;
}

// Reads the outputs of one case.
class CaseReader {
 public:
  CaseReader(const Vocabulary& vocabulary, const Function* function, const Verdict& verdict, const Substitution& with)
      : vocabulary_(vocabulary), function_(function), verdict_(verdict), with_(with) {}

  // The list whose items the fields belong to.
  Result<void> scope(const Node& node, Case& result) {
    result.list = substituted(node.scalar, with_);
    auto found = find_field(vocabulary_, result.list);
    if (!found) return fail_at(node, found.error().message);
    if (!verdict_.item.inner.empty()) {
      const auto record = item_of(*found);
      if (!record) return fail_at(node, record.error().message);
      found = find_member(*found->topic, **record, verdict_.item.inner);
      if (!found) return fail_at(node, found.error().message);
    }
    return enter(*found, node);
  }

  // What the verdict is of, whose fields or members are meant.
  Result<void> subject(const Node& node) {
    made_ = verdict_.subject.made();
    return made_ ? Result<void>{} : enter(*find_field(vocabulary_, verdict_.subject.list), node);
  }

  Result<void> any(const Node& node, Case& result) { return field(node, result.any); }

  Result<void> bindings(const Node& content, std::vector<Binding>& result) {
    if (content.is_scalar() || is_source(content)) {  // the one pointer that is left
      const auto target = only_output(function_);
      if (target.empty()) {
        return fail_at(content, verdict_.function + " does not have exactly one output; say which takes the field");
      }
      return bind(target, content, result);
    }
    if (!content.is_mapping()) return fail_at(content, "a field, or a mapping from outputs to fields, was expected");
    for (const auto& [target, source] : content.entries) {
      if (auto bound = bind(target.scalar, source, result); !bound) return bound;
    }
    return {};
  }

 private:
  static bool is_source(const Node& node) {
    static const std::vector<std::string> words{"field",  "value", "length", "not_empty", "now",
                                                "derive", "items", "mask",   "fill"};
    return node.is_mapping() && !node.entries.empty() &&
           std::ranges::find(words, node.entries[0].first.scalar) != words.end();
  }

  Result<void> enter(const FieldPath& list, const Node& node) {
    topic_ = list.topic;
    record_ = nullptr;
    switch (list.field->type) {
      case FieldType::list_record:
        record_ = list.topic->record(list.field->record);
        return {};
      case FieldType::list_u16:
      case FieldType::list_u32:
      case FieldType::list_u64:
        return {};
      default:
        return fail_at(node, "'" + list.field->name + "' is not a list");
    }
  }

  Result<void> bind(const std::string& target, const Node& node, std::vector<Binding>& result) {
    Binding binding;
    binding.target = target;
    if (node.is_null()) {
      result.push_back(binding);
      return {};
    }
    if (node.is_scalar()) {
      if (auto read = field(node, binding.path); !read) return read;
      if (binding.path == "item") binding.source = ValueSource::itself;
    } else if (auto read = source(node, binding); !read) {
      return read;
    }
    result.push_back(std::move(binding));
    return {};
  }

  // A field, or a list, checked.
  Result<void> field(const Node& node, std::string& path) {
    path = substituted(node.scalar, with_);
    if (made_) {
      if (auto found = verdict_.subject.member(path); !found) return fail_at(node, found.error().message);
      return {};
    }
    if (topic_ != nullptr && record_ == nullptr && path == "item") return {};
    const auto found =
        topic_ != nullptr && record_ != nullptr ? find_member(*topic_, *record_, path) : find_field(vocabulary_, path);
    if (!found) return fail_at(node, found.error().message);
    return {};
  }

  Result<void> source(const Node& node, Binding& binding) {
    if (!node.is_mapping())
      return fail_at(node, "a field, or how its value is made, was expected; found " + std::string(node.describe()));
    const Node* read = nullptr;
    for (const auto& [name, content] : node.entries) {
      Result<void> done;
      if (name.scalar == "field") {
        done = field(content, binding.path);
      } else if (name.scalar == "length" || name.scalar == "not_empty") {
        binding.source = name.scalar == "length" ? ValueSource::length : ValueSource::not_empty;
        done = field(content, binding.path);
      } else if (name.scalar == "items" || name.scalar == "mask" || name.scalar == "fill") {
        binding.source = name.scalar == "items"  ? ValueSource::items
                         : name.scalar == "mask" ? ValueSource::mask
                                                 : ValueSource::fill;
        done = field(content, binding.path);
      } else if (name.scalar == "value") {
        binding.source = ValueSource::constant;
        binding.constant = content.scalar;
      } else if (name.scalar == "now") {
        binding.source = ValueSource::now_us;
      } else if (name.scalar == "derive") {
        binding.source = ValueSource::rule;
        binding.rule = content.scalar;
      } else if (name.scalar == "from") {
        done = fields(content, binding);
      } else if (name.scalar == "or") {
        binding.instead = substituted(content.scalar, with_);
      } else if (name.scalar == "times") {
        binding.times = content.scalar;
      } else if (name.scalar == "bit") {
        binding.bit = content.scalar;
      } else if (name.scalar == "is") {
        binding.equals = content.scalar;
        binding.told = "nothing";
      } else if (name.scalar == "count" || name.scalar == "words" || name.scalar == "bytes") {
        binding.count = content.scalar;
      } else if (name.scalar == "told") {
        binding.told = content.scalar;
        if (binding.told != "positive" && binding.told != "bit" && binding.told != "nothing")
          done = fail_at(content, "`told` is positive, bit or nothing");
      } else if (name.scalar == "tells") {
        done = tells(content, binding);
      } else if (name.scalar == "rest") {
        binding.rest = content.scalar;
      } else if (name.scalar == "fits") {
        binding.fits = content.scalar;
      } else if (name.scalar == "empty") {
        binding.empty = return_code(content.scalar);
      } else if (name.scalar == "read") {
        read = &content;
      } else {
        return fail_at(name,
                       "'" + name.scalar +
                           "' is not part of an output; one of field, value, length, not_empty, now, "
                           "derive, items, mask, fill, from, or, times, bit, is, count, words, bytes, rest, fits, "
                           "told, tells, empty, read");
      }
      if (!done) return done;
    }
    if (made_ && !binding.instead.empty())
      return fail_at(node, "a member of " + verdict_.subject.name + " always has a value; `or` is of no use");
    if (binding.source == ValueSource::rule && binding.fields.empty())
      return fail_at(node, "`derive` needs `from`, the fields that the rule is of");
    if (binding.source == ValueSource::items || binding.source == ValueSource::fill)
      return columns(node, read, binding);
    if (binding.source == ValueSource::rule && read != nullptr) {  // members of what the rule makes
      for (const auto& [target, member] : read->entries) {
        binding.columns.push_back({});
        binding.columns.back().target = target.scalar;
        binding.columns.back().path = member.scalar;
      }
    }
    return {};
  }

  Result<void> fields(const Node& content, Binding& binding) {
    if (content.items.empty()) return fail_at(content, "`from` is a list of fields");
    for (const Node& each : content.items) {
      std::string path;
      if (auto read = field(each, path); !read) return read;
      binding.fields.push_back(path);
    }
    return {};
  }

  // Fields that a recording of the rule's result tells.
  Result<void> tells(const Node& content, Binding& binding) {
    for (const auto& [output, path] : content.entries) {
      std::string checked;
      if (auto read = field(path, checked); !read) return read;
      binding.tells.emplace_back(output.scalar, checked);
    }
    return {};
  }

  // What each entry of the array takes of its item.
  Result<void> columns(const Node& node, const Node* read, Binding& binding) {
    if (read == nullptr || binding.count.empty())
      return fail_at(node, "`items` needs `read`, what each entry takes, and `count`, the member with their number");
    CaseReader inside(vocabulary_, function_, verdict_, with_);
    const auto list =
        record_ != nullptr ? find_member(*topic_, *record_, binding.path) : find_field(vocabulary_, binding.path);
    if (auto entered = inside.enter(*list, node); !entered) return entered;
    if (read->is_scalar()) return inside.bind("", *read, binding.columns);
    return inside.bindings(*read, binding.columns);
  }

  const Vocabulary& vocabulary_;
  const Function* function_;
  const Verdict& verdict_;
  const Substitution& with_;
  bool made_ = false;                    // members of the verdict's subject
  const StateTopic* topic_ = nullptr;    // of the item's list
  const StateRecord* record_ = nullptr;  // null: the items are numbers, or there is no item
};

}  // namespace nvmlab::codegen
