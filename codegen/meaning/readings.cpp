// SPDX-License-Identifier: Apache-2.0
#include "codegen/meaning/readings.hpp"

#include "codegen/meaning/case_reader.hpp"

namespace nvmlab::codegen {
namespace {

// One case: its fields are looked up with the parameters replaced.
Result<void> add_case(const ReadingNodes& nodes, const Node& content, const Function* function,
                      const Vocabulary& vocabulary, const std::vector<std::string>& keys, const Substitution& with,
                      Verdict& verdict) {
  Case result;
  result.keys = keys;
  result.supported = !content.is_null();
  CaseReader reader(vocabulary, function, verdict, with);
  if (nodes.list == nullptr && verdict.subject.given()) {
    if (auto read = reader.subject(content); !read) return read;
  }
  if (nodes.list != nullptr) {
    if (auto read = reader.scope(*nodes.list, result); !read) return read;
    if (nodes.any != nullptr && result.supported) {
      if (auto read = reader.any(*nodes.any, result); !read) return read;
    }
  }
  if (result.supported) {
    if (auto read = reader.bindings(content, result.bindings); !read) return read;
  }
  verdict.cases.push_back(std::move(result));
  return {};
}

// A table in the verdict itself: {NVML_CLOCK_SM: clocks.sm_mhz}, one level deep for each parameter of `by`.
Result<void> read_table(const ReadingNodes& nodes, const Node& content, const Function* function,
                        const Vocabulary& vocabulary, std::vector<std::string> keys, Verdict& verdict) {
  if (keys.size() == verdict.by.size()) return add_case(nodes, content, function, vocabulary, keys, {}, verdict);
  if (!content.is_mapping()) {
    return fail_at(content,
                   fmt::format("the values of '{}' with what is read for each were expected", verdict.by[keys.size()]));
  }
  for (const auto& [key, below] : content.entries) {
    keys.push_back(key.scalar);
    if (auto read = read_table(nodes, below, function, vocabulary, keys, verdict); !read) return read;
    keys.pop_back();
  }
  return {};
}

// Every combination of the choices.
Result<void> combine(const ReadingNodes& nodes, const Function* function, const Vocabulary& vocabulary,
                     const std::vector<std::string>& keys, Substitution with, Verdict& verdict) {
  if (keys.size() == verdict.by.size()) {
    const bool none = std::ranges::any_of(with, [](const auto& each) { return each.second.empty(); });
    return add_case(nodes, none ? Node() : *nodes.read, function, vocabulary, keys, with, verdict);
  }
  const auto& [parameter, values] = nodes.choices->entries[keys.size()];
  for (const auto& [key, text] : values.entries) {
    auto more = keys;
    more.push_back(key.scalar);
    auto fuller = with;
    fuller.emplace_back(parameter.scalar, text.is_null() ? "" : text.scalar);
    if (auto read = combine(nodes, function, vocabulary, more, fuller, verdict); !read) return read;
  }
  return {};
}

}  // namespace

Result<void> read_cases(const ReadingNodes& nodes, const Function* function, const Vocabulary& vocabulary,
                        Verdict& verdict) {
  if (nodes.by != nullptr && nodes.choices != nullptr)
    return fail_at(*nodes.by, "`by` has its table in `read`, `choices` has one of its own; say one of them");
  const auto parameter = [&](const Node& node) -> Result<void> {
    verdict.by.push_back(node.scalar);
    const std::string name = node.scalar.substr(0, node.scalar.find('.'));
    if (function != nullptr &&
        std::ranges::find(function->parameters, name, &Parameter::name) != function->parameters.end())
      return {};
    return fail_at(node, "'" + name + "' is not a parameter of " + verdict.function);
  };
  if (nodes.choices != nullptr) {
    for (const auto& [name, values] : nodes.choices->entries) {
      if (auto known = parameter(name); !known) return known;
      if (!values.is_mapping())
        return fail_at(values, "the values of a parameter and what stands for each were expected");
    }
    return combine(nodes, function, vocabulary, {}, {}, verdict);
  }
  if (nodes.by != nullptr) {
    if (nodes.by->is_scalar()) {
      if (auto known = parameter(*nodes.by); !known) return known;
    }
    for (const Node& each : nodes.by->items) {
      if (auto known = parameter(each); !known) return known;
    }
  }
  return read_table(nodes, *nodes.read, function, vocabulary, {}, verdict);
}

}  // namespace nvmlab::codegen
