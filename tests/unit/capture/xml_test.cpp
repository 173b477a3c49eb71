// SPDX-License-Identifier: Apache-2.0
//
// `nvidia-smi -q -x` to leaves: values, lines, GPUs, attributes, what is empty and what is not.
#include <gtest/gtest.h>

#include <string>

#include "import/capture/capture.hpp"

namespace nvmlab::capture {
namespace {

constexpr std::string_view two_gpus = R"(<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
	<timestamp>Fri Aug 21 10:21:36 2026</timestamp>
	<attached_gpus>2</attached_gpus>
	<gpu id="00000000:06:00.0">
		<product_name>NVIDIA A &amp; B</product_name>
		<mig_devices>
			None
		</mig_devices>
		<pci>
			<pci_bus>06</pci_bus>
		</pci>
		<processes>
		</processes>
		<serial></serial>
	</gpu>
	<gpu id="00000000:07:00.0">
		<product_name>second</product_name>
	</gpu>
</nvidia_smi_log>
)";

Capture read(std::string_view bytes) {
  auto capture = read_capture(bytes, "capture.xml");
  if (!capture) ADD_FAILURE() << capture.error().text();
  return capture.value_or(Capture{});
}

std::string value(const Capture& capture, int gpu, std::string_view path) {
  const auto* leaf = capture.find(gpu, path);
  return leaf == nullptr ? "(no such leaf)" : leaf->value;
}

TEST(CaptureXml, ReadsNodeAndGpus) {
  const auto capture = read(two_gpus);
  EXPECT_EQ(capture.format, Format::xml);
  EXPECT_EQ(capture.dtd, "v12");
  EXPECT_EQ(capture.section, "");
  EXPECT_EQ(capture.gpus, (std::vector<std::string>{"00000000:06:00.0", "00000000:07:00.0"}));
  EXPECT_EQ(value(capture, node, "timestamp"), "Fri Aug 21 10:21:36 2026");
  EXPECT_EQ(value(capture, node, "attached_gpus"), "2");
  EXPECT_EQ(value(capture, 0, "@id"), "00000000:06:00.0");
  EXPECT_EQ(value(capture, 0, "product_name"), "NVIDIA A & B");
  EXPECT_EQ(value(capture, 0, "pci/pci_bus"), "06");
  EXPECT_EQ(value(capture, 1, "product_name"), "second");
}

TEST(CaptureXml, StripsLineBreaksAroundAValue) { EXPECT_EQ(value(read(two_gpus), 0, "mig_devices"), "None"); }

TEST(CaptureXml, AnEmptyElementIsALeafAndASectionIsNot) {
  const auto capture = read(two_gpus);
  EXPECT_EQ(value(capture, 0, "processes"), "");
  EXPECT_EQ(value(capture, 0, "serial"), "");
  EXPECT_EQ(capture.find(0, "pci"), nullptr);
  EXPECT_EQ(capture.find(1, "pci/pci_bus"), nullptr);
}

TEST(CaptureXml, KnowsTheLineOfEveryLeaf) {
  const auto capture = read(two_gpus);
  ASSERT_NE(capture.find(node, "timestamp"), nullptr);
  EXPECT_EQ(capture.find(node, "timestamp")->line, 4U);
  EXPECT_EQ(capture.find(0, "@id")->line, 6U);
  EXPECT_EQ(capture.find(0, "pci/pci_bus")->line, 12U);
  EXPECT_EQ(capture.find(1, "product_name")->line, 19U);
}

TEST(CaptureXml, ReadsALogWithAnEmbeddedDtd) {
  const auto capture = read(
      "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log [\n<!ELEMENT nvidia_smi_log (timestamp, gpu*)>\n"
      "<!ELEMENT timestamp (#PCDATA)>\n]>\n<nvidia_smi_log>\n<timestamp>now</timestamp>\n</nvidia_smi_log>\n");
  EXPECT_EQ(value(capture, node, "timestamp"), "now");
  EXPECT_EQ(capture.find(node, "timestamp")->line, 7U);
}

TEST(CaptureXml, ReadsALogWithoutDoctypeOrDeclaration) {
  const auto capture = read("<nvidia_smi_log><attached_gpus>0</attached_gpus></nvidia_smi_log>");
  EXPECT_EQ(value(capture, node, "attached_gpus"), "0");
  EXPECT_EQ(capture.dtd, "");
  EXPECT_TRUE(capture.gpus.empty());
}

TEST(CaptureXml, ReadsWindowsLineEnds) {
  const auto capture = read("<nvidia_smi_log>\r\n<a>\r\n one \r\n</a>\r\n<b>2</b></nvidia_smi_log>\r\n");
  EXPECT_EQ(value(capture, node, "a"), "one");
  EXPECT_EQ(capture.find(node, "b")->line, 5U);
}

TEST(CaptureXml, DamageIsReportedWithItsPlace) {
  const auto capture =
      read_capture("<nvidia_smi_log>\n<gpu id=\"1\">\n<a>1</b>\n</gpu>\n</nvidia_smi_log>\n", "bad.xml");
  ASSERT_FALSE(capture);
  EXPECT_TRUE(capture.error().text().starts_with("bad.xml:3:")) << capture.error().text();
}

}  // namespace
}  // namespace nvmlab::capture
