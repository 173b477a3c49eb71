// SPDX-License-Identifier: Apache-2.0
//
// The answers of real libraries without a driver as facts that are kept: tests/drivers/oracle/no_driver.tsv and
// error_strings.tsv, written by `no-driver-oracle record`. A row stands for many calls: `*` is every lifecycle or every
// kind of arguments that no other row of that function and driver names, and `drivers` is a range of those listed in
// the first line.
#pragma once

#include <expected>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/drivers/oracle/probe.hpp"

namespace nvmlab::oracle {

struct Row {
  std::string function;
  Situation situation;  // "*" for any
  Answer answer;
  auto operator<=>(const Row&) const = default;
};

struct DriverFacts {
  std::vector<Row> rows;
  std::map<int, std::string> error_strings;
  std::vector<std::string> not_called;

  // What the library answers there; null where it lacks the function.
  const Answer* find(const std::string& function, const Situation& situation) const;
};

using Table = std::map<std::string, DriverFacts>;  // by driver version, in their order as numbers of equal length

DriverFacts compressed(const Observations& observations);

std::string calls_text(const Table& table);
std::string error_strings_text(const Table& table);
std::expected<Table, std::string> read_table(const std::filesystem::path& folder);

}  // namespace nvmlab::oracle
