// SPDX-License-Identifier: Apache-2.0
//
// Captures as people publish them: masked, cut, excerpted, indented, of overclocked boards, of drivers older and newer
// than those that are known. What a person would understand is read, with notes.
#include <gtest/gtest.h>

#include <algorithm>

#include <fmt/format.h>

#include "compiler/compile.hpp"
#include "tests/unit/import/samples.hpp"

namespace nvmlab::importer {
namespace {

std::string notes_of(const Imported& imported) { return fmt::format("{}", fmt::join(imported.notes, "\n")); }

bool says(const Imported& imported, std::string_view words) {
  return notes_of(imported).find(words) != std::string::npos;
}

constexpr const char* kTitle = "\n==============NVSMI LOG==============\n\n";

std::string text_gpu(int bus, const std::string& uuid, const std::string& more = {}) {
  return fmt::format(
      "GPU 00000000:{:02X}:00.0\n    Product Name      : NVIDIA X100\n    GPU UUID          : {}\n{}"
      "    Processes         : None\n",
      bus, uuid, more);
}

std::string text_log(const std::string& head, const std::string& gpus) {
  return std::string(kTitle) + head + "\n" + gpus;
}

TEST(Published, Driver610NamesItsPartsApart) {
  const std::string deprecated = " [Deprecated; will be removed in a later release. Use another line instead]\n";
  const auto log = text_log("Driver Version : 610.47" + deprecated + "CUDA Version : 13.3" + deprecated +
                                "KMD Version : 610.47\nCUDA UMD Version : 13.3\n\nAttached GPUs : 1",
                            text_gpu(1, sample::uuid(0)));
  const auto made = imported({{"q.txt", log}});
  EXPECT_EQ(value(made, 0, "system.driver_version"), "610.47");
  EXPECT_EQ(value(made, 0, "system.cuda_version"), "13030");
  EXPECT_EQ(made.notes.size(), 1U) << "only that the chip is not known: " << notes_of(made);
  EXPECT_NE(made.yaml.find("driver: 610.47"), std::string::npos) << "of the source";

  const auto words = imported({{"q.txt", text_log("Driver Version : Deprecated, see KMD version\nKMD Version : 610.47",
                                                  text_gpu(1, sample::uuid(0)))}});
  EXPECT_EQ(value(words, 0, "system.driver_version"), "610.47");
  EXPECT_EQ(words.notes.size(), 1U) << notes_of(words);
}

TEST(Published, TheTableOfDriver610NamesItsPartsToo) {
  const auto made =
      imported({{"t.txt",
                 "| NVIDIA-SMI 610.47              KMD Version: 610.47         CUDA UMD Version: 13.3     |\n"
                 "|   0  NVIDIA X100                    On  |   00000000:01:00.0 Off |                    0 |\n"
                 "| N/A   33C    P8             16W /   72W |       1MiB /  23034MiB |      0%      Default |\n"}});
  EXPECT_EQ(value(made, 0, "system.driver_version"), "610.47");
  EXPECT_EQ(value(made, 0, "system.cuda_version"), "13030");
  const auto version =
      imported({{"v.txt", sample::listed(0) + "\nNVIDIA-SMI version  : 610.47\nDRIVER version  : "
                                              "Deprecated, see KMD version\nKMD version : 610.47\nCUDA UMD version : "
                                              "13.3\n"}});
  EXPECT_EQ(value(version, 0, "system.driver_version"), "610.47");
}

TEST(Published, MaskedUuidsAreDerived) {
  const std::string head = "Driver Version : 550.90.07\nAttached GPUs : 2";
  for (const char* masked : {"GPU-4965xxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "REDACTED", "[REDACTED]", "GPU-x"}) {
    const auto made = imported({{"q.txt", text_log(head, text_gpu(1, masked) + text_gpu(2, masked))},
                                {"l.txt", fmt::format("GPU 0: NVIDIA X100 (UUID: {0})\n    Link 0: 25 GB/s\n"
                                                      "GPU 1: NVIDIA X100 (UUID: {0})\n    Link 0: <inactive>\n",
                                                      masked)}});
    EXPECT_TRUE(says(made, "GPU 1: its UUID")) << masked << "\n" << notes_of(made);
    EXPECT_TRUE(value(made, 0, "identity.uuid").starts_with("GPU-"));
    EXPECT_NE(value(made, 0, "identity.uuid"), value(made, 1, "identity.uuid"));
    EXPECT_EQ(value(made, 0, "nvlink.links[0].speed_mbps"), "25000") << "GPUs are told apart by their index";
    EXPECT_EQ(value(made, 1, "nvlink.links[0].active"), "inactive");
  }
}

TEST(Published, OneTextForAllGpusNamesNone) {
  const std::string nil = "GPU-00000000-0000-0000-0000-000000000000";
  const std::string minor = "    Minor Number      : 0\n";
  const auto made = imported({{"q.txt", text_log("Driver Version : 550.90.07\nAttached GPUs : 2",
                                                 text_gpu(1, nil, minor) + text_gpu(2, nil, minor))}});
  EXPECT_TRUE(says(made, "GPUs 0, 1 have the same UUID")) << notes_of(made);
  EXPECT_NE(value(made, 0, "identity.uuid"), value(made, 1, "identity.uuid"));
  EXPECT_EQ(value(made, 1, "identity.minor_number"), "1");
  const auto alone = imported({{"q.txt", text_log("Driver Version : 550.90.07", text_gpu(1, nil))}});
  EXPECT_EQ(value(alone, 0, "identity.uuid"), nil);
}

TEST(Published, MaskedAddressesAreDerived) {
  std::string gpus = text_gpu(1, sample::uuid(0)) + text_gpu(1, sample::uuid(1));
  for (auto at = gpus.find("00000000:01:00.0"); at != std::string::npos; at = gpus.find("00000000:01:00.0"))
    gpus.replace(at, 16, "XXXXXXXX:XX:00.0");
  const auto made = imported({{"q.txt", text_log("Driver Version : 550.90.07\nAttached GPUs : 2", gpus)}});
  EXPECT_EQ(made.summary, "2 GPUs, 1 board");
  EXPECT_EQ(value(made, 1, "identity.uuid"), sample::uuid(1));
  EXPECT_NE(value(made, 0, "pci.bus"), value(made, 1, "pci.bus"));
}

std::string overclocked(const std::string& more = {}) {
  return sample::log({1},
                     "<max_clocks><graphics_clock>2115 MHz</graphics_clock></max_clocks>\n"
                     "<supported_clocks><supported_mem_clock><value>5000 MHz</value>\n"
                     "<supported_graphics_clock>2100 MHz</supported_graphics_clock></supported_mem_clock>"
                     "</supported_clocks>\n" +
                         more);
}

TEST(Published, AnOverclockedBoardIsReadWithANote) {
  const auto made = imported({{"q.xml", overclocked()}});
  EXPECT_EQ(value(made, 0, "clocks.max_graphics_mhz"), "2115");
  EXPECT_TRUE(says(made, "q.xml:9:14: clocks.max_graphics_mhz 2115 is not among the graphics clocks"))
      << notes_of(made);
  auto by_hand = made.yaml;
  const auto kind = by_hand.find("kind: capture, file: q.xml");
  ASSERT_NE(kind, std::string::npos);
  by_hand.replace(kind, 26, "kind: assumed, why: written");
  by_hand.replace(by_hand.find(", driver: 550.90.07"), 19, "");
  const auto refused = compiler::compile_text(by_hand, "m.yaml", "m");
  EXPECT_FALSE(refused) << "what somebody wrote has to fit together";
}

TEST(Published, PartsOfMemoryThatCannotBeAreLeftOut) {
  const auto made = imported({{"q.xml", sample::log({1},
                                                    "<fb_memory_usage><total>100 MiB</total><reserved>90 "
                                                    "MiB</reserved><used>20 MiB</used></fb_memory_usage>\n"
                                                    "<cc_protected_memory_usage><total>1 MiB</total><used>2 "
                                                    "MiB</used></cc_protected_memory_usage>")}});
  EXPECT_EQ(value(made, 0, "memory.total_bytes"), std::to_string(100 << 20));
  EXPECT_EQ(value(made, 0, "memory.used_bytes"), std::to_string(20 << 20));
  EXPECT_TRUE(says(made, "fb_memory_usage/reserved is 90 MiB, more than is there")) << notes_of(made);
  EXPECT_TRUE(says(made, "memory.protected_used_bytes")) << notes_of(made);
}

TEST(Published, AnOlderDriverThanAnyIsSimulatedAsTheOldest) {
  const auto made = imported({{"q.txt", text_log("Driver Version : 331.79", text_gpu(1, sample::uuid(0)))}});
  EXPECT_EQ(value(made, 0, "system.driver_version"), "331.79");
  EXPECT_TRUE(says(made, "q.txt:4:18: '331.79' is older than 340, the oldest driver that can be simulated"))
      << notes_of(made);
}

TEST(Published, WithoutADriverTheCudaVersionTellsIt) {
  const auto made = imported({{"q.txt", text_log("CUDA Version : 12.2", text_gpu(1, sample::uuid(0)))}});
  EXPECT_TRUE(value(made, 0, "system.driver_version").starts_with("535."));
  EXPECT_TRUE(says(made, "no input names the driver")) << notes_of(made);
}

TEST(Published, WithoutADriverTheFormatNarrowsItDown) {
  const std::string doctype = "<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n";
  auto log = sample::log({1});
  log.replace(log.find("<driver_version>"), log.find("<gpu ") - log.find("<driver_version>"), "");
  const auto made = imported({{"q.xml", doctype + log}});
  EXPECT_TRUE(value(made, 0, "system.driver_version").starts_with("550."));
  EXPECT_TRUE(says(made, "the format v12 is that of drivers 525 to 575")) << notes_of(made);
  EXPECT_NE(made.yaml.find("kind: derived, why: no input names the driver"), std::string::npos);
  EXPECT_NE(refused({{"q.xml", log}}).find("--driver"), std::string::npos) << "nothing narrows it down";
  EXPECT_EQ(value(imported({{"q.xml", log}}, {.driver = "470"}), 0, "system.driver_version"), "470.256.02");
  const auto stands = imported({{"q.xml", sample::log({1})}}, {.driver = "470"});
  EXPECT_EQ(value(stands, 0, "system.driver_version"), "550.90.07");
  EXPECT_TRUE(says(stands, "`nvmlab run --driver 470`")) << notes_of(stands);
}

TEST(Published, ALogThatWasCutIsRefused) {
  const std::string head = "Driver Version : 550.90.07\nAttached GPUs : ";
  const auto one = text_log(head + "10", text_gpu(1, sample::uuid(0)));
  EXPECT_EQ(refused({{"q.txt", one}}),
            "q.txt:5:17: 10 GPUs are attached, and the log holds 1: it is cut short, or `nvidia-smi -i` chose among "
            "them; --partial imports those that are there");
  const auto partial = imported({{"q.txt", one}}, {.partial = true});
  EXPECT_EQ(partial.summary, "1 GPU, 1 board");
  EXPECT_TRUE(says(partial, "10 GPUs are attached"));
  auto xml = sample::log({1});
  xml.insert(xml.find("<gpu "), "<attached_gpus>10</attached_gpus>\n");
  EXPECT_NE(refused({{"q.xml", xml}}).find("10 GPUs are attached"), std::string::npos);

  const auto two = text_log(head + "2", text_gpu(1, sample::uuid(0)) + text_gpu(2, sample::uuid(1)));
  EXPECT_EQ(refused({{"q.txt", two}}), "");
  const auto cut = two.substr(0, two.rfind("    Processes"));
  EXPECT_NE(refused({{"q.txt", cut}}).find("GPU 1 has no 'Processes' as the others do"), std::string::npos);
  EXPECT_NE(
      refused({{"q.txt", one.substr(0, one.find("    Processes")) + "    Clocks\n"}}).find("cut short after 'Clocks'"),
      std::string::npos);
}

TEST(Published, AnIndentedLogIsRead) {
  const auto log = text_log("Driver Version : 550.90.07\nAttached GPUs : 1", text_gpu(1, sample::uuid(0)));
  std::string pasted = "What it prints:\n";
  for (std::size_t at = 0; at < log.size();) {
    const auto end = log.find('\n', at);
    pasted += "    " + log.substr(at, end + 1 - at);
    at = end + 1;
  }
  const auto made = imported({{"issue.md", pasted + "and so on\n"}});
  EXPECT_EQ(value(made, 0, "identity.uuid"), sample::uuid(0));
  EXPECT_EQ(value(made, 0, "system.driver_version"), "550.90.07");
}

TEST(Published, ATitleAboveTheGpusEndsNoLog) {
  const std::string host =
      "Driver Version : 580.105.06\nCUDA Version : Not Found\nvGPU Driver Capability\n"
      "        Heterogenous Multi-vGPU           : Supported\n\nAttached GPUs : 1";
  const auto made = imported({{"q.txt", text_log(host, text_gpu(1, sample::uuid(0)))}});
  EXPECT_EQ(value(made, 0, "identity.uuid"), sample::uuid(0));
  ASSERT_EQ(made.leaves.left().size(), 1U);
  EXPECT_EQ(made.leaves.left()[0].path, "vGPU Driver Capability/Heterogenous Multi-vGPU");
}

TEST(Published, PartsThatGrepChoseAreRead) {
  const auto made = imported({{"q.txt", text_log("Driver Version : 550.90.07\n--\nAttached GPUs : 1",
                                                 text_gpu(1, sample::uuid(0), "--\n    VBIOS Version : 7\n"))}});
  EXPECT_EQ(value(made, 0, "identity.vbios_version"), "7");
}

TEST(Published, LineEndsOfMarkdownAreNoValues) {
  const auto made =
      imported({{"a.md", std::string(kTitle) + "Driver Version : 367.106\n\nAttached GPUs : 1 \\\nGPU 0000:00:1E.0 \\\n"
                                               "    Product Name  : Tesla K80 \\\n"}});
  EXPECT_EQ(value(made, 0, "identity.name"), "Tesla K80");
  EXPECT_EQ(value(made, 0, "pci.device"), std::to_string(0x1E));
}

TEST(Published, XmlIsReadOutOfSourceCode) {
  auto log = sample::log({1});
  for (auto at = log.find("id=\""); at != std::string::npos; at = log.find("id=\"", at + 1))
    log.replace(at, log.find('>', at) - at, "id=\\\"00000000:01:00.0\\\"");
  const auto made = imported({{"nvidia-smi", "printf \"\"\"" + log + "\"\"\"\n"}});
  EXPECT_EQ(value(made, 0, "identity.uuid"), sample::uuid(0));
  EXPECT_EQ(made.leaves.left().size(), 0U);
}

TEST(Published, IntegratedGpusHaveUuidsWithoutAPrefix) {
  const std::string uuid = "54d0709b-558d-5a59-9c65-0c5fc14a21a4";
  const auto made = imported({{"q.txt", text_log("Driver Version : 580.00", text_gpu(1, uuid))}});
  EXPECT_EQ(value(made, 0, "identity.uuid"), uuid);
}

TEST(Published, TheTemperatureOfVeryOldDrivers) {
  const std::string log = std::string(kTitle) +
                          "Driver Version : 290.10\n\nAttached GPUs : 1\n\n"
                          "GPU 0000:01:00.0\n    Temperature\n        Gpu   : 62 C\n";
  EXPECT_EQ(value(imported({{"q.txt", log}}), 0, "thermal.gpu_c"), "62");
}

TEST(Published, EntitiesInNamesAreTheirCharacters) {
  auto log = sample::log({1});
  log.replace(log.find("NVIDIA X100"), 11, "NVIDIA X&amp;Y &#49;");
  EXPECT_EQ(value(imported({{"q.xml", log}}), 0, "identity.name"), "\"NVIDIA X&Y 1\"");
}

TEST(Published, AnotherMachineIsNotLeftOutInSilence) {
  EXPECT_EQ(refused({{"a.xml", sample::log({1})}, {"b.xml", sample::log({2})}}),
            "b.xml: none of its GPUs is one of the first capture's: it shows another machine, which takes an import of "
            "its own");
}

TEST(Published, OldDriversHideProcesses) {
  const std::string process =
      "    Processes\n        Process ID    : 7\n            Type      : C\n            Name      : a\n"
      "            Used GPU Memory   : 5 MiB\n";
  const auto gpu = fmt::format("GPU 00000000:01:00.0\n    Product Name      : X100\n{}", process);
  EXPECT_TRUE(
      says(imported({{"q.txt", text_log("Driver Version : 470.57.02", gpu)}}), "processes: an nvidia-smi of 525"));
  EXPECT_FALSE(says(imported({{"q.txt", text_log("Driver Version : 550.90.07", gpu)}}), "processes: "));
}

TEST(Published, BrandsOfVirtualGpus) {
  const auto brand = [](const std::string& printed) {
    return value(imported({{"q.xml", sample::log({1}, "<product_brand>" + printed + "</product_brand>")}}), 0,
                 "identity.brand");
  };
  EXPECT_EQ(brand("NVIDIA RTX Virtual Workstation"), "nvidia_vws");
  EXPECT_EQ(brand("NVIDIA Virtual Compute Server"), "nvidia_vcs");
  EXPECT_EQ(brand("NVIDIA Virtual PC"), "nvidia_vpc");
  EXPECT_EQ(brand("NVIDIA Virtual Applications"), "nvidia_vapps");
  EXPECT_EQ(brand("NVIDIA Cloud Gaming"), "nvidia_cloud_gaming");
  EXPECT_EQ(brand("NVIDIA vGaming"), "nvidia_cloud_gaming");
  const auto guest = imported({{"q.xml", sample::log({1},
                                                     "<vgpu_software_licensed_product><licensed_product_name>X"
                                                     "</licensed_product_name><license_status>Licensed"
                                                     "</license_status></vgpu_software_licensed_product>")}});
  EXPECT_FALSE(says(guest, "vgpu_software")) << notes_of(guest);
  EXPECT_EQ(value(guest, 0, "vgpu.licenses"), "[{gpu: 0, product: X, feature: vgpu, enabled: yes, state: licensed}]");
}

}  // namespace
}  // namespace nvmlab::importer
