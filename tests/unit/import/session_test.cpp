// SPDX-License-Identifier: Apache-2.0
//
// Files that hold the outputs of several commands: states, lists, tables, CSV; and texts as Windows writes them.
#include <gtest/gtest.h>

#include <algorithm>

#include <set>

#include "import/capture/decode.hpp"
#include "import/formats/foreign_format.hpp"
#include "import/formats/sections.hpp"
#include "tests/unit/import/samples.hpp"

namespace nvmlab::importer {
namespace {

std::string text_log(int degrees) {
  return "==============NVSMI LOG==============\n\nDriver Version                  : 550.90.07\n"
         "Attached GPUs                   : 1\nGPU 00000000:01:00.0\n    Product Name                : NVIDIA X100\n"
         "    Product Architecture        : Hopper\n    GPU UUID                    : " +
         sample::uuid(0) + "\n    Temperature\n        GPU Current Temp        : " + std::to_string(degrees) + " C\n\n";
}

std::string heading(const std::string& said) { return "####\n# " + said + "\n# $ nvidia-smi\n####\n"; }

std::string session() {
  return heading("capabilities :: list (-L)") + sample::listed(0) + "\n\n" + heading("idle :: query (-q)") +
         text_log(30) + heading("load :: query (-q)") + text_log(77);
}

TEST(Session, IdleIsTakenUnlessAnotherStateIsWanted) {
  const auto idle = imported({{"s.txt", session()}});
  EXPECT_EQ(value(idle, 0, "thermal.gpu_c"), "30");
  ASSERT_EQ(idle.notes.size(), 1U);
  EXPECT_EQ(idle.notes[0],
            "s.txt: it shows the machine in the states idle, load; idle is taken, and --state takes another");
  EXPECT_EQ(value(imported({{"s.txt", session()}}, {"load"}), 0, "thermal.gpu_c"), "77");
  EXPECT_EQ(refused({{"s.txt", session()}}, {"asleep"}), "--state asleep: the inputs show the states idle, load");
  EXPECT_EQ(refused({{"q.xml", sample::log({1})}}, {"load"}),
            "--state load: no input shows a machine in several states");
}

TEST(Session, AStateThatIsAloneNeedsNoChoice) {
  const auto made = imported({{"s.txt", heading("burn :: query (-q)") + text_log(80)}});
  EXPECT_EQ(value(made, 0, "thermal.gpu_c"), "80");
  EXPECT_EQ(made.notes, std::vector<std::string>());
}

TEST(Session, VersionTableAndListMakeAMachine) {
  const auto made =
      imported({{"s.txt",
                 "NVIDIA-SMI version  : 550.90.07\nDRIVER version      : 550.90.07\nCUDA Version        : 12.4\n\n"
                 "| NVIDIA-SMI 550.90.07              Driver Version: 550.90.07      CUDA Version: 12.4     |\n"
                 "|=========================================+========================+======================|\n"
                 "|   0  NVIDIA X100 80GB               On  |   00000000:41:00.0 Off |                    0 |\n"
                 "| N/A   33C    P8             16W /   72W |       1MiB /  23034MiB |      0%      Default |\n"
                 "|                                         |                        |                  N/A |\n"
                 "+-----------------------------------------+------------------------+----------------------+\n\n" +
                     sample::listed(0, "NVIDIA X100 80GB")}});
  EXPECT_EQ(made.notes.size(), 1U) << "only that the chip is not known";
  EXPECT_EQ(value(made, 0, "pci.bus"), "65");
  EXPECT_EQ(value(made, 0, "identity.uuid"), sample::uuid(0));
  EXPECT_EQ(value(made, 0, "thermal.gpu_c"), "33");
  EXPECT_EQ(value(made, 0, "power.enforced_limit_mw"), "72000");
  EXPECT_EQ(value(made, 0, "system.cuda_version"), "12040");
}

TEST(Session, ATableRoundsSoALogCounts) {
  const auto made =
      imported({{"q.xml", sample::log({0x41},
                                      "<gpu_power_readings><current_power_limit>71.60 W</current_power_limit>"
                                      "</gpu_power_readings>\n")},
                {"s.txt",
                 "| NVIDIA-SMI 550.90.07              Driver Version: 550.90.07      CUDA Version: 12.4     |\n"
                 "|   0  NVIDIA X100                    On  |   00000000:41:00.0 Off |                    0 |\n"
                 "| N/A   33C    P8             16W /   72W |       1MiB /  23034MiB |      0%      Default |\n"}});
  EXPECT_EQ(value(made, 0, "power.enforced_limit_mw"), "71600");
  EXPECT_EQ(made.notes, std::vector<std::string>());
}

TEST(Session, ADriverThatTwoInputsTellDifferentlyIsNoted) {
  const auto made =
      imported({{"q.xml", sample::log({1})}, {"v.txt", "NVIDIA-SMI version  : 1\nDRIVER version : 535.1.1\n"}});
  ASSERT_EQ(made.notes.size(), 1U);
  EXPECT_EQ(
      made.notes[0],
      "system.driver_version of the machine: q.xml:2 says 550.90.07, but v.txt:2 says 535.1.1; the first one stands");
}

TEST(Csv, IsALogInAnotherShape) {
  const auto made = imported(
      {{"g.csv",
        "index, name, uuid, pci.bus_id, driver_version, compute_cap, power.limit [W], temperature.gpu, pstate, "
        "clocks_event_reasons.active, memory.total [MiB], display_mode, fan.speed [%]\n"
        "0, NVIDIA X100, " +
            sample::uuid(0) +
            ", 00000000:01:00.0, 550.90.07, 9.0, 350.50 W, 41, P2, 0x0000000000000004, 81559 MiB, "
            "[Requested functionality has been deprecated], [N/A]\n"
            "1, NVIDIA X100, " +
            sample::uuid(1) +
            ", 00000000:02:00.0, 550.90.07, 9.0, 350.50 W, 42, P0, 0x0000000000000001, 81559 MiB, Enabled, 30 %\n"}});
  EXPECT_EQ(made.summary, "2 GPUs, 1 board");
  EXPECT_EQ(value(made, 1, "thermal.gpu_c"), "42");
  EXPECT_EQ(value(made, 0, "power.limit_mw"), "350500");
  EXPECT_EQ(value(made, 0, "clocks.event_reasons"), "4");
  EXPECT_EQ(value(made, 0, "modes.display_mode"), "{answer: DEPRECATED}");
  EXPECT_EQ(value(made, 0, "identity.architecture"), "hopper");
  EXPECT_EQ(value(made, 1, "pci.bus"), "2");
}

TEST(Csv, DamageIsToldWithItsLine) {
  EXPECT_EQ(refused({{"g.csv", "index, name, uuid\n0, NVIDIA X100\n"}}),
            "g.csv:2:1: the row has 2 values; its heading names 3");
  const auto odd = imported({{"g.csv", "index, name, temperature.gpu\n0, NVIDIA X100, 41q\n"}});
  EXPECT_NE(
      std::ranges::find(odd.notes, "g.csv:2:17: '41q' is no value of Temperature/GPU Current Temp; it is left out"),
      odd.notes.end());
  EXPECT_NE(refused({{"g.csv", "index, name\n99999999999, X\n"}}), "");
}

// nvidia-smi -l prints a row of each GPU again and again.
TEST(Csv, TheFirstRowOfAGpuCounts) {
  std::string text = "pci.bus_id, driver_version, temperature.gpu\n";
  for (int i = 0; i < 1000; ++i)
    text += "00000000:0" + std::to_string(i % 2 + 1) + ":00.0, 550.90.07, " + std::to_string(30 + i % 50) + "\n";
  const auto made = imported({{"l.csv", text}});
  EXPECT_EQ(value(made, 0, "thermal.gpu_c"), "30");
  EXPECT_EQ(value(made, 1, "thermal.gpu_c"), "31");
}

// Hostile sizes end in a complaint, soon.
TEST(Limits, MoreThanAMachineTellsIsRefused) {
  std::string lists;
  for (int i = 0; i < 100'000; ++i)
    lists += "GPU " + std::to_string(i % 4000) + ": X (UUID: " + std::to_string(i) + ")\n";
  EXPECT_NE(refused({{"l.txt", lists}}), "");
  EXPECT_EQ(refused({{"l.txt", "GPU 99999: X (UUID: y)\n"}}),
            "l.txt:1:1: GPU 99999 was found; a machine has at most 4096 GPUs");
  const std::string wide = "index, name, " + std::string(1 << 20, ',') + "\n";
  EXPECT_NE(refused({{"w.csv", wide}}), "");
  std::string columns;
  for (int i = 0; i < 3000; ++i)
    columns += "\tGPU" + std::to_string(i);
  EXPECT_EQ(refused({{"t.txt", columns + "\tCPU Affinity\n"}}),
            "t.txt:1:1: the matrix has 3000 columns; at most 1024 are read");
}

TEST(Kinds, WhatIsNoneIsRefusedAndSaysWhatWasExpected) {
  EXPECT_EQ(refused({{"x.txt", "hello\nworld\n"}}).substr(0, 30), "x.txt:1:1: found 'hello'; expe");
  EXPECT_EQ(refused({{"x.txt", ""}}).substr(0, 31), "x.txt:1:1: the file is empty; e");
  EXPECT_EQ(refused({{"x.xml", "<?xml version=\"1.0\"?>\n<topology/>\n"}}).substr(0, 49),
            "x.xml:1:1: the XML has the root element 'topology");
  EXPECT_EQ(refused({{"p.yaml", "# mine\nmachine: mine\ngpus: []\n"}}),
            "p.yaml:1:1: this is a profile of nvmlab already; `nvmlab run --profile p.yaml` runs on it as it is");
}

TEST(Decode, TextsOfWindowsAreTextsToo) {
  std::string dos = "\xEF\xBB\xBF";
  std::string wide = "\xFF\xFE";
  for (const char letter : sample::log({1})) {
    if (letter == '\n') dos += '\r', wide += std::string("\r\0", 2);
    dos += letter;
    wide += letter;
    wide += '\0';
  }
  for (const auto& bytes : {dos, wide}) {
    const auto made = imported({{"w.xml", bytes}});
    EXPECT_EQ(value(made, 0, "identity.name"), "NVIDIA X100");
  }
  EXPECT_EQ(capture::decode_text("\xFE\xFF\x00\x41\x20\xAC\xD8\x3D\xDE\x00", "x").value_or(""), "")
      << "the NUL ends the literal";
  EXPECT_EQ(capture::decode_text(std::string("\xFE\xFF\x00\x41\x20\xAC\xD8\x3D\xDE\x00", 10), "x").value_or(""),
            "A\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(capture::decode_text(std::string("\xFF\xFE\x41\x00\x3D\xD8\x42", 7), "x").value_or(""),
            "A\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(Decode, BinaryIsRefusedWithItsLine) {
  EXPECT_EQ(refused({{"b.txt", std::string("one\ntwo\0three\n", 14)}}),
            "b.txt:2:4: a NUL byte; the file is binary or damaged, and text was expected");
}

TEST(Sections, AreFoundByTheirMarksAndEndBeforeTheNext) {
  const std::string text = "# idle :: topo -m\n\tGPU0\tCPU Affinity\nGPU0\t X \t0-3\n\n" + sample::listed(0) +
                           "  Link 0: 25 GB/s\nDevice 0: \"X\"\n  Warp size:  32\n\n  more\nResult = PASS\n";
  const auto sections = find_sections(text, std::make_shared<const std::string>("s.txt"));
  ASSERT_EQ(sections.size(), 3U);
  EXPECT_EQ(sections[0].format, &kTopologyFormat);
  EXPECT_EQ(sections[0].first_line, 2U);
  EXPECT_EQ(state_of(sections[0].heading), "idle");
  EXPECT_EQ(sections[0].lines().size(), 2U);
  EXPECT_EQ(sections[1].format, &kGpuListFormat);
  EXPECT_EQ(sections[1].lines().size(), 2U);
  EXPECT_EQ(sections[2].format, &kDeviceQueryFormat);
  EXPECT_EQ(sections[2].lines().size(), 4U);
}

// One table: every format has a name, is recognised and read, and the outputs of commands know where they end.
TEST(Formats, AreWhole) {
  std::set<std::string_view> names;
  for (const ForeignFormat* format : foreign_formats()) {
    EXPECT_TRUE(names.insert(format->name).second) << format->name;
    ASSERT_NE(format->recognises, nullptr) << format->name;
    ASSERT_NE(format->read, nullptr) << format->name;
    EXPECT_FALSE(format->recognises("nothing that any tool prints")) << format->name;
  }
}

// `nvidia-smi -q -x --dtd`: a line of the DTD lists names as the heading of a CSV does.
TEST(Session, ALogCanHoldItsDtd) {
  std::string log = sample::log({1});
  const std::string dtd =
      "<!DOCTYPE nvidia_smi_log [\n<!ELEMENT gpu (product_name,\n\t\tserial, uuid, minor_number, vbios_version,\n"
      "\t\tboard_id)>\n]>\n";
  const auto root = log.find("<nvidia_smi_log");
  ASSERT_NE(root, std::string::npos);
  const auto made = imported({{"q.xml", log.insert(root, dtd)}});
  EXPECT_EQ(made.summary, "1 GPU, 1 board");
}

}  // namespace
}  // namespace nvmlab::importer
