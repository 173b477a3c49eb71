// SPDX-License-Identifier: Apache-2.0
//
// What nvidia-smi prints as CSV: its columns by the names of `nvidia-smi -q`, and lines cut into cells. Internal to the
// importer. Tests: tests/unit/import/session_test.cpp.
#pragma once

#include <string_view>
#include <vector>

namespace nvmlab::importer {

struct CsvColumn {
  std::string_view name;
  std::string_view path;  // of the text log; empty where no log shows it so
  bool of_node = false;
};

// Null for a column that is not known.
const CsvColumn* find_csv_column(std::string_view name);

// "power.draw [W]" is power.draw.
std::string_view csv_column_name(std::string_view printed);
// Names of products and chassis hold no comma; nvidia-smi quotes nothing.
std::vector<std::string_view> csv_cells(std::string_view line);

}  // namespace nvmlab::importer
