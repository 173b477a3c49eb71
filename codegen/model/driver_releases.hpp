// SPDX-License-Identifier: Apache-2.0
// model/drivers.yaml: the driver releases that can be simulated, each with the header release and the measured symbols
// that stand for it. A driver has the facts of the last row that is not newer than it. Covered by
// tests/unit/codegen/driver_releases_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/error.hpp"
#include "codegen/model/drivers.hpp"
#include "codegen/model/registry.hpp"

namespace nvmlab::codegen {

struct DriverRelease {
  std::string from;     // first release of the row
  std::string release;  // what the branch's number alone means; empty: no driver of the row is known
  std::string cuda;     // "12.2"
  std::string header;   // empty: older than any known header
  std::string symbols;  // the measured driver; empty: not measured
  std::string like;     // the measured driver whose names it is taken to have; empty: see exports_of()
  std::string library;  // folder of its export set; empty: none, as no driver of the row is known
  std::string source;   // where release and CUDA release stand together, in words
  unsigned table_words = 0;
  bool prefixed_names = false;
  std::vector<unsigned> field_ids;  // known beyond those of its header
  unsigned nvlink_links = 0;        // 0: as its header says
  // Fields that drivers from this row on refuse as deprecated: "power.state".
  std::vector<std::string> deprecates;
  std::vector<std::string> has;  // functions that captures show it to have, sorted
};

// Presence and the like are kept as one bit for each row.
inline constexpr std::size_t kMostDriverReleases = 64;

Result<std::vector<DriverRelease>> parse_driver_releases(std::string_view text, const std::string& name,
                                                         const Registry& registry, const Drivers& drivers);
Result<std::vector<DriverRelease>> load_driver_releases(const std::filesystem::path& path, const Registry& registry,
                                                        const Drivers& drivers);

// The names that the driver of a row exports, sorted. Measured where a real driver was; else the functions of its
// header, or of the driver that it is taken to be like, and what the nearest measured drivers on both sides export
// without any header saying so.
std::vector<std::string> exports_of(const std::vector<DriverRelease>& releases, std::size_t row,
                                    const Registry& registry, const Drivers& drivers);

}  // namespace nvmlab::codegen
