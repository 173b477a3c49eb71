// SPDX-License-Identifier: Apache-2.0
//
// Inputs that are one thing as a whole, known by their first bytes or lines. The table is asked in its order, before a
// file is taken for text that holds the outputs of commands. Tests: tests/unit/import/kinds_test.cpp.
#pragma once

#include <expected>
#include <string_view>

#include "import/evidence/evidence.hpp"
#include "import/importer.hpp"

namespace nvmlab::importer {

struct Kind {
  std::string_view what;
  bool (*is)(std::string_view bytes);
  std::expected<void, Complaints> (*read)(Evidence&, const Input&, const Options&);
};

// The kind of a whole file; null for text that commands printed.
const Kind* kind_of(std::string_view bytes);

// A configuration of NVIDIA's Mock NVML (read_mock.cpp).
bool is_mock_config(std::string_view bytes);
std::expected<void, Complaints> read_mock_config(Evidence& evidence, const Input& input, const Options& options);

}  // namespace nvmlab::importer
