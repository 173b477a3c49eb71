// SPDX-License-Identifier: Apache-2.0
//
// The table: what nvidia-smi prints and which field of the state it shows. A row names the element in the XML and the
// key in the text; several rows may read one element, and one field may have several rows, because names changed with
// the DTD versions. What does not map one to one (lists, memory, the chip) is worked out in composites.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compiler/literal.hpp"

namespace nvmlab::importer {

enum class PrintedForm : unsigned char {
  text,       // as it is
  word,       // one of the field's labels: "Pass-Through" is passthrough
  number,     // a number, with `unit` behind it and times `factor`
  hex,        // hexadecimal digits, with or without 0x
  bytes,      // bytes in hexadecimal, filled up with zeros in front
  moment,     // 2026/08/20 23:33:00.497 as microseconds since 1970
  version,    // 13.0 as 13000
  release,    // of a driver: 610.47
  bit,        // "Active": this bit of the field is set
  known_bit,  // anything but N/A: this bit of the field is set
  health,     // two bits at `factor`: 1 for what is wrong, 2 for what is right
  some,       // a number: the field says "yes" (it is supported); N/A: it is not
};

struct Rule {
  std::string_view xml;
  std::string_view text;
  std::string_view field;
  PrintedForm shape = PrintedForm::text;
  std::string_view unit = {};
  std::uint64_t factor = 1;  // of a number; the bit of a bit
};

std::span<const Rule> board_rules();    // what the board is and where it sits
std::span<const Rule> reading_rules();  // what it measures and how it is set
std::span<const Rule> error_rules();    // error counters and pages

// Whether people write the field in hexadecimal: identifiers of PCI, masks.
bool in_hexadecimal(std::string_view field);

// What a row says of a printed text.
struct Reading {
  enum class Kind : unsigned char { value, error, unknown, wrong, said_elsewhere } kind = Kind::unknown;
  compiler::Literal literal = {};  // the value, or the error code

  // The number of a value that is not negative.
  std::optional<std::uint64_t> number() const;
};

// The return code whose text nvidia-smi printed ("N/A", "[GPU is lost]", ...): "NOT_SUPPORTED"; empty when it is a
// value.
std::string_view error_name_of(std::string_view printed);

// `printed` of everything but bit, known_bit, health and some. `labels` are those of the field.
Reading read_printed(const Rule& rule, std::string_view printed, std::span<const std::string> labels);
// A number with its unit, times `factor`; none where it is negative or something else is printed.
std::optional<std::uint64_t> read_number(std::string_view printed, std::string_view unit, std::uint64_t factor = 1);

}  // namespace nvmlab::importer
