// SPDX-License-Identifier: Apache-2.0
#include "codegen/meaning/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace nvmlab::codegen {
namespace {

using yaml::Node;

constexpr const char* kParts =
    "read, write, change, same_as, call, refused, unsupported, item, length, list, find, by, choices, otherwise, "
    "answer, "
    "optional, before_init, text_size, versions, layout, parameters, with, supported, enabled, disabled, "
    "permission, in, below, at, key, visible, any, inner, inner_at, missing, protocol, count, empty, having, "
    "newer_than, layouts, of, where";

}  // namespace

Result<void> VerdictReader::reasons(const Node* content) {
  reasons_.clear();
  if (content == nullptr) return {};
  for (const auto& [name, reason] : content->entries) {
    const Node* why = reason.find("why");
    const Node* answer = reason.find("answer");
    if (why == nullptr || answer == nullptr || reason.entries.size() != 2)
      return fail_at(name, "the reason '" + name.scalar + "' needs `why` and `answer`, and nothing else");
    reasons_[name.scalar] = Reason{why->scalar, "NVML_ERROR_" + answer->scalar, false};
  }
  return {};
}

const std::string* VerdictReader::unused_reason() const {
  const auto found = std::ranges::find_if(reasons_, [](const auto& each) { return !each.second.used; });
  return found == reasons_.end() ? nullptr : &found->first;
}

Result<Verdict> VerdictReader::verdict(const Node& key, const Node& value) {
  Verdict verdict;
  verdict.function = key.scalar;
  function_ = nullptr;
  nodes_ = {};
  if (const auto* spans = history(registry_.functions, key.scalar)) function_ = &newest_definition(*spans);
  if (value.entries.empty()) {
    return fail_at(value, key.scalar +
                              " needs a verdict: read, item, length, list, find, write, change, same_as, call, "
                              "refused or unsupported");
  }
  if (const Node* of = value.find("of")) {  // first: what else there is may be of it
    auto subject = subjects_.of(*of, function_, verdict.named_by);
    if (!subject) return std::unexpected(subject.error());
    verdict.subject = std::move(*subject);
  }
  int kinds = 0;
  for (const auto& [name, content] : value.entries) {
    if (name.scalar == "of") continue;
    const int before = kinds;
    if (auto read = kind(name, content, verdict, kinds); !read) return std::unexpected(read.error());
    if (kinds > before || &content == nodes_.read || &content == nodes_.list) continue;
    auto known = plain_attribute(name, content, verdict);
    if (known && !*known) known = reading_attribute(name, content, verdict);
    if (!known) return std::unexpected(known.error());
    if (!*known) return fail_at(name, fmt::format("'{}' is not part of a verdict; one of {}", name.scalar, kParts));
  }
  if (kinds != 1) return fail_at(key, fmt::format("{} has {} verdicts; exactly one is needed", key.scalar, kinds));
  if (auto read = reading(key, verdict); !read) return std::unexpected(read.error());
  return verdict;
}

// Counts into `kinds` what is a verdict of its own; `read` beside `item` or `list` belongs to that one.
Result<void> VerdictReader::kind(const Node& name, const Node& content, Verdict& verdict, int& kinds) {
  const bool of_list = nodes_.list != nullptr;
  if (name.scalar == "read") {
    nodes_.read = &content;
    if (of_list) return {};
    verdict.kind = VerdictKind::read;
  } else if (name.scalar == "item" || name.scalar == "list") {
    verdict.kind = name.scalar == "item" ? VerdictKind::item : VerdictKind::list;
    nodes_.list = &content;
    if (nodes_.read != nullptr) return {};  // counted already
  } else if (name.scalar == "length") {
    verdict.kind = VerdictKind::length;
    nodes_.list = &content;
  } else if (name.scalar == "find") {
    verdict.kind = VerdictKind::find;
    ++kinds;
    if (content.is_scalar()) {
      verdict.find_by = content.scalar;
      return parameter(content, verdict);
    }
    if (auto read = pair_of(content, "{field: parameter}", verdict.find_in, verdict.find_by); !read) return read;
    if (const auto found = find_field(vocabulary_, verdict.find_in); !found)
      return fail_at(content, found.error().message);
    return {};
  } else if (name.scalar == "write") {
    verdict.kind = VerdictKind::write;
    ++kinds;
    return written(content, verdict);
  } else if (name.scalar == "change") {
    verdict.kind = VerdictKind::change;
    verdict.change = content.scalar;
  } else if (name.scalar == "same_as") {
    verdict.kind = VerdictKind::same_as;
    verdict.same_as = content.scalar;
  } else if (name.scalar == "call") {
    verdict.kind = VerdictKind::call;
    verdict.reason = content.scalar;
    if (!content.is_scalar() || content.scalar.empty())
      return fail_at(content.place.line == 0 ? name : content, "`call` needs a reason: what of it data cannot say");
  } else if (name.scalar == "unsupported") {
    verdict.kind = VerdictKind::unsupported;
    verdict.reason = content.scalar;
  } else if (name.scalar == "refused") {
    const auto reason = reasons_.find(content.scalar);
    if (reason == reasons_.end()) return fail_at(content, "'" + content.scalar + "' is none of this file's `reasons`");
    reason->second.used = true;
    verdict.kind = VerdictKind::unsupported;
    verdict.reason = reason->second.why;
    verdict.answer = reason->second.answer;
  } else {
    return {};
  }
  ++kinds;
  return {};
}

Result<bool> VerdictReader::plain_attribute(const Node& name, const Node& content, Verdict& verdict) {
  if (name.scalar == "otherwise") {
    verdict.otherwise = return_code(content.scalar);
  } else if (name.scalar == "answer") {
    verdict.answer = return_code(content.scalar);
  } else if (name.scalar == "optional") {
    for (const Node& item : content.items) {
      if (auto known = parameter(item, verdict); !known) return std::unexpected(known.error());
      verdict.optional.push_back(item.scalar);
    }
  } else if (name.scalar == "before_init") {
    verdict.before_init = content.scalar == "yes";
  } else if (name.scalar == "parameters") {
    for (const auto& [parameter, type] : content.entries) {
      auto parsed = parse_type(type.scalar);
      if (!parsed) return fail_at(type, parsed.error().message);
      verdict.parameters.push_back({parameter.scalar, *parsed});
    }
  } else if (name.scalar == "with") {
    nodes_.with = &content;
    for (const auto& [parameter, value] : content.entries)
      verdict.constants.emplace_back(parameter.scalar, value.scalar);
  } else if (name.scalar == "layout") {
    verdict.layout = content.scalar;
  } else if (name.scalar == "versions") {
    for (const Node& item : content.items) {
      auto value = whole_number(item);
      if (!value) return std::unexpected(value.error());
      verdict.versions.push_back(*value);
    }
  } else if (name.scalar == "text_size") {
    auto value = whole_number(content);
    if (!value) return std::unexpected(value.error());
    verdict.text_size = *value;
  } else {
    return false;
  }
  return true;
}

Result<void> VerdictReader::fields(const Node& content, const Verdict& verdict, std::vector<std::string>& paths) const {
  const std::vector<Node> one{content};
  for (const Node& each : content.is_sequence() ? content.items : one) {
    if (auto found = check_path(vocabulary_, verdict.subject, each.scalar); !found)
      return fail_at(each, found.error().message);
    paths.push_back(each.scalar);
  }
  return {};
}

Result<void> VerdictReader::pair_of(const Node& content, const char* form, std::string& first,
                                    std::string& second) const {
  if (content.entries.size() != 1 || !content.entries[0].second.is_scalar())
    return fail_at(content, fmt::format("{} was expected", form));
  first = content.entries[0].first.scalar;
  second = content.entries[0].second.scalar;
  return {};
}

// A parameter, or a member of the struct that it leads to.
Result<void> VerdictReader::parameter(const Node& node, const Verdict& verdict) const {
  const std::string name = node.scalar.substr(0, node.scalar.find('.'));
  if (function_ != nullptr &&
      std::ranges::find(function_->parameters, name, &Parameter::name) != function_->parameters.end())
    return {};
  return fail_at(node, "'" + name + "' is not a parameter of " + verdict.function);
}

// After all attributes, because the order in which they stand says nothing.
Result<void> VerdictReader::reading(const Node& key, Verdict& verdict) {
  if (verdict.kind == VerdictKind::length) {
    Binding binding;
    binding.target = only_output(function_);
    binding.path = nodes_.list->scalar;
    binding.source = ValueSource::length;
    binding.empty = verdict.empty;
    if (binding.path == "gpus") {  // those of the machine that the process sees are no field
      verdict.cases.push_back({{}, "", true, "", {binding}});
      return {};
    }
    if (binding.target.empty()) return fail_at(key, verdict.function + " does not have exactly one output");
    if (const auto found = find_field(vocabulary_, binding.path); !found)
      return fail_at(*nodes_.list, found.error().message);
    verdict.cases.push_back({{}, "", true, "", {binding}});
    return {};
  }
  if (verdict.kind == VerdictKind::change) return changed(key, verdict);
  if (!verdict.reads()) {
    const Node* stray = nodes_.by != nullptr ? nodes_.by : nodes_.choices;
    if (stray != nullptr) return fail_at(*stray, "a choice belongs to `read`, `item`, `list` or `change`");
    return {};
  }
  if (nodes_.read == nullptr) return fail_at(key, verdict.function + " has no `read`: what its outputs take");
  if (verdict.kind == VerdictKind::item && verdict.item.by.empty() && verdict.item.key.empty())
    return fail_at(key, verdict.function + " needs `at`, an index, or `key`, {field: parameter}, for its item");
  if (verdict.kind == VerdictKind::list && (verdict.count.empty() || verdict.protocol.empty()))
    return fail_at(key, verdict.function + " needs `count` and `protocol` for its list");
  return read_cases(nodes_, function_, vocabulary_, verdict);
}

Result<void> VerdictReader::written(const Node& content, Verdict& verdict) const {
  const auto bind = [&](const std::string& target, const Node& path) -> Result<void> {
    const auto found = find_field(vocabulary_, path.scalar);
    if (!found) return fail_at(path, found.error().message);
    if (found->field->set_by != verdict.function)
      return fail_at(path,
                     "the row of '" + path.scalar + "' in model/state/ has no `set_by: " + verdict.function + "`");
    verdict.bindings.push_back({});
    verdict.bindings.back().target = target;
    verdict.bindings.back().path = path.scalar;
    return {};
  };
  if (content.is_scalar()) return bind(only_output(function_), content);
  if (!content.is_mapping()) return fail_at(content, "a field, or a mapping from a parameter to a field, was expected");
  for (const auto& [target, path] : content.entries) {
    if (auto bound = bind(target.scalar, path); !bound) return bound;
  }
  return {};
}

}  // namespace nvmlab::codegen
