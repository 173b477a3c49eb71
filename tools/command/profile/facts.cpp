// SPDX-License-Identifier: Apache-2.0
#include "command/profile/facts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/paths.hpp"

namespace nvmlab::tool {
namespace {

std::string scalar_at(const yaml::Node& root, const char* key) {
  const yaml::Node* node = root.is_mapping() ? root.find(key) : nullptr;
  return node != nullptr && node->is_scalar() ? node->scalar : "";
}

// Every leaf of the vocabulary by name: a field, or a member of a record. A list is one leaf.
std::vector<compiler::FieldRef> leaves() {
  std::vector<compiler::FieldRef> all;
  for (const Topic& topic : topics()) {
    for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
      const Field& field = topic.table.fields[i];
      const std::string path = fmt::format("{}.{}", topic.table.name, field.name);
      if (field.type != FieldType::record) {
        if (auto ref = compiler::find_field(path)) all.push_back(std::move(*ref));
        continue;
      }
      for (std::uint32_t m = 0; m < field.record->field_count; ++m) {
        if (auto ref = compiler::find_field(fmt::format("{}.{}", path, field.record->fields[m].name)))
          all.push_back(std::move(*ref));
      }
    }
  }
  return all;
}

}  // namespace

ProfileHead head_of(const compiler::ShippedProfile& profile) {
  ProfileHead head{std::string(profile.name), "", profile.machine, false};
  if (const auto root = yaml::parse(profile.text, std::string(profile.file))) {
    head.doc = scalar_at(*root, "doc");
    head.family = scalar_at(*root, "abstract") == "true";
  }
  return head;
}

std::string doc_of(const std::string& name_or_path) {
  if (const compiler::ShippedProfile* shipped = compiler::find_shipped(name_or_path)) return head_of(*shipped).doc;
  const auto root = name_or_path.ends_with(".machine") ? yaml::parse("", "") : yaml::parse_file(name_or_path);
  return root ? scalar_at(*root, "doc") : "";
}

Shares values_by_source(const compiler::Machine& machine) {
  Shares shares;
  if (machine.provenance.sources().empty()) return shares;
  const auto count = [&](std::uint32_t gpu, const compiler::FieldRef& ref) {
    const compiler::Source* source = machine.provenance.find(gpu, ref);
    if (source == nullptr) return;
    const auto found = std::ranges::find(shares, source->kind, &Shares::value_type::first);
    if (found == shares.end()) {
      shares.emplace_back(source->kind, 1);
    } else {
      ++found->second;
    }
  };
  for (const compiler::FieldRef& ref : leaves()) {
    const std::uint32_t owners = ref.topic->of_node ? 1 : machine.gpu_count();
    for (std::uint32_t i = 0; i < owners; ++i)
      count(i, ref);
  }
  std::ranges::stable_sort(shares, std::ranges::greater(), &Shares::value_type::second);
  return shares;
}

std::string shares_text(const Shares& shares) {
  std::size_t total = 0;
  for (const auto& [kind, count] : shares)
    total += count;
  std::string out;
  for (const auto& [kind, count] : shares) {
    const double percent = 100.0 * static_cast<double>(count) / static_cast<double>(total);
    out += out.empty() ? "" : ", ";
    out += percent < 1 ? fmt::format("{} <1 %", kind) : fmt::format("{} {:.0f} %", kind, percent);
  }
  return out;
}

}  // namespace nvmlab::tool
