// SPDX-License-Identifier: Apache-2.0
//
// The licences of a guest's vGPUs, which a machine has in one list. Tests: tests/unit/import/published_test.cpp.
#include <chrono>
#include <cstdio>
#include <optional>

#include "engine/state/generated/state.hpp"
#include "import/smi/gpu_log.hpp"

namespace nvmlab::importer {
namespace {

using compiler::Label;
using compiler::LiteralList;
using compiler::LiteralRecord;

constexpr const char* kLicenses = "vgpu.licenses";

// 2026-12-31 23:59:59 GMT, of which no part has zeros in front.
std::optional<std::uint64_t> moment_of(std::string_view printed) {
  int year = 0;
  unsigned month = 0;
  unsigned day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
  const std::string text(printed);
  if (std::sscanf(text.c_str(), "%4d-%2u-%2u %2d:%2d:%2d GMT", &year, &month, &day, &hour, &minute, &second) != 6)
    return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
  if (!date.ok() || year < 1970) return std::nullopt;
  const auto at = std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
                  std::chrono::seconds(second);
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count());
}

// "Licensed (Expiry: ...)": what stands between "Expiry: " and the bracket.
std::string_view expiry_in(std::string_view status) {
  constexpr std::string_view mark = "(Expiry: ";
  const auto at = status.find(mark);
  if (at == std::string_view::npos) return {};
  const auto rest = status.substr(at + mark.size());
  return rest.substr(0, rest.find(')'));
}

void add_expiry(LiteralRecord& row, std::string_view printed) {
  if (const auto moment = moment_of(printed)) {
    row.emplace("expiry", Label{"valid"});
    row.emplace("expires_s", *moment);
  } else if (printed == "Permanent") {
    row.emplace("expiry", Label{"permanent"});
  } else if (printed == "N/A") {
    row.emplace("expiry", Label{"not_applicable"});
  }
}

const char* state_of(std::string_view status) {
  if (status.starts_with("Licensed")) return "licensed";
  if (status.starts_with("Unlicensed (Unrestricted)")) return "unlicensed_unrestricted";
  if (status.starts_with("Unlicensed (Restricted)")) return "unlicensed_restricted";
  return status.starts_with("Unlicensed") ? "unlicensed" : "unknown";
}

const char* feature_of(std::string_view product) {
  if (product.find("Compute") != std::string_view::npos) return "compute";
  if (product.find("Workstation") != std::string_view::npos) return "rtx";
  return product.find("Gaming") != std::string_view::npos ? "gaming" : "vgpu";
}

struct Printed {
  const capture::Leaf* product;
  const capture::Leaf* status;
};

Printed license_in(const LeafIndex& index) {
  for (const auto& [xml, text] : {std::pair{"vgpu_software_licensed_product", "vGPU Software Licensed Product"},
                                  std::pair{"grid_licensed_product", "GRID Licensed Product"}}) {
    const auto* product = index.find(std::string(xml) + "/licensed_product_name", std::string(text) + "/Product Name");
    const auto* status = index.find(std::string(xml) + "/license_status", std::string(text) + "/License Status");
    if (product != nullptr) return {product, status};
  }
  return {};
}

LiteralRecord row_of(std::uint64_t gpu, const Printed& printed) {
  const std::string_view status = printed.status == nullptr ? std::string_view() : printed.status->value;
  LiteralRecord row{{"gpu", gpu},
                    {"product", printed.product->value},
                    {"feature", Label{feature_of(printed.product->value)}},
                    {"enabled", Label{"yes"}},
                    {"state", Label{state_of(status)}}};
  add_expiry(row, expiry_in(status));
  return row;
}

}  // namespace

void read_licenses(const LogReading& reading, std::span<const std::vector<const capture::Leaf*>> leaves) {
  constexpr std::size_t room = decltype(Vgpu::licenses)::capacity;
  LiteralList rows;
  std::vector<const capture::Leaf*> told;
  for (std::size_t i = 0; i < leaves.size() && rows.size() < room; ++i) {
    if (reading.gpus[i] == nullptr) continue;
    const Printed printed = license_in(LeafIndex(reading.capture, leaves[i]));
    if (printed.product == nullptr || printed.product->value.size() >= decltype(Vgpu::License::product)::capacity)
      continue;
    rows.emplace_back(row_of(static_cast<std::uint64_t>(reading.gpus[i] - reading.evidence.gpus.data()), printed));
    told.push_back(printed.product);
    if (printed.status != nullptr) told.push_back(printed.status);
  }
  if (rows.empty()) return;
  reading.observe(reading.evidence.node, kLicenses, std::move(rows), *told.front());
  for (std::size_t i = 1; i < told.size(); ++i)
    reading.fates.carry(*told[i], kLicenses);
}

}  // namespace nvmlab::importer
