// SPDX-License-Identifier: Apache-2.0
//
// no-driver-oracle: keeps what real libraries answer without a driver, and says how far ours agrees.
//
//   no-driver-oracle record        asks every library under build/clients/libnvidia-ml-* and writes the tables here
//   no-driver-oracle report        asks ours and writes docs/reference/no-driver.md
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

#include "tests/drivers/oracle/agreement.hpp"
#include "tests/support/files.hpp"

namespace {

namespace fs = std::filesystem;
using namespace nvmlab;

int complain(const std::string& what) {
  fmt::print(stderr, "no-driver-oracle: {}\n", what);
  return 1;
}

int write(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) return complain(file.string() + " cannot be written");
  fmt::print("{}\n", file.string());
  return 0;
}

int record() {
  if (const auto why = oracle::why_not_here(); !why.empty()) return complain(why);
  oracle::Table table;
  for (const auto& library : oracle::real_libraries()) {
    const auto found = oracle::observe(library.program);
    if (!found) return complain(found.error());
    table[library.version] = oracle::compressed(*found);
    fmt::print("{}: {} functions\n", library.version, found->calls.size());
  }
  if (table.empty()) return complain("no library is there: `scripts/fetch-clients libnvidia-ml-550` gets one");
  const fs::path folder = test::source_folder() / "tests/drivers/oracle";
  const int code = write(folder / "no_driver.tsv", oracle::calls_text(table));
  return code != 0 ? code : write(folder / "error_strings.tsv", oracle::error_strings_text(table));
}

int report() {
  const auto table = oracle::read_table(test::source_folder() / "tests/drivers/oracle");
  if (!table) return complain(table.error());
  std::map<std::string, oracle::Observations> ours;
  for (const auto& [version, facts] : *table) {
    auto found = oracle::observe_ours(version);
    if (!found) return complain(found.error());
    ours[version] = std::move(*found);
  }
  return write(oracle::report_file(), oracle::report(*table, ours));
}

}  // namespace

int main(int count, char** words) {
  const std::string_view what = count == 2 ? words[1] : "";
  // As ctest sets them.
  ::setenv("NVMLAB_SOURCE_DIR", test::source_folder().c_str(), 0);
  ::setenv("NVMLAB_BINARY_DIR", test::binary_folder().c_str(), 0);
  if (what == "record") return record();
  if (what == "report") return report();
  fmt::print(stderr, "usage: no-driver-oracle record | report\n");
  return 2;
}
