// SPDX-License-Identifier: Apache-2.0
#include "codegen/meaning/subjects.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/meaning/verdicts.hpp"

namespace nvmlab::codegen {
namespace {

using yaml::Node;

Result<void> words(const Node& content, std::vector<std::string>& to) {
  const std::vector<Node> one{content};
  for (const Node& each : content.is_sequence() ? content.items : one) {
    if (!each.is_scalar() || each.scalar.empty()) return fail_at(each, "a name, or a list of names, was expected");
    to.push_back(each.scalar);
  }
  return {};
}

Result<void> read_members(const Node& content, VerdictSubject& subject) {
  static const std::vector<std::string> types{"u32", "u64", "text", "handle"};
  for (const auto& [name, type] : content.entries) {
    if (std::ranges::find(types, type.scalar) == types.end())
      return fail_at(type, fmt::format("'{}' is no type of a member; one of {}", type.scalar, fmt::join(types, ", ")));
    subject.members.emplace_back(name.scalar, type.scalar);
  }
  return {};
}

bool has_parameter(const Function& function, const std::string& path) {
  return std::ranges::find(function.parameters, path.substr(0, path.find('.')), &Parameter::name) !=
         function.parameters.end();
}

}  // namespace

Result<std::string> VerdictSubject::member(const std::string& member) const {
  std::vector<std::string> names;
  for (const auto& [own, own_type] : members) {
    if (own == member) return own_type;
    names.push_back(own);
  }
  return fail(fmt::format("'{}' is not a member of {}; one of {}", member, name, fmt::join(names, ", ")));
}

Result<void> check_path(const Vocabulary& vocabulary, const VerdictSubject& subject, const std::string& path) {
  if (subject.made()) {
    if (auto found = subject.member(path); !found) return std::unexpected(found.error());
    return {};
  }
  auto found = find_field(vocabulary, subject.given() ? subject.list : path);
  if (found && subject.given()) found = find_member(*found->topic, **item_of(*found), path);
  if (!found) return std::unexpected(found.error());
  return {};
}

Result<VerdictSubject> SubjectReader::row(const Node& name, const Node& content) const {
  VerdictSubject subject;
  subject.name = name.scalar;
  for (const auto& [word, said] : content.entries) {
    Result<void> read;
    if (word.scalar == "items") {
      subject.list = said.scalar;
      const auto list = find_field(vocabulary_, said.scalar);
      if (!list) return fail_at(said, list.error().message);
      if (const auto record = item_of(*list); !record) return fail_at(said, record.error().message);
      subject.type = pascal_case(list->topic->name) + "::" + pascal_case(list->field->record);
    } else if (word.scalar == "made") {
      subject.type = said.scalar;
    } else if (word.scalar == "by") {
      read = words(said, subject.by);
    } else if (word.scalar == "members") {
      read = read_members(said, subject);
    } else {
      return fail_at(word, "'" + word.scalar + "' is not part of a subject; one of items, made, by, members");
    }
    if (!read) return std::unexpected(read.error());
  }
  if (subject.type.empty() || subject.list.empty() == subject.members.empty()) {
    return fail_at(name, "the subject '" + name.scalar +
                             "' needs `items`, a list of the state, or `made`, a struct of C++, with its `members`");
  }
  return subject;
}

Result<void> SubjectReader::subjects(const Node* content) {
  rows_.clear();
  if (content == nullptr) return {};
  for (const auto& [name, said] : content->entries) {
    auto subject = row(name, said);
    if (!subject) return std::unexpected(subject.error());
    rows_[name.scalar] = Row{std::move(*subject), false};
  }
  return {};
}

const std::string* SubjectReader::unused() const {
  const auto found = std::ranges::find_if(rows_, [](const auto& each) { return !each.second.used; });
  return found == rows_.end() ? nullptr : &found->first;
}

Result<VerdictSubject> SubjectReader::of(const Node& content, const Function* function,
                                         std::vector<std::string>& named_by) {
  const bool named = content.is_mapping() && content.entries.size() == 1;
  if (!content.is_scalar() && !named) return fail_at(content, "a subject, or {subject: parameters}, was expected");
  const std::string& name = named ? content.entries[0].first.scalar : content.scalar;
  const auto found = rows_.find(name);
  if (found == rows_.end()) return fail_at(content, "'" + name + "' is none of this file's `subjects`");
  found->second.used = true;
  const VerdictSubject& subject = found->second.subject;
  if (function == nullptr) return fail_at(content, "no header declares the function; write a `call`");
  if (named) {
    const Node& arguments = content.entries[0].second;
    if (auto read = words(arguments, named_by); !read) return std::unexpected(read.error());
    for (const std::string& each : named_by) {
      if (!has_parameter(*function, each)) return fail_at(arguments, "'" + each + "' is not a parameter");
    }
    return subject;
  }
  for (const std::string& type : subject.by) {
    const auto parameter =
        std::ranges::find_if(function->parameters, [&](const Parameter& each) { return each.type.text() == type; });
    if (parameter == function->parameters.end())
      return fail_at(content, fmt::format("no parameter is of {}; say {{{}: parameter}}", type, name));
    named_by.push_back(parameter->name);
  }
  return subject;
}

}  // namespace nvmlab::codegen
