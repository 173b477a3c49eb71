// SPDX-License-Identifier: Apache-2.0
//
// Which of the shipped tables of MIG profiles (profiles/gpus/mig-*.yaml) a capture was taken with: a log shows the
// instances that there are, and not what else there could be. Tests: tests/unit/import/mig_test.cpp.
#include <algorithm>
#include <charconv>
#include <optional>

#include "base/yaml/tree.hpp"
#include "compiler/shipped.hpp"
#include "import/infer/infer.hpp"

namespace nvmlab::importer {
namespace {

struct TableRow {
  std::string name;  // 1g.10gb
  std::uint64_t multiprocessors = 0;
  std::uint64_t memory_mib = 0;
};

struct MigTable {
  std::string profile;
  std::vector<TableRow> rows;
};

std::uint64_t row_number(const yaml::Node& row, std::string_view key) {
  const yaml::Node* node = row.find(key);
  std::uint64_t number = 0;
  if (node != nullptr) std::from_chars(node->scalar.data(), node->scalar.data() + node->scalar.size(), number);
  return number;
}

MigTable read_mig_table(const compiler::ShippedProfile& shipped) {
  MigTable table{std::string(shipped.name), {}};
  const auto profile = yaml::parse(shipped.text, std::string(shipped.file));
  if (!profile || !profile->is_mapping()) return table;
  const yaml::Node* topic = profile->find("mig");
  const yaml::Node* rows = topic == nullptr ? nullptr : topic->find("profiles");
  if (rows == nullptr || !rows->is_sequence()) return table;
  for (const yaml::Node& row : rows->items) {
    const yaml::Node* name = row.find("name");
    constexpr std::string_view prefix = "MIG ";
    if (name == nullptr || !name->scalar.starts_with(prefix)) continue;
    table.rows.push_back(
        {name->scalar.substr(prefix.size()), row_number(row, "multiprocessors"), row_number(row, "memory_mib")});
  }
  return table;
}

const std::vector<MigTable>& mig_tables() {
  static const std::vector<MigTable> all = [] {
    std::vector<MigTable> found;
    for (const auto& shipped : compiler::shipped_profiles()) {
      if (shipped.name.starts_with("mig-")) found.push_back(read_mig_table(shipped));
    }
    return found;
  }();
  return all;
}

std::uint64_t device_number(const MigDevice& device, std::string_view member) {
  const auto found = device.members.find(member);
  const auto* number = found == device.members.end() ? nullptr : found->second.get_if<compiler::Number>();
  return number == nullptr ? 0 : number->magnitude;
}

// Drivers differ in how much of the memory of an instance they reserve: by up to 2.2 % in captures.
bool near(std::uint64_t one, std::uint64_t other) {
  const auto [less, more] = std::minmax(one, other);
  return (more - less) * 32 <= more;
}

// Compute instances share the GPU instance of this device.
bool shares_instance(const Subject& gpu, const MigDevice& device) {
  const auto id = device_number(device, "gpu_instance");
  return std::ranges::count_if(gpu.lists.mig_devices, [&](const auto& entry) {
           return device_number(entry.second, "gpu_instance") == id;
         }) > 1;
}

// Returns how well a row and a device agree, or nothing if they contradict each other. A value that one of them lacks
// agrees with any. A device that is a part of its GPU instance ("1c.3g.40gb") has fewer multiprocessors than the row.
std::optional<unsigned> agreement(const TableRow& row, const Subject& gpu, const MigDevice& device) {
  const auto found = device.members.find("name");
  const auto* name = found == device.members.end() ? nullptr : found->second.get_if<std::string>();
  const auto part = name == nullptr ? std::string::npos : name->find("c.");
  if (name != nullptr && row.name != (part == std::string::npos ? *name : name->substr(part + 2))) return std::nullopt;
  unsigned points = name != nullptr ? 2 : 0;
  const auto fits = [&points](std::uint64_t table, std::uint64_t seen, bool close) {
    if (table == 0 || seen == 0) return true;
    points += table == seen ? 2 : close ? 1 : 0;
    return table == seen || close;
  };
  const bool whole = part == std::string::npos && (name != nullptr || !shares_instance(gpu, device));
  if (whole && !fits(row.multiprocessors, device_number(device, "multiprocessors"), false)) return std::nullopt;
  const auto mib = device_number(device, "memory_total_bytes") >> 20;
  if (!fits(row.memory_mib, mib, near(row.memory_mib, mib))) return std::nullopt;
  return points;
}

// Over all devices, each by the row that tells most of it; none where some device is of no row.
std::optional<unsigned> agreement(const MigTable& table, const Subject& gpu) {
  unsigned all = 0;
  for (const auto& [ids, device] : gpu.lists.mig_devices) {
    std::optional<unsigned> most;
    for (const TableRow& row : table.rows)
      most = std::max(most, agreement(row, gpu, device));
    if (!most) return std::nullopt;
    all += *most;
  }
  return all;
}

}  // namespace

std::string mig_table_of(const Subject& gpu) {
  const auto& devices = gpu.lists.mig_devices;
  if (devices.empty() || !gpu.lists.mig_profiles.empty()) return {};
  const MigTable* found = nullptr;
  std::optional<unsigned> most = 0;  // a table that agrees in nothing could be any
  for (const MigTable& table : mig_tables()) {
    const auto agrees = agreement(table, gpu);
    if (agrees <= most) continue;
    most = agrees;
    found = &table;
  }
  return found == nullptr ? std::string() : found->profile;
}

}  // namespace nvmlab::importer
