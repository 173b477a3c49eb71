// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/functions/support/api.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "codegen/emit/export_bodies.hpp"
#include "codegen/emit/exports.hpp"
#include "codegen/model/layouts.hpp"
#include "codegen/model/struct_version.hpp"
#include "tests/drivers/functions/support/driver.hpp"

namespace nvmlab::driver_test {
namespace {

using codegen::Release;

std::size_t scalar_size(const std::string& name) {
  static const std::map<std::string, std::size_t> sizes = {
      {"char", 1},      {"unsigned char", 1},      {"short", 2},         {"unsigned short", 2},
      {"int", 4},       {"unsigned int", 4},       {"unsigned long", 8}, {"long", 8},
      {"long long", 8}, {"unsigned long long", 8}, {"double", 8},        {"void", 1}};
  const auto found = sizes.find(name);
  return found == sizes.end() ? 0 : found->second;
}

// "nvmlGpuFabricInfo_v3_t" -> "nvmlGpuFabricInfo"
std::string stem(const std::string& record) {
  const auto at = record.rfind("_v");
  return at == std::string::npos ? record : record.substr(0, at);
}

}  // namespace

bool ParameterFacts::counts() const {
  std::string lower = name;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return role != Role::device &&
         (lower.find("count") != std::string::npos || lower.find("size") != std::string::npos ||
          lower.find("length") != std::string::npos) &&
         (role == Role::number || type.text() == "unsigned int*");
}

int FunctionFacts::position(const std::string& parameter) const {
  const auto found = std::ranges::find(verdict_parameters, parameter);
  return found == verdict_parameters.end() ? -1 : static_cast<int>(found - verdict_parameters.begin());
}

const Api& Api::get() {
  static const Api api;
  return api;
}

Api::Api() {
  auto inputs = codegen::load_inputs(source_folder());
  EXPECT_TRUE(inputs) << (inputs ? "" : inputs.error().text());
  if (!inputs) return;
  inputs_ = std::move(*inputs);
  auto vocabulary = codegen::load_vocabulary(source_folder() / "model" / "state");
  EXPECT_TRUE(vocabulary) << (vocabulary ? "" : vocabulary.error().text());
  if (!vocabulary) return;
  vocabulary_ = std::move(*vocabulary);
  auto verdicts = codegen::load_meaning(inputs_, vocabulary_);
  EXPECT_TRUE(verdicts) << (verdicts ? "" : verdicts.error().text());
  if (!verdicts) return;
  for (const std::string& name : codegen::exported_functions(inputs_))
    add(name, *verdicts);
}

void Api::add(const std::string& name, const codegen::Verdicts& verdicts) {
  FunctionFacts function;
  function.name = name;
  function.verdict = verdicts.at(name);
  while (function.verdict.kind == codegen::VerdictKind::same_as)
    function.verdict = verdicts.at(function.verdict.same_as);
  for (const auto& each : codegen::declaration(inputs_, function.verdict, function.verdict.function).parameters) {
    function.verdict_parameters.push_back(each.name);
  }
  function.presence = codegen::presence(inputs_, name);
  for (const auto& each : codegen::declaration(inputs_, function.verdict, name).parameters) {
    function.parameters.push_back(parameter(each));
    const std::size_t at = function.parameters.size() - 1;
    const auto& narrowed = function.verdict.versions;
    std::erase_if(function.parameters.back().family, [&narrowed](std::uint32_t word) {
      return !narrowed.empty() && std::ranges::find(narrowed, word >> 24) == narrowed.end();
    });
    const auto& may_be_null = function.verdict.optional;
    function.parameters.back().optional =
        at < function.verdict_parameters.size() &&
        std::ranges::find(may_be_null, function.verdict_parameters[at]) != may_be_null.end();
  }
  functions_.push_back(std::move(function));
}

ParameterFacts Api::parameter(const codegen::Parameter& from) const {
  const Release& release = inputs_.newest;
  ParameterFacts facts;
  facts.name = from.name;
  facts.type = from.type;
  if (from.type.pointers == 0) {
    facts.role = from.type.base == "nvmlDevice_t"                            ? Role::device
                 : codegen::find(release.handles, from.type.base) != nullptr ? Role::handle
                                                                             : Role::number;
    facts.size = size_of(from.type.base);
    return facts;
  }
  facts.role = from.type.base == "char" ? Role::text : Role::pointer;
  facts.hands_out = from.type.pointers == 1 && from.type.base != "nvmlDevice_t" &&
                    codegen::find(release.handles, from.type.base) != nullptr;
  facts.size = from.type.pointers > 1 ? sizeof(void*) : size_of(from.type.base);
  facts.record = from.type.pointers == 1 ? codegen::resolve_record(release, from.type.base) : nullptr;
  if (facts.record == nullptr || !facts.record->has_version()) return facts;
  for (const codegen::Macro& macro : release.macros) {
    const auto version = codegen::struct_version_of(macro);
    if (!version) continue;
    const auto* record = codegen::find(release.records, version->record);
    if (record == nullptr || stem(record->name) != stem(facts.record->name)) continue;
    const std::uint32_t word = version->word(record->size);
    if (record->name == facts.record->name) {
      facts.version = word;
    } else {
      facts.family.push_back(word);
    }
  }
  return facts;
}

std::size_t Api::size_of(const std::string& type) const {
  const Release& release = inputs_.newest;
  if (const std::size_t size = scalar_size(type); size != 0) return size;
  if (const auto* record = codegen::resolve_record(release, type)) return record->size;
  if (codegen::find(release.enums, type) != nullptr) return 4;
  if (codegen::find(release.handles, type) != nullptr) return sizeof(void*);
  if (const auto* alias = codegen::find(release.typedefs, type))
    return alias->target.pointers > 0 ? sizeof(void*) : size_of(alias->target.base);
  ADD_FAILURE() << "how large is " << type << "?";
  return 0;
}

long long Api::enumerator(const std::string& name) const {
  for (const auto& each : inputs_.newest.enums) {
    for (const auto& item : each.enumerators) {
      if (item.name == name) return item.value;
    }
  }
  if (const auto* macro = codegen::find(inputs_.newest.macros, name); macro != nullptr && macro->value)
    return macro->value->as_signed();
  ADD_FAILURE() << name << " is not an enumerator";
  return -1;
}

MemberPlace Api::member(const codegen::Record& record, const std::string& path) const {
  const auto dot = path.find('.');
  for (const codegen::Field& field : record.fields) {
    if (field.name != path.substr(0, dot)) continue;
    if (dot == std::string::npos) return {field.offset, field.size};
    const codegen::Record* inner =
        field.nested.empty() ? codegen::resolve_record(inputs_.newest, field.type.base) : field.nested.data();
    if (inner == nullptr) break;
    const MemberPlace place = member(*inner, path.substr(dot + 1));
    return {field.offset + place.offset, place.size};
  }
  ADD_FAILURE() << record.name << " has no member " << path;
  return {};
}

const codegen::Record* Api::record_of(const std::string& type) const {
  return codegen::resolve_record(inputs_.newest, type);
}

bool Api::is_handle(const std::string& type) const { return codegen::find(inputs_.newest.handles, type) != nullptr; }

const codegen::Record* Api::record_of_version(const ParameterFacts& parameter, std::uint32_t word) const {
  for (const codegen::Macro& macro : inputs_.newest.macros) {
    const auto version = codegen::struct_version_of(macro);
    const auto* record = version ? codegen::find(inputs_.newest.records, version->record) : nullptr;
    if (record != nullptr && stem(record->name) == stem(parameter.record->name) && version->word(record->size) == word)
      return record;
  }
  return nullptr;
}

const FunctionFacts* Api::find(const std::string& name) const {
  const auto found = std::ranges::find(functions_, name, &FunctionFacts::name);
  return found == functions_.end() ? nullptr : &*found;
}

bool FunctionFacts::in_driver(const std::string& version) const {
  return (presence >> Api::get().driver_row(version) & 1) != 0;
}

std::size_t Api::driver_row(const std::string& version) const { return codegen::driver_row(inputs_.releases, version); }

}  // namespace nvmlab::driver_test
