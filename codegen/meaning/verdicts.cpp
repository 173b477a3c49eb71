// SPDX-License-Identifier: Apache-2.0
#include "codegen/meaning/verdicts.hpp"

#include <algorithm>

#include "codegen/meaning/reader.hpp"

namespace nvmlab::codegen {
namespace {

using yaml::Node;

Result<void> read_file(const std::filesystem::path& file, VerdictReader& reader, Verdicts& verdicts) {
  auto root = yaml::parse_file(file);
  if (!root) return std::unexpected(root.error());
  const Node* functions = root->find("functions");
  if (functions == nullptr || !functions->is_mapping()) return fail_at(*root, "a mapping `functions` is missing");
  if (auto read = reader.reasons(root->find("reasons")); !read) return read;
  if (auto read = reader.subjects().subjects(root->find("subjects")); !read) return read;
  for (const auto& [key, value] : functions->entries) {
    auto verdict = reader.verdict(key, value);
    if (!verdict) return std::unexpected(verdict.error());
    verdict->topic = file.stem().string();
    if (!verdicts.emplace(key.scalar, std::move(*verdict)).second)
      return fail_at(key, key.scalar + " has a verdict in another file already");
  }
  if (const std::string* unused = reader.unused_reason())
    return fail_at(*root, "no function is refused for the reason '" + *unused + "'");
  if (const std::string* unused = reader.subjects().unused())
    return fail_at(*root, "no function is of the subject '" + *unused + "'");
  return {};
}

Result<void> check_complete(const Verdicts& verdicts, const std::vector<std::string>& functions) {
  for (const std::string& function : functions) {
    if (!verdicts.contains(function)) {
      return fail(function +
                  " has no verdict: give it one in model/meaning/ (read, item, length, list, find, write, change, "
                  "same_as, call or unsupported)");
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

bool Binding::plain() const {
  return source == ValueSource::field && !path.empty() && instead.empty() && times.empty() && bit.empty() &&
         equals.empty() && fits.empty() && told.empty();
}

bool Verdict::derives() const {
  return std::ranges::any_of(cases, [](const Case& each) {
    return std::ranges::any_of(each.bindings,
                               [](const Binding& binding) { return binding.source == ValueSource::rule; });
  });
}

std::map<std::string, std::string, std::less<>> former_names(const Verdicts& verdicts) {
  std::map<std::string, std::string, std::less<>> others;
  for (const auto& [name, verdict] : verdicts) {
    const bool same = verdict.kind == VerdictKind::same_as && verdict.constants.empty() && verdict.layout.empty();
    if (same) others.emplace(name, verdict.same_as);
  }
  return others;
}

const Verdict& resolved(const Verdicts& verdicts, const Verdict& verdict) {
  const Verdict* at = &verdict;
  for (int hops = 0; at->kind == VerdictKind::same_as && hops < 8; ++hops)
    at = &verdicts.at(at->same_as);
  return *at;
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
  VerdictReader reader(registry, vocabulary);
  for (const auto& file : files) {
    if (auto read = read_file(file, reader, verdicts); !read) return std::unexpected(read.error());
  }
  if (auto complete = check_complete(verdicts, functions); !complete) return std::unexpected(complete.error());
  return verdicts;
}

}  // namespace nvmlab::codegen
