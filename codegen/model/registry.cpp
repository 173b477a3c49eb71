// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/registry.hpp"

#include <fmt/format.h>

#include <utility>

namespace nvmlab::codegen {
namespace {

// Adds one release's definition at the end of a history. `previous` is the release before this one, empty for the
// first.
template <class T>
void append(Table<T>& table, const T& definition, const std::string& version, const std::string& previous) {
  History<T>& spans = table[definition.name];
  const bool continues = !spans.empty() && spans.back().until == previous && spans.back().definition == definition;
  if (continues) {
    spans.back().until = version;
  } else {
    spans.push_back({version, version, definition});
  }
}

// While merging, `until` is the last release seen; what reached the newest release has no end yet.
template <class T>
void open_ends(Table<T>& table, const std::string& newest) {
  for (auto& [name, spans] : table) {
    if (spans.back().until == newest) spans.back().until.clear();
  }
}

template <class T>
std::vector<T> definitions_at(const Table<T>& table, const std::string& version) {
  std::vector<T> definitions;
  for (const auto& [name, spans] : table) {
    if (const T* found = at_release(spans, version)) definitions.push_back(*found);
  }
  return definitions;
}

void append_enum(Registry& registry, const Enum& entry, const std::string& version, const std::string& previous) {
  Enum head = entry;
  head.enumerators.clear();
  append(registry.enums, head, version, previous);
  std::uint64_t tie = 0;
  for (std::size_t i = 0; i < entry.enumerators.size(); ++i) {
    const Enumerator& enumerator = entry.enumerators[i];
    tie = i > 0 && entry.enumerators[i - 1].value == enumerator.value ? tie + 1 : 0;
    append(registry.enumerators, EnumeratorFact{enumerator.name, entry.name, enumerator.value, tie}, version, previous);
  }
}

std::vector<Enum> enums_at(const Registry& registry, const std::string& version) {
  std::vector<Enum> enums = definitions_at(registry.enums, version);
  std::map<std::string, std::vector<EnumeratorFact>> members;
  for (EnumeratorFact& fact : definitions_at(registry.enumerators, version))
    members[fact.enum_name].push_back(std::move(fact));
  for (Enum& entry : enums) {
    std::vector<EnumeratorFact>& facts = members[entry.name];
    std::ranges::sort(facts, {}, [](const EnumeratorFact& fact) { return std::pair(fact.value, fact.tie); });
    for (const EnumeratorFact& fact : facts)
      entry.enumerators.push_back({fact.name, fact.value});
  }
  return enums;
}

void append_release(Registry& registry, const Release& release, const std::string& previous) {
  const auto append_all = [&](auto& table, const auto& definitions) {
    for (const auto& definition : definitions)
      append(table, definition, release.version, previous);
  };
  registry.releases.push_back({release.version, release.sha256, count(release)});
  append_all(registry.functions, release.functions);
  append_all(registry.records, release.records);
  append_all(registry.typedefs, release.typedefs);
  append_all(registry.handles, release.handles);
  append_all(registry.macros, release.macros);
  for (const Enum& entry : release.enums)
    append_enum(registry, entry, release.version, previous);
}

}  // namespace

std::vector<std::string> Registry::versions() const {
  std::vector<std::string> names;
  names.reserve(releases.size());
  for (const ReleaseInfo& release : releases)
    names.push_back(release.version);
  return names;
}

Result<Registry> merge(std::vector<Release> releases) {
  if (releases.empty()) return fail("no release to merge; give at least one header");
  for (const Release& release : releases) {
    if (!is_version(release.version)) {
      return fail(fmt::format("'{}' is not a release; write numbers and dots, such as 13.3.29", release.version));
    }
  }
  std::ranges::sort(releases, VersionLess{}, &Release::version);
  const auto twice = std::ranges::adjacent_find(
      releases, [](const Release& a, const Release& b) { return compare_versions(a.version, b.version) == 0; });
  if (twice != releases.end()) return fail(fmt::format("release {} is given twice", twice->version));

  Registry registry;
  std::string previous;
  for (const Release& release : releases) {
    append_release(registry, release, previous);
    previous = release.version;
  }
  open_ends(registry.functions, previous);
  open_ends(registry.records, previous);
  open_ends(registry.enums, previous);
  open_ends(registry.enumerators, previous);
  open_ends(registry.typedefs, previous);
  open_ends(registry.handles, previous);
  open_ends(registry.macros, previous);
  return registry;
}

Result<Release> view(const Registry& registry, std::string_view version) {
  if (registry.releases.empty()) return fail("the registry holds no release");
  const auto resolved =
      version.empty() ? Result<std::string>(registry.newest()) : resolve_version(registry.versions(), version);
  if (!resolved) return std::unexpected(resolved.error());
  Release release;
  release.version = *resolved;
  release.sha256 = std::ranges::find(registry.releases, *resolved, &ReleaseInfo::version)->sha256;
  release.functions = definitions_at(registry.functions, *resolved);
  release.records = definitions_at(registry.records, *resolved);
  release.enums = enums_at(registry, *resolved);
  release.typedefs = definitions_at(registry.typedefs, *resolved);
  release.handles = definitions_at(registry.handles, *resolved);
  release.macros = definitions_at(registry.macros, *resolved);
  return release;
}

Result<std::vector<Release>> all_views(const Registry& registry) {
  std::vector<Release> releases;
  for (const ReleaseInfo& info : registry.releases) {
    auto release = view(registry, info.version);
    if (!release) return std::unexpected(release.error());
    releases.push_back(std::move(*release));
  }
  return releases;
}

}  // namespace nvmlab::codegen
