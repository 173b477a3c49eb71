// SPDX-License-Identifier: Apache-2.0
#include "compiler/texts.hpp"

#include <gtest/gtest.h>

#include "base/yaml/tree.hpp"

namespace nvmlab::compiler {
namespace {

TEST(Texts, WhatAFieldMayHold) {
  EXPECT_EQ(text_flaw(""), nullptr);
  EXPECT_EQ(text_flaw("NVIDIA H100 80GB HBM3"), nullptr);
  EXPECT_EQ(text_flaw("Gr\xC3\xB6\xC3\x9F\x65 \xE2\x82\xAC \xF0\x9F\x98\x80"), nullptr);
  EXPECT_STREQ(text_flaw(std::string_view("a\0b", 3)), "a NUL byte");
  EXPECT_STREQ(text_flaw("a\nb"), "a control character");
  EXPECT_STREQ(text_flaw("\x7f"), "a control character");
  // Truncated, overlong, surrogate, beyond Unicode, stray continuation.
  for (const char* bytes :
       {"\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF0\x80\x80\xAF", "\x80", "\xFF"}) {
    EXPECT_STREQ(text_flaw(bytes), "a byte that is not UTF-8") << bytes;
  }
}

TEST(Texts, BytesInHexadecimal) {
  auto bytes = parse_hex_bytes("00112233-4455-6677-8899-aaBBccDDeeFF", 16);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(format_hex_bytes(bytes->data(), 16), "00112233-4455-6677-8899-aabbccddeeff");
  EXPECT_EQ(format_hex_bytes(bytes->data(), 4), "00112233");
  EXPECT_TRUE(parse_hex_bytes("0x0011", 2));
  EXPECT_EQ(parse_hex_bytes("0011", 16).error(), "'0011' has 4 hexadecimal digits");
  EXPECT_EQ(parse_hex_bytes("001", 1).error(), "'001' has 3 hexadecimal digits");
  EXPECT_EQ(parse_hex_bytes("zz", 1).error(), "'zz' is not hexadecimal");
}

TEST(Texts, YamlReadsBackWhatWasWritten) {
  for (const std::string text : {"",
                                 "null",
                                 "~",
                                 "a: b",
                                 "a, b",
                                 "[x]",
                                 "- a",
                                 "#no",
                                 "a #b",
                                 "*x",
                                 "&x",
                                 "!t",
                                 "'",
                                 "\"",
                                 "\\",
                                 "a ",
                                 " a",
                                 "yes",
                                 "0x10",
                                 "{a}",
                                 "a\tb",
                                 "\x01\x1f",
                                 "Gr\xC3\xB6\xC3\x9F\x65",
                                 "NVIDIA H100 80GB HBM3",
                                 "@",
                                 "`",
                                 "%",
                                 "a:",
                                 "GPU-1234",
                                 "1.5",
                                 "=",
                                 "<<",
                                 "?",
                                 "? a",
                                 ":",
                                 "-",
                                 "---",
                                 "...",
                                 "|",
                                 ">"}) {
    auto node = yaml::parse("{k: " + yaml_scalar(text) + "}", "t");
    ASSERT_TRUE(node) << text << ": " << node.error().text();
    ASSERT_NE(node->find("k"), nullptr) << text;
    EXPECT_TRUE(node->find("k")->is_scalar()) << text;
    EXPECT_EQ(node->find("k")->scalar, text);
  }
}

}  // namespace
}  // namespace nvmlab::compiler
