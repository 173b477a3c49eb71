// SPDX-License-Identifier: Apache-2.0
//
// Cells of the table that nvidia-smi prints without arguments. Each cell becomes a value or an error code, or a note
// lists it. Tests: tests/unit/import/table_test.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "import/formats/section_reader.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {

// The table rounds values, so it only counts for fields that no other input has.
bool is_known(SectionReader& reader, std::size_t gpu, std::string_view field);

// Lists a cell that is not understood, once.
void note_cell(SectionReader& reader, std::string_view printed, std::size_t line);

void observe_cell(SectionReader& reader, std::size_t gpu, const Rule& rule, std::string_view printed, std::size_t line);

// A word of the table and the label of the field.
struct TableWord {
  std::string_view printed;
  std::string_view label;
};
void observe_word(SectionReader& reader, std::size_t gpu, std::string_view field, std::span<const TableWord> words,
                  std::string_view printed, std::size_t line);

}  // namespace nvmlab::importer
