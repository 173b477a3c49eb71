// SPDX-License-Identifier: Apache-2.0
//
// Bytes from strangers: whatever comes, an answer comes back, soon, and an error names file and line.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include <fmt/format.h>

#include "import/capture/capture.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::capture {
namespace {

std::string error_of(std::string_view bytes) {
  const auto capture = read_capture(bytes, "bad");
  return capture ? "(no error)" : capture.error().text();
}

TEST(CaptureHostile, EmptyInput) {
  EXPECT_TRUE(error_of("").starts_with("bad:1:1: the file is empty; expected")) << error_of("");
  EXPECT_TRUE(error_of(" \n\t\n").starts_with("bad:1:1: the file is empty")) << error_of(" \n");
}

TEST(CaptureHostile, SomethingElse) {
  EXPECT_NE(error_of("hello\nworld\n").find("found 'hello'"), std::string::npos);
  EXPECT_NE(error_of("<?xml version=\"1.0\"?><topology><x/></topology>").find("root element 'topology'"),
            std::string::npos);
  EXPECT_NE(error_of(std::string{"\x7f"
                                 "ELF\0\0\0",
                                 7})
                .find("binary"),
            std::string::npos);
  EXPECT_NE(error_of("<").find("expected"), std::string::npos);
  EXPECT_EQ(error_of("\x1b[31mred\n").find('\x1b'), std::string::npos)
      << "control characters must not reach a terminal";
}

TEST(CaptureHostile, EveryPrefixOfAnXmlLogIsRefused) {
  const std::string whole =
      "<?xml version=\"1.0\" ?>\n<nvidia_smi_log>\n<gpu id=\"1\">\n<a b='c'>&lt;1&gt;</a>\n</gpu>\n</nvidia_smi_log>";
  ASSERT_TRUE(read_capture(whole, "whole"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto capture = read_capture(std::string_view{whole}.substr(0, size), "bad");
    ASSERT_FALSE(capture) << size;
    EXPECT_TRUE(capture.error().text().starts_with("bad:")) << capture.error().text();
  }
}

TEST(CaptureHostile, DeepNesting) {
  constexpr int depth = 100'000;
  std::string xml = "<nvidia_smi_log>";
  for (int i = 0; i < depth; ++i)
    xml += "<a>";
  for (int i = 0; i < depth; ++i)
    xml += "</a>";
  xml += "</nvidia_smi_log>";
  EXPECT_NE(error_of(xml).find("nested deeper"), std::string::npos) << error_of(xml);

  std::string text = "==============NVSMI LOG==============\n";
  for (std::size_t i = 1; i < 1000; ++i)
    text += std::string(i, ' ') + "deeper\n";
  EXPECT_NE(error_of(text).find("nested deeper"), std::string::npos) << error_of(text);
  EXPECT_TRUE(error_of(text).starts_with("bad:66:")) << error_of(text);
}

TEST(CaptureHostile, EntitiesAreNotExpanded) {
  const auto capture = read_capture(
      "<!DOCTYPE nvidia_smi_log [<!ENTITY a \"aaaa\"><!ENTITY b SYSTEM \"file:///etc/passwd\">]>"
      "<nvidia_smi_log><x>&a;&b;</x></nvidia_smi_log>",
      "bad");
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->find(node, "x")->value, "&a;&b;");
}

TEST(CaptureHostile, TooLarge) {
  const std::string huge(max_bytes + 1, ' ');
  EXPECT_NE(error_of(huge).find("at most"), std::string::npos);
}

TEST(CaptureHostile, ManyTags) {
  std::string xml = "<nvidia_smi_log>";
  for (std::size_t i = 0; i <= max_items; ++i)
    xml += "<a/>";
  xml += "</nvidia_smi_log>";
  EXPECT_NE(error_of(xml).find("more than"), std::string::npos) << error_of(xml).substr(0, 200);
}

TEST(CaptureHostile, ALargeHonestLogIsRead) {
  std::string xml = "<nvidia_smi_log>\n";
  for (int gpu = 0; gpu < 1024; ++gpu) {
    xml += fmt::format("<gpu id=\"{:08X}:00:00.0\">\n", gpu);
    for (int leaf = 0; leaf < 100; ++leaf)
      xml += fmt::format("<leaf_{}>{}</leaf_{}>\n", leaf, leaf * gpu, leaf);
    xml += "</gpu>\n";
  }
  xml += "</nvidia_smi_log>\n";
  const auto capture = read_capture(xml, "large.xml");
  ASSERT_TRUE(capture) << capture.error().text();
  EXPECT_EQ(capture->gpus.size(), 1024U);
  EXPECT_EQ(capture->leaves.size(), 1024U * 101U);
  EXPECT_EQ(capture->leaves.back().value, "101277");
}

// Many marks and no end: each search must go on from where the last one ended.
TEST(CaptureHostile, ManyUnfinishedLogs) {
  std::string marks;
  for (int i = 0; i < 200'000; ++i)
    marks += "<nvidia_smi_log";
  EXPECT_NE(error_of(marks), "(no error)");
  std::string titles;
  for (int i = 0; i < 20'000; ++i)
    titles += "==============NVSMI LOG==============\n";
  EXPECT_NE(error_of(titles), "(no error)");
}

// Damaged copies of real captures: flipped, cut, doubled. Only the answer's form can be checked, and that there is one.
TEST(CaptureHostile, DamagedCaptures) {
  NVMLAB_REQUIRE_CAPTURES(folder);
  std::mt19937 random{20260101};  // NOLINT(cert-msc51-cpp): the same damage in every run
  for (const auto* file : {"NVIDIA+k8s-test-infra/qx-t4.xml", "thamada+nvidia-smi/L4_smi.txt"}) {
    const auto original = test::read_file(folder / file);
    ASSERT_TRUE(original) << file;
    for (int round = 0; round < 300; ++round) {
      auto bytes = *original;
      const auto place = [&] { return std::uniform_int_distribution<std::size_t>{0, bytes.size() - 1}(random); };
      for (int i = 0; i < 8; ++i)
        bytes[place()] = static_cast<char>(random());
      if (round % 3 == 0) bytes.resize(place() + 1);
      if (round % 3 == 1) bytes.insert(place(), bytes.substr(place()));
      const auto capture = read_capture(bytes, "damaged");
      if (!capture) {
        EXPECT_TRUE(capture.error().text().starts_with("damaged:"));
        EXPECT_LE(capture.error().line, 2 * 420U);
      }
    }
  }
}

}  // namespace
}  // namespace nvmlab::capture
