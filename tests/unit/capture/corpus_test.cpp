// SPDX-License-Identifier: Apache-2.0
//
// Logs inside larger files, and every capture that lies beside this checkout.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "import/capture/capture.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::capture {
namespace {

constexpr std::string_view corpus = R"(################################################################################
# idle :: query (-q)
# $ nvidia-smi -q
################################################################################

==============NVSMI LOG==============

Attached GPUs : 1
GPU 00000000:01:00.0
    Product Name : idle one


################################################################################
# load :: query (-q)
# $ nvidia-smi -q
################################################################################

==============NVSMI LOG==============

Attached GPUs : 1
GPU 00000000:01:00.0
    Product Name : busy one
+-----+ not part of it : no
    Nor Is This : no
##### xml
<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v11.dtd">
<nvidia_smi_log>
  <attached_gpus>3</attached_gpus>
</nvidia_smi_log>
the end
)";

TEST(CaptureCorpus, FindsEveryLog) {
  const auto captures = read_captures(corpus, "corpus.txt");
  ASSERT_TRUE(captures) << captures.error().text();
  ASSERT_EQ(captures->size(), 3U);
  EXPECT_EQ((*captures)[0].section, "idle :: query (-q)");
  EXPECT_EQ((*captures)[0].find(0, "Product Name")->value, "idle one");
  EXPECT_EQ((*captures)[0].find(0, "Product Name")->line, 10U);
  EXPECT_EQ((*captures)[1].section, "load :: query (-q)");
  EXPECT_EQ((*captures)[1].find(0, "Product Name")->value, "busy one");
  EXPECT_EQ((*captures)[2].section, "xml");
  EXPECT_EQ((*captures)[2].dtd, "v11");
  EXPECT_EQ((*captures)[2].find(node, "attached_gpus")->value, "3");
  EXPECT_EQ((*captures)[2].find(node, "attached_gpus")->line, 29U);
}

TEST(CaptureCorpus, TheFirstLogIsTheCapture) {
  const auto capture = read_capture(corpus, "corpus.txt");
  ASSERT_TRUE(capture);
  EXPECT_EQ(capture->section, "idle :: query (-q)");
}

TEST(CaptureCorpus, ALogEndsWhereOtherOutputBegins) {
  const auto captures = read_captures(corpus, "corpus.txt");
  ASSERT_TRUE(captures);
  for (const auto& leaf : (*captures)[1].leaves)
    EXPECT_NE(leaf.value, "no") << leaf.path;
}

// Every nvidia-smi output of the folder is read; each GPU has leaves and no path occurs twice in it.
TEST(CaptureCorpus, ReadsEveryCaptureAtHand) {
  NVMLAB_REQUIRE_CAPTURES(folder);
  std::size_t read = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const auto bytes = entry.is_regular_file() ? test::read_file(entry.path()) : std::nullopt;
    if (!bytes) continue;
    const auto name = std::filesystem::relative(entry.path(), folder).string();
    const auto captures = read_captures(*bytes, name);
    const bool is_log =
        bytes->find("nvidia_smi_log") != std::string::npos || bytes->find("NVSMI LOG") != std::string::npos;
    EXPECT_EQ(captures.has_value(), is_log) << name << (captures ? "" : ": " + captures.error().text());
    if (!captures) continue;
    ++read;
    for (const auto& capture : *captures) {
      EXPECT_FALSE(capture.gpus.empty()) << name;
      std::set<std::pair<int, std::string>> seen;
      std::set<int> gpus;
      for (const auto& leaf : capture.leaves) {
        EXPECT_TRUE(seen.insert({leaf.gpu, leaf.path}).second) << name << ":" << leaf.line << ": twice: " << leaf.path;
        gpus.insert(leaf.gpu);
      }
      EXPECT_EQ(gpus.size(), capture.gpus.size() + 1) << name;  // and the node
    }
  }
  EXPECT_GE(read, 20U) << "the folder of captures is not what it was";
}

}  // namespace
}  // namespace nvmlab::capture
