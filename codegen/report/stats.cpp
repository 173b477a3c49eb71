// SPDX-License-Identifier: Apache-2.0
#include "codegen/report/stats.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>

#include "codegen/model/family.hpp"
#include "codegen/model/struct_version.hpp"

namespace nvmlab::codegen {
namespace {

template <class Range, class Predicate>
std::size_t count_if(const Range& range, Predicate&& predicate) {
  return static_cast<std::size_t>(std::ranges::count_if(range, predicate));
}

// What a function acts on: the handle or id type of its first parameter.
std::string receiver_of(const Function& function) {
  if (function.parameters.empty()) return "none";
  const Type& first = function.parameters.front().type;
  constexpr std::array<std::string_view, 9> receivers{"nvmlDevice_t",    "nvmlGpuInstance_t", "nvmlComputeInstance_t",
                                                      "nvmlUnit_t",      "nvmlEventSet_t",    "nvmlSystemEventSet_t",
                                                      "nvmlGpmSample_t", "nvmlVgpuTypeId_t",  "nvmlVgpuInstance_t"};
  const bool known = first.pointers == 0 && std::ranges::find(receivers, first.base) != receivers.end();
  return known ? first.base : "none";
}

std::string function_lines(const Release& release) {
  std::map<std::string, unsigned> families;
  std::set<std::string> plain;
  for (const Function& function : release.functions) {
    const FamilyName family = family_of(function.name);
    ++families[family.base];
    if (!family.suffixed) plain.insert(family.base);
  }
  const auto versioned = count_if(families, [](const auto& family) { return family.second > 1; });
  const auto suffixed = count_if(release.functions, [](const Function& f) { return family_of(f.name).suffixed; });
  const auto orphans = count_if(families, [&](const auto& family) { return !plain.contains(family.first); });
  const Counts counts = count(release);
  std::string text = fmt::format(
      "functions         {}: {} visible by default, {} only with NVML_NO_UNVERSIONED_FUNC_DEFS, {} deprecated\n"
      "versions          {} names end in _vN, {} families have more than one version, {} have no plain name\n"
      "receivers        ",
      counts.functions, counts.functions - counts.guarded_functions, counts.guarded_functions,
      counts.deprecated_functions, suffixed, versioned, orphans);
  std::map<std::string, unsigned> receivers;
  for (const Function& function : release.functions)
    ++receivers[receiver_of(function)];
  for (const auto& [name, number] : receivers)
    text += fmt::format(" {} {}", name, number);
  return text + '\n';
}

std::string type_lines(const Release& release) {
  const Counts counts = count(release);
  const auto versioned = count_if(release.records, [](const Record& r) { return r.has_version(); });
  const auto words = count_if(release.macros, [](const Macro& m) { return struct_version_of(m).has_value(); });
  const auto aliases = count_if(release.typedefs, [](const Typedef& t) { return t.target.base.starts_with("nvml"); });
  const auto largest = std::ranges::max_element(release.records, {}, &Record::size);
  std::string text = fmt::format(
      "structs           {}: {} begin with a version, {} have a version word; {} unions\n"
      "other types       {} aliases, {} scalars, {} handles\n"
      "enums             {}: {} enumerators\n",
      counts.structs, versioned, words, counts.unions, aliases, counts.typedefs - aliases, counts.handles, counts.enums,
      counts.enumerators);
  if (largest != release.records.end())
    text += fmt::format("largest struct    {}, {} bytes\n", largest->name, largest->size);
  return text;
}

std::string macro_lines(const Release& release) {
  std::map<std::string_view, unsigned> kinds;
  for (const Macro& macro : release.macros)
    ++kinds[name_of(macro.kind)];
  const auto ids = count_if(release.macros, [](const Macro& m) { return m.name.starts_with("NVML_FI_"); });
  std::string text = fmt::format("macros            {}: {} field ids;", release.macros.size(), ids);
  for (const auto& [kind, number] : kinds)
    text += fmt::format(" {} {}", number, kind);
  return text + '\n';
}

std::string driver_lines(const Release& release, const Drivers& drivers) {
  std::string text;
  for (const std::string& driver : drivers.versions) {
    const std::vector<std::string> symbols = drivers.symbols_of(driver);
    const auto declared =
        count_if(symbols, [&](const std::string& symbol) { return find(release.functions, symbol) != nullptr; });
    text +=
        fmt::format("driver {:<10} exports {} names: {} of this header's, {} others; {} of this header are missing\n",
                    driver, symbols.size(), declared, symbols.size() - declared, release.functions.size() - declared);
  }
  return text;
}

}  // namespace

std::string stats_of(const Release& release, const Drivers& drivers) {
  return fmt::format("NVML {}\n{}{}{}{}", release.version, function_lines(release), type_lines(release),
                     macro_lines(release), driver_lines(release, drivers));
}

std::string stats_of_all(const Registry& registry) {
  std::string text = fmt::format("{:<10}{:>10}{:>6}{:>6}{:>9}{:>8}{:>8}{:>12}{:>8}\n", "release", "functions", "+", "-",
                                 "structs", "unions", "enums", "enumerators", "macros");
  std::set<std::string> previous;
  for (const ReleaseInfo& info : registry.releases) {
    std::set<std::string> names;
    for (const auto& [name, spans] : registry.functions) {
      if (at_release(spans, info.version) != nullptr) names.insert(name);
    }
    const auto added = count_if(names, [&](const std::string& name) { return !previous.contains(name); });
    const auto removed = count_if(previous, [&](const std::string& name) { return !names.contains(name); });
    const bool first = previous.empty();
    text +=
        fmt::format("{:<10}{:>10}{:>6}{:>6}{:>9}{:>8}{:>8}{:>12}{:>8}\n", info.version, names.size(),
                    first ? "" : fmt::format("{}", added), first ? "" : fmt::format("{}", removed), info.counts.structs,
                    info.counts.unions, info.counts.enums, info.counts.enumerators, info.counts.macros);
    previous = std::move(names);
  }
  return text;
}

}  // namespace nvmlab::codegen
