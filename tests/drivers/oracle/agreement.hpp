// SPDX-License-Identifier: Apache-2.0
//
// How far our library without a driver answers as real ones do, counted call by call. Only what a real library defines
// counts: where it ends the process there is nothing to agree with.
#pragma once

#include <expected>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/drivers/oracle/table.hpp"
#include "tests/support/clients.hpp"

namespace nvmlab::oracle {

// Fetched libraries, oldest first.
std::vector<test::Client> real_libraries();

// This build's library that exports what that driver does, on a machine without a driver.
std::expected<Observations, std::string> observe_ours(const std::string& driver);

struct Agreement {
  unsigned calls = 0;
  unsigned defined = 0;
  unsigned agreed = 0;
  std::vector<std::string> differences;  // a sentence each
  auto operator<=>(const Agreement&) const = default;
};

// By function; nvmlErrorString is one of them. What only one of the two exports is a difference too.
using Agreements = std::map<std::string, Agreement>;
Agreements compare(const DriverFacts& real, const Observations& ours);
Agreement total(const Agreements& agreements);

std::filesystem::path report_file();
// The page: tables of real drivers and what ours answered as each of them.
std::string report(const Table& table, const std::map<std::string, Observations>& ours);

}  // namespace nvmlab::oracle
