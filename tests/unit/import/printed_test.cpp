// SPDX-License-Identifier: Apache-2.0
//
// Printed texts as values, and the table that leads them to fields.
#include <gtest/gtest.h>

#include <set>

#include <fmt/format.h>

#include "compiler/paths.hpp"
#include "compiler/return_codes.hpp"
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

std::string spelled(const compiler::Literal& literal, bool hexadecimal) {
  if (const auto* label = literal.get_if<compiler::Label>()) return label->name;
  if (const auto* text = literal.get_if<std::string>()) return *text;
  const auto* number = literal.get_if<compiler::Number>();
  if (number == nullptr) return "neither a number nor a text";
  return hexadecimal ? fmt::format("0x{:X}", number->magnitude)
                     : fmt::format("{}{}", number->negative ? "-" : "", number->magnitude);
}

std::string read(PrintedForm shape, std::string_view printed, std::string_view unit = {}, std::uint64_t factor = 1,
                 std::vector<std::string> words = {}) {
  const Rule rule{"", "", "", shape, unit, factor};
  const Reading reading = read_printed(rule, printed, words);
  switch (reading.kind) {
    case Reading::Kind::value:
      return spelled(reading.literal, shape == PrintedForm::hex);
    case Reading::Kind::error:
      return "answer " + compiler::return_code_name(reading.literal.get_if<compiler::ErrorCode>()->value);
    case Reading::Kind::wrong:
      return "wrong";
    default:
      return "unknown";
  }
}

TEST(Printed, NumbersLoseTheirUnitsExactly) {
  EXPECT_EQ(read(PrintedForm::number, "49.68 W", "W", 1000), "49680");
  EXPECT_EQ(read(PrintedForm::number, "693.750 mV", "mV", 1000), "693750");
  EXPECT_EQ(read(PrintedForm::number, "16x", "x"), "16");
  EXPECT_EQ(read(PrintedForm::number, "P8", "P"), "8");
  EXPECT_EQ(read(PrintedForm::number, "-8 C", "C"), "-8");
  EXPECT_EQ(read(PrintedForm::number, "2560 bank(s)", "bank(s)"), "2560");
  EXPECT_EQ(read(PrintedForm::number, "7015662857 us", "us"), "7015662857");
}

TEST(Printed, WhatStartsAsANumberMustBeOne) {
  EXPECT_EQ(read(PrintedForm::number, "12z C", "C"), "wrong");
  EXPECT_EQ(read(PrintedForm::number, "1.2.3 W", "W", 1000), "wrong");
  EXPECT_EQ(read(PrintedForm::number, "99999999999999999999999 C", "C"), "wrong");
  EXPECT_EQ(read(PrintedForm::number, "18446744073709551615 W", "W", 1000), "wrong");
  EXPECT_EQ(read(PrintedForm::number, "Not Reported", "C"), "unknown");
  EXPECT_EQ(read(PrintedForm::number, "", "C"), "unknown");
}

TEST(Printed, WordsAreThoseOfTheField) {
  EXPECT_EQ(read(PrintedForm::word, "Pass-Through", {}, 1, {"none", "passthrough"}), "passthrough");
  EXPECT_EQ(read(PrintedForm::word, "Exclusive_Process", {}, 1, {"exclusive_process"}), "exclusive_process");
  EXPECT_EQ(read(PrintedForm::word, "Ada Lovelace", {}, 1, {"ada"}), "ada");
  EXPECT_EQ(read(PrintedForm::word, "Supported", {}, 1, {"disabled", "enabled"}), "enabled");
  EXPECT_EQ(read(PrintedForm::word, "Purple", {}, 1, {"disabled", "enabled"}), "unknown");
  EXPECT_EQ(read(PrintedForm::word, "No"), "no");
}

TEST(Printed, ErrorTextsAreTheCodesThatTheyComeFrom) {
  EXPECT_EQ(error_name_of("N/A"), "NOT_SUPPORTED");
  EXPECT_EQ(error_name_of("[Not Supported]"), "NOT_SUPPORTED");
  EXPECT_EQ(error_name_of("[GPU is lost]"), "GPU_IS_LOST");
  EXPECT_EQ(error_name_of("Requested functionality has been deprecated"), "DEPRECATED");
  EXPECT_EQ(error_name_of("Insufficient Permissions"), "NO_PERMISSION");
  EXPECT_EQ(error_name_of("Unknown Error"), "UNKNOWN");
  EXPECT_EQ(error_name_of("NVIDIA H100"), "");
  EXPECT_EQ(read(PrintedForm::text, "Insufficient Permissions"), "answer NO_PERMISSION");
}

TEST(Printed, IdentifiersAndTimes) {
  EXPECT_EQ(read(PrintedForm::hex, "233010DE"), "0x233010DE");
  EXPECT_EQ(read(PrintedForm::hex, "0x1"), "0x1");
  EXPECT_EQ(read(PrintedForm::hex, "[REDACTED]"), "unknown");
  EXPECT_EQ(read(PrintedForm::bytes, "0x0000000000000002"), "00000000000000000000000000000002");
  EXPECT_EQ(read(PrintedForm::version, "12.4"), "12040");
  EXPECT_EQ(read(PrintedForm::version, "13.0"), "13000");
  EXPECT_EQ(read(PrintedForm::moment, "1970/01/02 00:00:00.500"), "86400500000");
  EXPECT_EQ(read(PrintedForm::moment, "2026/02/30 00:00:00.000"), "wrong");
}

TEST(Table, EveryFieldIsOneOfTheVocabulary) {
  for (const auto rules : {board_rules(), reading_rules(), error_rules()}) {
    for (const Rule& rule : rules) {
      const auto field = compiler::find_field(rule.field);
      EXPECT_TRUE(field) << rule.field << ": " << field.error();
      EXPECT_FALSE(rule.xml.empty() && rule.text.empty()) << rule.field;
    }
  }
}

TEST(Table, NoRowStandsTwice) {
  std::set<std::tuple<std::string_view, std::string_view, std::string_view>> seen;
  for (const auto rules : {board_rules(), reading_rules(), error_rules()}) {
    for (const Rule& rule : rules)
      EXPECT_TRUE(seen.insert({rule.xml, rule.text, rule.field}).second) << rule.xml << " " << rule.field;
  }
}

}  // namespace
}  // namespace nvmlab::importer
