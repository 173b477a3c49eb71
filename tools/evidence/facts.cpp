// SPDX-License-Identifier: Apache-2.0
#include "evidence/facts.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "compare/compare.hpp"
#include "compare/fields.hpp"
#include "compiler/paths.hpp"

namespace nvmlab::evidence {
namespace {

std::string scalar_at(const yaml::Node& root, const char* key) {
  const yaml::Node* node = root.find(key);
  return node != nullptr && node->is_scalar() ? node->scalar : "";
}

// Every leaf of the vocabulary: a field, or a member of a record. A list is one leaf.
std::vector<compiler::FieldRef> leaves() {
  std::vector<compiler::FieldRef> all;
  const auto add = [&](const std::string& path) {
    if (auto ref = compiler::find_field(path)) all.push_back(std::move(*ref));
  };
  for (const Topic& topic : topics()) {
    for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
      const Field& field = topic.table.fields[i];
      const std::string path = fmt::format("{}.{}", topic.table.name, field.name);
      if (field.type != FieldType::record) {
        add(path);
        continue;
      }
      for (std::uint32_t m = 0; m < field.record->field_count; ++m)
        add(fmt::format("{}.{}", path, field.record->fields[m].name));
    }
  }
  return all;
}

// The file of "a/b.xml, driver 580.105.08; note".
std::string file_of(const compiler::Source& source) { return source.text.substr(0, source.text.find_first_of(",;")); }

// The title of "Title; note".
std::string title_of(const compiler::Source& source) { return source.text.substr(0, source.text.find(';')); }

std::vector<std::string> by_use(const std::map<std::string, std::size_t>& uses) {
  std::vector<std::pair<std::size_t, std::string>> order;
  for (const auto& [what, times] : uses)
    order.emplace_back(times, what);
  std::ranges::stable_sort(order, std::ranges::greater(), &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> names;
  for (auto& [times, what] : order)
    names.push_back(std::move(what));
  return names;
}

void read_head(const compiler::ShippedProfile& shipped, Profile& profile) {
  const auto root = yaml::parse(shipped.text, std::string(shipped.file));
  if (!root) return;
  profile.doc = scalar_at(*root, "doc");
  const yaml::Node* inherits = root->find("inherits");
  if (inherits == nullptr) return;
  if (inherits->is_scalar()) profile.inherits.push_back(inherits->scalar);
  for (const yaml::Node& name : inherits->items)
    profile.inherits.push_back(name.scalar);
}

Profile facts_of(const compiler::ShippedProfile& shipped, const compiler::Machine& machine) {
  Profile profile;
  profile.name = shipped.name;
  profile.machine = shipped.machine;
  profile.gpus = machine.gpu_count();
  read_head(shipped, profile);
  std::map<std::string, std::size_t> sources;
  std::map<std::string, std::size_t> own_captures;
  std::map<std::string, std::string> states;
  for (const auto& ref : leaves()) {
    const compiler::Source* source = machine.provenance.find(0, ref);
    if (source == nullptr) continue;
    ++profile.by_kind[source->kind];
    const bool own = source->profile == profile.name;
    if (!own && source->kind != "derived") ++profile.inherited;
    if (source->kind == "assumed") profile.assumed[source->text].push_back(ref.name);
    if (source->kind == "assumed" || source->kind == "derived") continue;
    ++sources[source->kind == "capture" ? fmt::format("`{}`", file_of(*source)) : title_of(*source)];
    if (!own || source->kind != "capture") continue;
    ++own_captures[file_of(*source)];
    if (source->text.contains("load state")) states[file_of(*source)] = "load";
  }
  profile.evidence = by_use(sources);
  if (const auto captures = by_use(own_captures); !captures.empty()) {
    profile.main_capture = captures.front();
    profile.state = states[captures.front()];
  }
  return profile;
}

}  // namespace

std::expected<std::vector<Profile>, std::string> shipped_profiles() {
  std::vector<Profile> profiles;
  for (const compiler::ShippedProfile& shipped : compiler::shipped_profiles()) {
    const auto root = yaml::parse(shipped.text, std::string(shipped.file));
    if (!root) return std::unexpected(root.error().text());
    if (root->find("abstract") != nullptr) continue;
    const auto machine = compiler::compile(shipped.name);
    if (!machine) return std::unexpected(compiler::describe(machine.error()));
    profiles.push_back(facts_of(shipped, *machine));
  }
  return profiles;
}

std::expected<Agreement, std::string> agreement_of(const Profile& profile, const std::filesystem::path& captures) {
  const auto path = captures / profile.main_capture;
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::unexpected(fmt::format("{}: cannot be read", path.string()));
  const importer::Input input{path.string(), {std::istreambuf_iterator<char>(file), {}}};
  const auto imported = importer::import_captures({&input, 1}, "imported", {profile.state});
  if (!imported) return std::unexpected(imported.error().front());
  const auto told = compiler::compile_text(imported->yaml, "imported.yaml", "imported");
  const auto machine = compiler::compile(profile.name);
  if (!told || !machine)
    return std::unexpected(fmt::format("{} does not compile", told ? profile.name : path.string()));

  auto left = compare::fields_of(*machine);
  left.one_board = !profile.machine;
  auto right = compare::fields_of(*told, compare::Observed::evidence);
  if (!profile.machine) {
    right.gpus.resize(1);  // a board has the readings of the first one, wherever it sits
    std::erase_if(right.gpus.front().statements, [](const auto& each) { return each.topic == "topology"; });
  }
  const auto report = compare::compare(left, right);
  Agreement agreement{profile.main_capture, report.steady_equal, report.steady_compared, {}};
  std::set<std::string> differing;
  for (const auto& row : report.rows) {
    const bool differs = row.which == compare::Class::value || row.which == compare::Class::code;
    if (differs && row.any().nature != compare::Nature::live) differing.insert(row.any().name);
  }
  agreement.differing.assign(differing.begin(), differing.end());
  return agreement;
}

}  // namespace nvmlab::evidence
