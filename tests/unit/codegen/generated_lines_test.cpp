// SPDX-License-Identifier: Apache-2.0
// Generated code is read too: no line of it is wider than a window.
#include <gtest/gtest.h>

#include <fstream>

#include "codegen/columns.hpp"
#include "codegen/io/output.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

namespace fs = std::filesystem;

// A row of a Markdown or TSV table is one line, however wide, and so is a text of JSON: they know no other.
bool may_be_wide(const fs::path& file, std::string_view line) {
  if (file.extension() == ".json") return line.find('"') != std::string_view::npos;
  if (file.extension() == ".tsv") return line.find('\t') != std::string_view::npos;
  return file.extension() == ".md" && (line.starts_with('|') || line.starts_with("<!--"));
}

TEST(GeneratedLines, AreNotWide) {
  std::size_t seen = 0;
  const fs::path root = test::source_folder();
  for (fs::recursive_directory_iterator at(root), end; at != end; ++at) {
    const fs::path& path = at->path();
    if (at->is_directory() && (path == root / "build" || path.filename().string().starts_with('.'))) {
      at.disable_recursion_pending();
    } else if (path.parent_path().filename() == "generated" && at->is_regular_file()) {
      ++seen;
      std::ifstream file(path);
      std::size_t number = 0;
      for (std::string line; std::getline(file, line);) {
        ++number;
        EXPECT_TRUE(line.size() <= kColumns || may_be_wide(path, line)) << path.string() << ":" << number;
      }
    }
  }
  EXPECT_GT(seen, 100U);
}

}  // namespace
}  // namespace nvmlab::codegen
