// SPDX-License-Identifier: Apache-2.0
#include "import/smi/table_cells.hpp"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "base/nearest.hpp"

namespace nvmlab::importer {

bool is_known(SectionReader& reader, std::size_t gpu, std::string_view field) {
  return reader.evidence().gpus[gpu].find(field) != nullptr;
}

void note_cell(SectionReader& reader, std::string_view printed, std::size_t line) {
  reader.evidence().note(
      fmt::format("{}:{}: {} is not understood; it is left out", reader.file(), line, in_quotes(printed)));
}

void observe_cell(SectionReader& reader, std::size_t gpu, const Rule& rule, std::string_view printed,
                  std::size_t line) {
  if (is_known(reader, gpu, rule.field)) return;
  const auto read = read_printed(rule, printed, {});
  if (read.kind == Reading::Kind::value || read.kind == Reading::Kind::error) {
    reader.observe(gpu, rule.field, read.literal, line);
  } else {
    note_cell(reader, printed, line);
  }
}

void observe_word(SectionReader& reader, std::size_t gpu, std::string_view field, std::span<const TableWord> words,
                  std::string_view printed, std::size_t line) {
  if (is_known(reader, gpu, field)) return;
  const auto word = std::ranges::find(words, printed, &TableWord::printed);
  if (word != words.end()) {
    reader.observe(gpu, field, compiler::Label{std::string(word->label)}, line);
  } else if (const auto code = error_name_of(printed); !code.empty()) {
    reader.observe(gpu, field, error_code(code), line);
  } else {
    note_cell(reader, printed, line);
  }
}

}  // namespace nvmlab::importer
