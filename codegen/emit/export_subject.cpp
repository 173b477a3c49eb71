// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/export_subject.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "codegen/model/layouts.hpp"
#include "codegen/model/presence.hpp"
#include "codegen/model/struct_version.hpp"

namespace nvmlab::codegen {
namespace {

// In which drivers each version of a struct is known to a function: those whose header has the macro. A driver that has
// the function before any header does knows the oldest version.
std::vector<std::uint64_t> known_in(const ExportSubject& subject, const std::vector<const Record*>& versions) {
  const Inputs& inputs = subject.inputs;
  const std::uint64_t present = presence(inputs, subject.function.name);
  std::vector<std::uint64_t> masks(versions.size());
  for (std::size_t row = 0; row < inputs.releases.size(); ++row) {
    const std::uint64_t bit = present & std::uint64_t{1} << row;
    bool known = false;
    for (std::size_t i = 0; i < versions.size() && bit != 0; ++i) {
      const std::string macro = versions[i]->name.substr(0, versions[i]->name.size() - 2);
      const auto* spans = history(inputs.registry.macros, macro);
      if (spans == nullptr || at_release(*spans, inputs.releases[row].header) == nullptr) continue;
      masks[i] |= bit;
      known = true;
    }
    if (!known && !versions.empty()) masks[0] |= bit;
  }
  for (std::uint64_t& mask : masks)
    mask = mask == present ? 0 : mask;
  return masks;
}

}  // namespace

bool is_layout_of(const ExportSubject& subject, const Parameter& parameter, const Record& version) {
  return resolve_record(subject.inputs.newest, parameter.type.base)->name == version.name;
}

const Parameter* parameter(const Function& function, const std::string& name) {
  const auto found = std::ranges::find(function.parameters, name, &Parameter::name);
  return found == function.parameters.end() ? nullptr : &*found;
}

std::vector<const Record*> versions_of(const Inputs& inputs, const Verdict& verdict, const Parameter& parameter) {
  if (parameter.type.pointers != 1) return {};
  const Release& release = inputs.newest;
  const Record* record = resolve_record(release, parameter.type.base);
  if (record == nullptr || !record->has_version()) return {};
  const auto stem = [](const std::string& name) { return name.substr(0, name.rfind("_v")); };
  std::map<std::uint32_t, const Record*> versions;
  for (const Macro& macro : release.macros) {
    const auto version = struct_version_of(macro);
    if (!version || stem(version->record) != stem(record->name)) continue;
    if (!verdict.versions.empty() && std::ranges::find(verdict.versions, version->number) == verdict.versions.end())
      continue;
    if (const Record* layout = find(release.records, version->record)) versions[version->number] = layout;
  }
  std::vector<const Record*> records;
  records.reserve(versions.size());
  for (const auto& [number, layout] : versions)
    records.push_back(layout);
  return records;
}

std::string version_word(const Record& record) {
  return "struct_version::" + record.name.substr(4, record.name.size() - 6);
}

std::string shape_call(const ExportSubject& subject, const std::string& shape, const std::vector<std::string>& parts,
                       const std::string& types) {
  return fmt::format("  return {}<Fn::{}{}>(args({}){}{});\n", shape, subject.function.name, types,
                     fmt::join(subject.arguments, ", "), parts.empty() ? "" : ", ", fmt::join(parts, ", "));
}

std::string body_lambda(const ExportSubject& subject, const std::string& body) {
  const std::string receiver = takes_device(subject.function) ? "const Device& gpu" : "Store& node";
  return body.ends_with('\n') ? fmt::format("[&]({}) {{\n{}  }}", receiver, body)
                              : fmt::format("[&]({}) {{ {} }}", receiver, body);
}

std::vector<std::string> with_checks(const ExportSubject& subject, const std::string& body) {
  std::vector<std::string> parts = checked_pointers(subject);
  parts.insert(parts.begin(), body);
  return parts;
}

std::vector<std::string> checked_pointers(const ExportSubject& subject) {
  std::vector<std::string> checks;
  for (const Parameter& each : subject.function.parameters) {
    const bool optional = std::ranges::find(subject.verdict.optional, each.name) != subject.verdict.optional.end();
    if (each.type.pointers == 0 || optional) continue;
    std::string words;
    const auto versions = versions_of(subject.inputs, subject.verdict, each);
    const auto drivers = known_in(subject, versions);
    for (std::size_t i = 0; i < versions.size(); ++i) {
      const std::string word = version_word(*versions[i]);
      words += drivers[i] == 0 ? ", " + word : fmt::format(", DriverWord({}, {:#x})", word, drivers[i]);
    }
    const bool usual = versions.size() == 1 && drivers[0] == 0 && is_layout_of(subject, each, *versions[0]);
    if (usual) words.clear();
    checks.push_back(versions.empty() ? each.name : fmt::format("known_version({}{})", each.name, words));
  }
  for (const Parameter& each : subject.function.parameters)  // a handle, so after what it is asked
    if (each.type.text() == "nvmlVgpuInstance_t") checks.push_back(fmt::format("nonzero({})", each.name));
  return checks;
}

Result<Layouts> newest_layout(const ExportSubject& subject, Function& function) {
  Layouts text;
  for (Parameter& each : function.parameters) {
    const std::string callers = each.name;
    const auto versions = versions_of(subject.inputs, subject.verdict, each);
    std::string layouts;
    std::string newest;
    if (versions.size() > 1) {
      for (const Record* version : versions)
        layouts = ", " + version->name + layouts;
      newest = versions.back()->name;
      text.open += fmt::format("in_newest_layout<{}>(", layouts.substr(2));
    } else if (subject.layout.starts_with(each.type.base + "_before_")) {
      const Record* record = resolve_record(subject.inputs.newest, each.type.base);
      if (record == nullptr) return fail(function.name + ": " + each.type.base + " has no layout today");
      newest = record->name;
      text.open += fmt::format("in_old_layout<historic::{}, {}>(", subject.layout, newest);
    } else {
      continue;
    }
    each.name = "newest";
    each.type.base = newest;
    if (!text.close.empty()) return fail(function.name + ": only one of its structs may have several layouts");
    text.open += fmt::format("{}, [&]({}* newest) {{", callers, newest);
    text.close = "})";
  }
  if (!subject.layout.empty() && text.open.empty())
    return fail(function.name + ": no parameter has the layout " + subject.layout);
  return text;
}

}  // namespace nvmlab::codegen
