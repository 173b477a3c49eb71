// SPDX-License-Identifier: Apache-2.0
// The registry: the facts of every known header release merged, each with the releases between which it held. Any
// release's view can be taken out again exactly: view(merge(releases), v) is the release v that went in. Stored as
// model/facts/nvml.json (registry_file.hpp). Covered by tests/unit/codegen/registry_test.cpp.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/model/facts.hpp"

namespace nvmlab::codegen {

// A definition held from release `since` to release `until`, both included; an empty `until` means that the newest
// known release has it.
template <class T>
struct Span {
  std::string since;
  std::string until;
  T definition;
  bool operator==(const Span&) const = default;
};

// Oldest first. A name that went away and came back has two spans, even if the definition is the same.
template <class T>
using History = std::vector<Span<T>>;

template <class T>
using Table = std::map<std::string, History<T>, std::less<>>;

// One enumerator as a fact of its own, so that a grown enum is one new line and not a new list. `tie` orders equal
// values.
struct EnumeratorFact {
  std::string name;
  std::string enum_name;
  std::int64_t value = 0;
  std::uint64_t tie = 0;
  bool operator==(const EnumeratorFact&) const = default;
};

struct ReleaseInfo {
  std::string version;
  std::string sha256;
  Counts counts;
  bool operator==(const ReleaseInfo&) const = default;
};

struct Registry {
  std::vector<ReleaseInfo> releases;  // oldest first
  Table<Function> functions;
  Table<Record> records;
  Table<Enum> enums;  // without their enumerators
  Table<EnumeratorFact> enumerators;
  Table<Typedef> typedefs;
  Table<Handle> handles;
  Table<Macro> macros;

  std::vector<std::string> versions() const;
  const std::string& newest() const { return releases.back().version; }  // a loaded or merged registry is never empty
  bool operator==(const Registry&) const = default;
};

// Any order; two releases of one name are an error.
Result<Registry> merge(std::vector<Release> releases);

// The facts of one release, by exact name or prefix (resolve_version); the newest if `version` is empty.
Result<Release> view(const Registry& registry, std::string_view version = {});

// Every release's view, oldest first: what merge() needs to add or replace one.
Result<std::vector<Release>> all_views(const Registry& registry);

// The definitions that a name ever had, oldest first; null if the table does not know it.
template <class T>
const History<T>* history(const Table<T>& table, std::string_view name) {
  const auto at = table.find(name);
  return at == table.end() ? nullptr : &at->second;
}

// The definition in force at a release (exact name); null if there was none.
template <class T>
const T* at_release(const History<T>& spans, std::string_view version);

// The newest definition ever, also of a name that is gone.
template <class T>
const T& newest_definition(const History<T>& spans) {
  return spans.back().definition;
}

}  // namespace nvmlab::codegen

#include "codegen/model/version.hpp"

template <class T>
const T* nvmlab::codegen::at_release(const History<T>& spans, std::string_view version) {
  for (const Span<T>& span : spans) {
    if (compare_versions(version, span.since) < 0) return nullptr;
    if (span.until.empty() || compare_versions(version, span.until) <= 0) return &span.definition;
  }
  return nullptr;
}
