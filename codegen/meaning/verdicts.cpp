// SPDX-License-Identifier: Apache-2.0
#include "codegen/meaning/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/yaml/tree.hpp"

namespace nvmlab::codegen {
namespace {

using yaml::Node;

std::unexpected<Error> refuse(const Node& node, const std::string& message) {
  return fail_at(node.place.file ? *node.place.file : "", node.place.line, node.place.column, message);
}

Result<std::uint32_t> number(const Node& node) {
  std::uint32_t value = 0;
  const char* end = node.scalar.data() + node.scalar.size();
  if (auto [stop, failed] = std::from_chars(node.scalar.data(), end, value); failed != std::errc{} || stop != end) {
    return refuse(node, "a number was expected, found '" + node.scalar + "'");
  }
  return value;
}

// One file of the vocabulary; holds what its verdicts are checked against.
class Reader {
 public:
  Reader(const Registry& registry, const Vocabulary& vocabulary) : registry_(registry), vocabulary_(vocabulary) {}

  // The `reasons` of a file, before its verdicts: a refusal that many functions share, told once.
  Result<void> reasons(const Node* content) {
    reasons_.clear();
    if (content == nullptr) return {};
    for (const auto& [name, reason] : content->entries) {
      const Node* why = reason.find("why");
      const Node* answer = reason.find("answer");
      if (why == nullptr || answer == nullptr || reason.entries.size() != 2)
        return refuse(name, "the reason '" + name.scalar + "' needs `why` and `answer`, and nothing else");
      reasons_[name.scalar] = Reason{why->scalar, "NVML_ERROR_" + answer->scalar, false};
    }
    return {};
  }

  // After the verdicts: a reason that nobody has.
  const std::string* unused_reason() const {
    const auto found = std::ranges::find_if(reasons_, [](const auto& each) { return !each.second.used; });
    return found == reasons_.end() ? nullptr : &found->first;
  }

  Result<Verdict> verdict(const Node& key, const Node& value) {
    Verdict verdict;
    verdict.function = key.scalar;
    function_ = nullptr;
    if (const auto* spans = history(registry_.functions, key.scalar)) function_ = &newest_definition(*spans);
    if (value.entries.empty())
      return refuse(value, key.scalar + " needs a verdict: read, write, same_as, call, refused or unsupported");
    int kinds = 0;
    for (const auto& [name, content] : value.entries) {
      auto known = kind(name, content, verdict);
      if (!known) return std::unexpected(known.error());
      if (*known) {
        ++kinds;
      } else if (auto read = attribute(name, content, verdict); !read) {
        return std::unexpected(read.error());
      }
    }
    if (kinds != 1) return refuse(key, fmt::format("{} has {} verdicts; exactly one is needed", key.scalar, kinds));
    return verdict;
  }

 private:
  // Whether `name` was the verdict itself.
  Result<bool> kind(const Node& name, const Node& content, Verdict& verdict) {
    if (name.scalar == "read" || name.scalar == "write") {
      verdict.kind = name.scalar == "read" ? VerdictKind::read : VerdictKind::write;
      if (auto read = bindings(content, verdict); !read) return std::unexpected(read.error());
    } else if (name.scalar == "same_as") {
      verdict.kind = VerdictKind::same_as;
      verdict.same_as = content.scalar;
    } else if (name.scalar == "call") {
      verdict.kind = VerdictKind::call;
      verdict.reason = content.scalar;
    } else if (name.scalar == "unsupported") {
      verdict.kind = VerdictKind::unsupported;
      verdict.reason = content.scalar;
    } else if (name.scalar == "refused") {
      const auto reason = reasons_.find(content.scalar);
      if (reason == reasons_.end()) return refuse(content, "'" + content.scalar + "' is none of this file's `reasons`");
      reason->second.used = true;
      verdict.kind = VerdictKind::unsupported;
      verdict.reason = reason->second.why;
      verdict.answer = reason->second.answer;
    } else {
      return false;
    }
    return true;
  }

  Result<void> attribute(const Node& name, const Node& content, Verdict& verdict) {
    if (name.scalar == "by") {
      verdict.chosen_by = content.scalar;
      if (!is_parameter(content.scalar))
        return refuse(content, "'" + content.scalar + "' is not a parameter of " + verdict.function);
    } else if (name.scalar == "otherwise") {
      verdict.otherwise = "NVML_ERROR_" + content.scalar;
    } else if (name.scalar == "answer") {
      verdict.answer = "NVML_ERROR_" + content.scalar;
    } else if (name.scalar == "optional") {
      for (const Node& item : content.items) {
        if (!is_parameter(item.scalar))
          return refuse(item, "'" + item.scalar + "' is not a parameter of " + verdict.function);
        verdict.optional.push_back(item.scalar);
      }
    } else if (name.scalar == "before_init") {
      verdict.before_init = content.scalar == "yes";
    } else if (name.scalar == "parameters") {
      for (const auto& [parameter, type] : content.entries) {
        auto parsed = parse_type(type.scalar);
        if (!parsed) return refuse(type, parsed.error().message);
        verdict.parameters.push_back({parameter.scalar, *parsed});
      }
    } else if (name.scalar == "layout") {
      verdict.layout = content.scalar;
    } else if (name.scalar == "versions") {
      for (const Node& item : content.items) {
        auto value = number(item);
        if (!value) return std::unexpected(value.error());
        verdict.versions.push_back(*value);
      }
    } else if (name.scalar == "text_size" || name.scalar == "highest") {
      auto value = number(content);
      if (!value) return std::unexpected(value.error());
      (name.scalar == "text_size" ? verdict.text_size : verdict.highest) = *value;
    } else {
      return refuse(
          name,
          "'" + name.scalar +
              "' is not part of a verdict; one of read, write, same_as, call, refused, unsupported, by, otherwise, "
              "answer, optional, before_init, text_size, versions, layout, highest, parameters");
    }
    return {};
  }

  Result<void> bindings(const Node& content, Verdict& verdict) {
    if (content.is_scalar()) {  // the one pointer that is left
      const auto target = only_output();
      if (target.empty())
        return refuse(content, verdict.function + " does not have exactly one output; say which takes the field");
      return bind(target, content, verdict);
    }
    if (!content.is_mapping()) return refuse(content, "a field, or a mapping from outputs to fields, was expected");
    for (const auto& [target, path] : content.entries) {
      if (auto bound = bind(target.scalar, path, verdict); !bound) return bound;
    }
    return {};
  }

  Result<void> bind(const std::string& target, const Node& path, Verdict& verdict) {
    if (!path.is_null()) {
      if (auto found = find_field(vocabulary_, path.scalar); !found) return refuse(path, found.error().message);
    }
    verdict.bindings.push_back({target, path.is_null() ? "" : path.scalar});
    return {};
  }

  std::string only_output() const {
    std::string name;
    if (function_ == nullptr) return name;
    for (const Parameter& parameter : function_->parameters) {
      if (parameter.type.pointers == 0) continue;
      if (!name.empty()) return {};
      name = parameter.name;
    }
    // A setter's value is no pointer: the last parameter.
    if (name.empty() && !function_->parameters.empty()) name = function_->parameters.back().name;
    return name;
  }

  bool is_parameter(const std::string& name) const {
    return function_ != nullptr &&
           std::ranges::find(function_->parameters, name, &Parameter::name) != function_->parameters.end();
  }

  struct Reason {
    std::string why;
    std::string answer;
    bool used = false;
  };

  const Registry& registry_;
  const Vocabulary& vocabulary_;
  const Function* function_ = nullptr;
  std::map<std::string, Reason> reasons_;
};

Result<void> read_file(const std::filesystem::path& file, Reader& reader, Verdicts& verdicts) {
  auto root = yaml::parse_file(file);
  if (!root) return fail_at(file.string(), root.error().place.line, root.error().place.column, root.error().message);
  const Node* functions = root->find("functions");
  if (functions == nullptr || !functions->is_mapping()) return refuse(*root, "a mapping `functions` is missing");
  if (auto read = reader.reasons(root->find("reasons")); !read) return read;
  for (const auto& [key, value] : functions->entries) {
    auto verdict = reader.verdict(key, value);
    if (!verdict) return std::unexpected(verdict.error());
    verdict->topic = file.stem().string();
    if (!verdicts.emplace(key.scalar, std::move(*verdict)).second)
      return refuse(key, key.scalar + " has a verdict in another file already");
  }
  if (const std::string* unused = reader.unused_reason())
    return refuse(*root, "no function is refused for the reason '" + *unused + "'");
  return {};
}

Result<void> check_complete(const Verdicts& verdicts, const std::vector<std::string>& functions) {
  for (const std::string& function : functions) {
    if (!verdicts.contains(function)) {
      return fail(function +
                  " has no verdict: give it one in model/meaning/ (read, write, same_as, call or unsupported)");
    }
  }
  for (const auto& [name, verdict] : verdicts) {
    if (!std::ranges::binary_search(functions, name))
      return fail("model/meaning/" + verdict.topic + ".yaml: " + name + " is not a function that NVML exports");
    if (verdict.kind == VerdictKind::same_as && !verdicts.contains(verdict.same_as)) {
      return fail("model/meaning/" + verdict.topic + ".yaml: " + name + " is the same as " + verdict.same_as +
                  ", which does not exist");
    }
  }
  return {};
}

}  // namespace

Result<FieldPath> find_field(const Vocabulary& vocabulary, const std::string& path) {
  const auto dot = path.find('.');
  const StateTopic* topic = vocabulary.find(path.substr(0, dot));
  if (topic == nullptr || dot == std::string::npos) return fail("'" + path + "' names no topic of model/state/");
  std::string rest = path.substr(dot + 1);
  const std::vector<StateField>* fields = &topic->fields;
  for (;;) {
    const auto next = rest.find('.');
    const auto found = std::ranges::find(*fields, rest.substr(0, next), &StateField::name);
    if (found == fields->end()) return fail("'" + path + "' is not a field of model/state/" + topic->name + ".yaml");
    if (next == std::string::npos) return FieldPath{topic, &*found};
    const StateRecord* record = found->type == FieldType::record ? topic->record(found->record) : nullptr;
    if (record == nullptr) return fail("'" + path + "' goes through a field that is not a record");
    fields = &record->fields;
    rest = rest.substr(next + 1);
  }
}

Result<Verdicts> load_verdicts(const std::filesystem::path& folder, const std::vector<std::string>& functions,
                               const Registry& registry, const Vocabulary& vocabulary) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  if (failed) return fail(folder.string() + ": " + failed.message());
  std::ranges::sort(files);
  Verdicts verdicts;
  Reader reader(registry, vocabulary);
  for (const auto& file : files) {
    if (auto read = read_file(file, reader, verdicts); !read) return std::unexpected(read.error());
  }
  if (auto complete = check_complete(verdicts, functions); !complete) return std::unexpected(complete.error());
  return verdicts;
}

}  // namespace nvmlab::codegen
