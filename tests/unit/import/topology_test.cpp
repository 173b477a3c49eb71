// SPDX-License-Identifier: Apache-2.0
//
// nvidia-smi topo -m and topologies of NCCL: where GPUs sit, and what links them.
#include <gtest/gtest.h>

#include "tests/unit/import/samples.hpp"

namespace nvmlab::importer {
namespace {

const std::string kHeading = "GPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID";

TEST(TopoMatrix, PutsGpusBelowSwitchesAndHostBridges) {
  const auto text = sample::matrix(kHeading, {"GPU0 X PIX PXB SYS 0-3,64 0  N/A", "GPU1 PIX X PXB SYS 0-3,64 0  N/A",
                                              "GPU2 PXB PXB X PHB 4-7 1  2", "NIC0 SYS SYS PHB X    "});
  const auto made = imported({{"q.xml", sample::log({1, 2, 3})}, {"topo.txt", text}});
  EXPECT_EQ(value(made, 0, "topology.pcie_switch"), value(made, 1, "topology.pcie_switch"));
  EXPECT_NE(value(made, 0, "topology.pcie_switch"), value(made, 2, "topology.pcie_switch"));
  EXPECT_EQ(value(made, 0, "topology.upper_pcie_switch"), value(made, 2, "topology.upper_pcie_switch"));
  EXPECT_EQ(value(made, 0, "topology.cpu_affinity"), "[15, 1]");
  EXPECT_EQ(value(made, 0, "topology.numa_node"), "0");
  EXPECT_EQ(value(made, 2, "topology.memory_affinity"), "[2]");
  EXPECT_EQ(value(made, 2, "topology.gpu_numa_id"), "2");
  EXPECT_EQ(value(made, 0, "topology.gpu_numa_id"), "null");
  EXPECT_EQ(made.notes, std::vector<std::string>());
}

// A card that is close to two GPUs tells how far these are apart where NVLink hides it.
TEST(TopoMatrix, CardsTellWhatNvlinkHides) {
  const auto text = sample::matrix(kHeading, {"GPU0 X NV4 NV4 PIX 0-3 0  N/A", "GPU1 NV4 X NV4 PIX 0-3 0  N/A",
                                              "GPU2 NV4 NV4 X SYS 4-7 1  N/A", "NIC0 PIX PIX SYS X"});
  const auto made = imported({{"q.xml", sample::log({1, 2, 3})}, {"topo.txt", text}});
  EXPECT_EQ(value(made, 0, "topology.pcie_switch"), value(made, 1, "topology.pcie_switch"));
  EXPECT_NE(value(made, 0, "topology.root_complex"), value(made, 2, "topology.root_complex"));
}

TEST(TopoMatrix, BlanksInPlaceOfTabsAreReadToo) {
  const auto made = imported({{"q.xml", sample::log({1, 2})},
                              {"topo.txt",
                               "        GPU0    GPU1    CPU Affinity    NUMA Affinity\n"
                               "GPU0     X      PHB     0-3             0\n"
                               "GPU1    PHB      X      0-3             0\n"}});
  EXPECT_EQ(value(made, 0, "topology.root_complex"), value(made, 1, "topology.root_complex"));
  EXPECT_EQ(value(made, 1, "topology.cpu_affinity"), "[15]");
}

TEST(TopoMatrix, DamageIsToldWithItsLine) {
  const std::string heading = "GPU0\tGPU1\tCPU Affinity";
  EXPECT_EQ(refused({{"t.txt", sample::matrix(heading, {"GPU0 X PIX 0-3"})}}),
            "t.txt:2:1: the matrix is cut short: 1 of 2 GPUs have a row");
  EXPECT_EQ(refused({{"t.txt", sample::matrix(heading, {"GPU0 X"})}}), "t.txt:2:1: the row of 'GPU0' is cut short");
  EXPECT_EQ(refused({{"t.txt", sample::matrix(heading, {"GPU0 X PUX 0-3"})}}),
            "t.txt:2:1: 'PUX' is no path; X, SYS, NODE, PHB, PXB, PIX or NV and a number was expected");
  EXPECT_EQ(refused({{"t.txt", sample::matrix(heading, {"GPU0 X PIX 3-0", "GPU1 PIX X 0-3"})}}),
            "t.txt:2:1: '3-0' is no list of CPUs");
  EXPECT_NE(refused({{"t.txt", sample::matrix(heading, {"GPU0 X PIX 0-99999999999", "GPU1 PIX X 0"})}}), "");
}

TEST(Links, HaveTheSpeedsOfNvidiaSmiAndTheEndsOfTheMatrix) {
  const std::string status = sample::listed(0) +
                             "\t Link 0: 26.562 GB/s\n\t Link 1: 26.562 GB/s\n\t Link 2: <inactive>\n" +
                             sample::listed(1) + "\t Link 0: 26.562 GB/s\n\t Link 1: 26.562 GB/s\n";
  const auto text = sample::matrix("GPU0\tGPU1\tCPU Affinity", {"GPU0 X NV2 0-3", "GPU1 NV2 X 0-3"});
  const auto made = imported({{"q.xml", sample::log({1, 2})}, {"links.txt", status}, {"topo.txt", text}});
  EXPECT_EQ(value(made, 0, "nvlink.links[0].speed_mbps"), "26562");
  EXPECT_EQ(value(made, 0, "nvlink.links[1].remote_type"), "gpu");
  EXPECT_EQ(value(made, 0, "nvlink.links[1].remote_bus"), "2");
  EXPECT_EQ(value(made, 0, "nvlink.links[2].active"), "inactive");
  EXPECT_EQ(value(made, 1, "nvlink.links[1].remote_bus"), "1");
  EXPECT_EQ(value(made, 0, "nvlink.links[0].version"), "6") << "Hopper";
}

TEST(Links, AllToAllGoesThroughSwitches) {
  std::string status;
  for (int i = 0; i < 3; ++i)
    status += sample::listed(i) + " Link 0: 25 GB/s\n Link 1: 25 GB/s\n Link 2: 25 GB/s\n";
  const auto text =
      sample::matrix("GPU0\tGPU1\tGPU2\tCPU Affinity", {"GPU0 X NV3 NV3 0", "GPU1 NV3 X NV3 0", "GPU2 NV3 NV3 X 0"});
  const auto made = imported({{"q.xml", sample::log({1, 2, 3})}, {"links.txt", status}, {"topo.txt", text}});
  EXPECT_EQ(value(made, 2, "nvlink.links[2].remote_type"), "switch");
}

// One GPU that the fabric lacks.
TEST(Links, AGpuCanBeWithoutThoseOfTheOthers) {
  const auto text = sample::matrix(
      "GPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity",
      {"GPU0 X NV18 SYS NV18 0", "GPU1 NV18 X SYS NV18 0", "GPU2 SYS SYS X SYS 0", "GPU3 NV18 NV18 SYS X 0"});
  const auto made = imported({{"q.xml", sample::log({1, 2, 3, 4})}, {"topo.txt", text}});
  EXPECT_EQ(value(made, 0, "nvlink.links[17].remote_type"), "switch");
  EXPECT_EQ(value(made, 2, "nvlink.links"), "[]");
  EXPECT_EQ(value(made, 3, "nvlink.links[17].active"), "active");
}

TEST(Links, CapabilitiesAndAbsenceAreTaken) {
  const std::string status = sample::listed(0) + " Link 0: 25 GB/s\n" + sample::listed(0) +
                             "\t Link 0, P2P is supported: true\n\t Link 0, SLI is supported: false\n"
                             "\t Link 0, Link is supported: true\n" +
                             sample::listed(1) + "Device does not have or support Nvlink\n";
  const auto made = imported({{"q.xml", sample::log({1, 2})}, {"links.txt", status}});
  EXPECT_EQ(value(made, 0, "nvlink.links[0].capabilities"), "33");
  EXPECT_EQ(value(made, 1, "nvlink.links"), "[]");
}

TEST(Links, DamageIsToldWithItsLine) {
  EXPECT_EQ(refused({{"l.txt", sample::listed(0) + " Link 0: 2x GB/s\n"}}),
            "l.txt:2:1: '2x GB/s' is no speed of a link; '25 GB/s' was expected");
  EXPECT_EQ(refused({{"l.txt", sample::listed(0) + " Link 77: 25 GB/s\n"}}).substr(0, 8), "l.txt:2:");
  EXPECT_EQ(refused({{"l.txt", sample::listed(0) + " Link 1\n"}}).substr(0, 8), "l.txt:2:");
  std::string many = sample::listed(0);
  for (int i = 0; i < 30; ++i)
    many += " Link " + std::to_string(i) + ": 25 GB/s\n";
  EXPECT_NE(refused({{"l.txt", many}}).find("has 30 links"), std::string::npos);
}

constexpr const char* kNccl =
    "<system version=\"1\">\n"
    "  <cpu numaid=\"1\" affinity=\"0000000f,f0000000\" arch=\"x86_64\">\n"
    "    <pci busid=\"ffff:ff:01.0\" class=\"0x060400\">\n"
    "      <pci busid=\"ffff:ff:02.0\" class=\"0x060400\">\n"
    "        <pci busid=\"0000:01:00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x2330\" "
    "link_speed=\"32.0 GT/s PCIe\" link_width=\"16\">\n"
    "          <gpu dev=\"0\" sm=\"90\" rank=\"0\">\n"
    "            <nvlink target=\"0000:02:00.0\" count=\"4\" tclass=\"0x030200\"/>\n"
    "          </gpu>\n"
    "        </pci>\n"
    "      </pci>\n"
    "      <pci busid=\"0000:02:00.0\" class=\"0x030200\" link_speed=\"16 GT/s\" link_width=\"8\"/>\n"
    "      <pci busid=\"0000:03:00.0\" class=\"0x020000\"/>\n"
    "    </pci>\n"
    "  </cpu>\n"
    "</system>\n";

TEST(Nccl, TellsTheTreeOfPciAndTheLinks) {
  const auto made = imported({{"topo.xml", kNccl}});
  EXPECT_EQ(made.summary.substr(0, 6), "2 GPUs");
  EXPECT_EQ(value(made, 0, "pci.device_id"), "590352606");
  EXPECT_EQ(value(made, 0, "pci.link_gen_max"), "5");
  EXPECT_EQ(value(made, 1, "pci.link_width_max"), "8");
  EXPECT_EQ(value(made, 0, "topology.numa_node"), "1");
  EXPECT_EQ(value(made, 0, "topology.memory_affinity"), "[2]");
  EXPECT_EQ(value(made, 0, "topology.cpu_affinity"), "[68451041280]");
  EXPECT_NE(value(made, 0, "topology.pcie_switch"), value(made, 1, "topology.pcie_switch"));
  EXPECT_EQ(value(made, 0, "topology.upper_pcie_switch"), value(made, 1, "topology.upper_pcie_switch"));
  EXPECT_EQ(value(made, 0, "identity.compute_capability_major"), "9");
  EXPECT_EQ(value(made, 0, "nvlink.links[3].remote_bus"), "2");
}

TEST(Nccl, AContradictionInTheNumberOfLinksIsTold) {
  const auto made = imported({{"q.xml", sample::log({1, 2})},
                              {"links.txt", sample::listed(0) + " Link 0: 25 GB/s\n Link 1: 25 GB/s\n"},
                              {"topo.xml", kNccl}});
  ASSERT_EQ(made.notes.size(), 1U);
  EXPECT_EQ(made.notes[0],
            "nvlink.links of GPU 0: links.txt:2 says 2 active links, but topo.xml:7 says 4; the first one stands");
}

TEST(Nccl, DamageIsToldWithItsLine) {
  const std::string whole = kNccl;
  EXPECT_EQ(refused({{"t.xml", whole.substr(0, whole.find("</cpu>"))}}).substr(0, 6), "t.xml:");
  auto broken = whole;
  broken.replace(broken.find("0000:02:00.0\" class"), 12, "0000:zz:00.0");
  EXPECT_EQ(refused({{"t.xml", broken}}), "t.xml:11:1: busid '0000:zz:00.0' is no PCI address");
  broken = whole;
  broken.replace(broken.find("count=\"4\""), 9, "count=\"4000\"");
  EXPECT_EQ(refused({{"t.xml", broken}}).substr(0, 8), "t.xml:7:");
  EXPECT_EQ(refused({{"t.xml", "<system version=\"1\">\n</system>\n"}}), "t.xml:1:1: the topology holds no GPU");
  std::string deep = "<system>\n";
  for (int i = 0; i < 200; ++i)
    deep += "<pci>";
  EXPECT_EQ(refused({{"t.xml", deep + "</system>\n"}}).substr(0, 6), "t.xml:");
}

}  // namespace
}  // namespace nvmlab::importer
