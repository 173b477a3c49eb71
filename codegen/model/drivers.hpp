// SPDX-License-Identifier: Apache-2.0
// model/facts/drivers.json: which `nvml*` symbols the libraries of real drivers export. Facts of ELF symbol tables, not
// of headers: neither predicts the other (docs/decisions/0003-facts-registry.md). Covered by
// tests/unit/codegen/drivers_test.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

struct Drivers {
  std::vector<std::string> versions;  // oldest first
  std::map<std::string, std::vector<std::string>, std::less<>>
      symbols;  // symbol to the drivers that export it, oldest first

  bool exports(std::string_view symbol, std::string_view driver) const;
  std::vector<std::string> symbols_of(std::string_view driver) const;
  bool operator==(const Drivers&) const = default;
};

// Adds a driver, or replaces what was known about it. An empty list of symbols is an error: a library without any is
// not NVML.
std::expected<void, Error> set_driver(Drivers& drivers, std::string_view driver,
                                      const std::vector<std::string>& symbols);

std::string to_text(const Drivers& drivers);
Result<Drivers> parse_drivers(std::string_view text, const std::string& name);
Result<Drivers> load_drivers(const std::filesystem::path& path);

}  // namespace nvmlab::codegen
