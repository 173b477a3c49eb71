// SPDX-License-Identifier: Apache-2.0
// What each function's answers were held against, for the coverage page: tables that tools of ours have measured, in
// tests/drivers/oracle/. Covered by tests/unit/codegen/oracles_test.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

struct Oracle {
  std::string no_driver;  // drivers whose real library was asked without a GPU: "450 to 555"
  std::string clients;    // real programs that call it: "nvidia-smi 470 535, nvtop"

  std::string text() const;
};

Result<std::map<std::string, Oracle>> load_oracles(const std::filesystem::path& folder);

// Real programs that the tests run, each release by itself ("nvidia-smi-535"), and how many functions it calls.
Result<std::map<std::string, std::size_t>> load_tested_clients(const std::filesystem::path& folder);

}  // namespace nvmlab::codegen
