// SPDX-License-Identifier: Apache-2.0
// The table of a library's exports, from which CMake writes the version script of each release
// (cmake/NvmlabExports.cmake): one line for each function, with one digit for each release. Tests:
// tests/unit/codegen/export_table_test.cpp, tests/drivers/releases/.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace nvmlab::codegen {

class ExportTable {
 public:
  // `source` names the files that the table is made from, `releases` the folders of the libraries, oldest first.
  ExportTable(const std::string& source, std::vector<std::string> releases);

  // Adds a function; `has` is called with the place of each release.
  void add(const std::string& function, const std::function<bool(std::size_t)>& has);

  const std::string& text() const { return text_; }

 private:
  std::vector<std::string> releases_;
  std::string text_;
};

}  // namespace nvmlab::codegen
