// SPDX-License-Identifier: Apache-2.0
//
// Whole captures: what the profile says, what it inherits, and what is refused.
#include <gtest/gtest.h>

#include <random>

#include <fmt/format.h>

#include "compiler/compile.hpp"
#include "compiler/paths.hpp"
#include "import/importer.hpp"

namespace nvmlab::importer {
namespace {

// One GPU of a made-up machine.
std::string gpu(int bus, const std::string& uuid, const std::string& more) {
  return fmt::format(
      "<gpu id=\"00000000:{0:02X}:00.0\">\n<product_name>NVIDIA X100</product_name>\n"
      "<product_architecture>Hopper</product_architecture>\n<uuid>GPU-{1}</uuid>\n"
      "<pci><pci_bus>{0:02X}</pci_bus><pci_device>00</pci_device><pci_domain>0000</pci_domain>"
      "<pci_device_id>233010DE</pci_device_id></pci>\n{2}</gpu>\n",
      bus, uuid, more);
}

std::string log(const std::string& gpus) {
  return "<nvidia_smi_log>\n<driver_version>550.90.07</driver_version>\n<cuda_version>12.4</cuda_version>\n" + gpus +
         "</nvidia_smi_log>\n";
}

const std::string kFirst = "00000001-0000-4000-8000-000000000001";
const std::string kSecond = "00000002-0000-4000-8000-000000000002";

Imported import(const std::vector<Input>& inputs) {
  auto imported = import_captures(inputs, "m");
  if (!imported) ADD_FAILURE() << fmt::format("{}", fmt::join(imported.error(), "\n"));
  return imported.value_or(Imported{});
}

std::string refusal(const std::string& bytes) {
  const Input input{"in.xml", bytes};
  const auto imported = import_captures({&input, 1}, "m");
  return imported ? "" : imported.error().front();
}

std::string value(const Imported& imported, std::uint32_t index, std::string_view field) {
  const auto machine = compiler::compile_text(imported.yaml, "m.yaml", "m");
  if (!machine) return compiler::describe(machine.error());
  const auto ref = compiler::find_field(field);
  const auto* owner = ref->topic->of_node ? reinterpret_cast<const std::byte*>(&machine->node())
                                          : reinterpret_cast<const std::byte*>(&machine->gpu(index));
  return *compiler::format_field(*ref, owner, compiler::Style::yaml);
}

TEST(Import, BoardsThatDifferInIdentityAloneAreOneProfile) {
  const auto made =
      import({{"a/in.xml", log(gpu(1, kFirst, "<temperature><gpu_temp>30 C</gpu_temp></temperature>") +
                               gpu(2, kSecond, "<temperature><gpu_temp>31 C</gpu_temp></temperature>"))}});
  EXPECT_EQ(made.summary, "2 GPUs, 1 board");
  EXPECT_NE(made.yaml.find("\n  x100:\n    inherits: hopper\n"), std::string::npos) << made.yaml;
  EXPECT_NE(made.yaml.find("file: in.xml, driver: 550.90.07"), std::string::npos) << made.yaml;
  EXPECT_EQ(value(made, 0, "thermal.gpu_c"), "30");
  EXPECT_EQ(value(made, 1, "thermal.gpu_c"), "31");
  EXPECT_EQ(value(made, 1, "identity.uuid"), "GPU-" + kSecond);
  EXPECT_EQ(value(made, 0, "system.cuda_version"), "12040");
}

TEST(Import, ErrorTextsBecomeReturnCodesAndSilenceIsInherited) {
  const auto made =
      import({{"in.xml", log(gpu(1, kFirst,
                                 "<power_smoothing>Insufficient Permissions</power_smoothing>\n"
                                 "<display_mode>Requested functionality has been deprecated</display_mode>\n"
                                 "<persistence_mode>N/A</persistence_mode>\n"))}});
  EXPECT_EQ(value(made, 0, "power.smoothing"), "{answer: NO_PERMISSION}");
  EXPECT_EQ(value(made, 0, "modes.display_mode"), "{answer: DEPRECATED}");
  EXPECT_EQ(value(made, 0, "modes.persistence"), "null");
  EXPECT_EQ(value(made, 0, "identity.architecture"), "hopper");
  EXPECT_EQ(value(made, 0, "clocks.monitor"), "yes") << "from the family";
}

TEST(Import, AHeadingInOneWordIsAboutAllBelowIt) {
  const auto made = import({{"in.xml", log(gpu(1, kFirst, "<remapped_rows>N/A</remapped_rows>\n"))}});
  EXPECT_EQ(value(made, 0, "ecc.remapped_correctable"), "null");
  EXPECT_EQ(value(made, 0, "ecc.remap_banks_none"), "null");
}

TEST(Import, RoundedMemoryIsTakenFromTheMiddle) {
  const auto memory = [](int reserved) {
    return fmt::format(
        "<fb_memory_usage><total>81559 MiB</total><reserved>{} MiB</reserved><used>0 MiB</used>"
        "<free>81080 MiB</free></fb_memory_usage>",
        reserved);
  };
  const auto up = import({{"in.xml", log(gpu(1, kFirst, memory(480)))}});
  EXPECT_EQ(value(up, 0, "memory.reserved_bytes"), "502792192") << "479.5 MiB";
  const auto down = import({{"in.xml", log(gpu(1, kFirst, memory(478)))}});
  EXPECT_EQ(value(down, 0, "memory.reserved_bytes"), "501743616") << "478.5 MiB";
}

TEST(Import, ContradictionsAreToldWithBothSources) {
  const auto limit = [](const char* watts) {
    return log(gpu(1, kFirst,
                   fmt::format("<temperature><gpu_temp>{}0 C</gpu_temp></temperature>\n"
                               "<vbios_version>{}</vbios_version>\n",
                               watts, watts)));
  };
  const auto made = import({{"a.xml", limit("3")}, {"b.xml", limit("4")}});
  ASSERT_EQ(made.notes.size(), 1U) << "a temperature is no contradiction";
  EXPECT_EQ(made.notes[0],
            "identity.vbios_version of GPU 0: a.xml:10 says 3, but b.xml:10 says 4; the first one stands");
  EXPECT_EQ(value(made, 0, "identity.vbios_version"), "3");
}

// One leaf that cannot be says nothing against the others.
TEST(Import, WhatCannotBeIsLeftOutWithItsPlace) {
  const auto made = import({{"in.xml", log(gpu(1, kFirst,
                                               "<temperature><gpu_temp>5000000000 C</gpu_temp></temperature>\n"
                                               "<fan_speed>41x %</fan_speed><vbios_version>\x01</vbios_version>\n"
                                               "<display_mode>Enabled</display_mode>"))}});
  ASSERT_EQ(made.notes.size(), 3U) << fmt::format("{}", fmt::join(made.notes, "\n"));
  EXPECT_TRUE(made.notes[0].starts_with("in.xml:9:15: '5000000000' is out of range; thermal.gpu_c")) << made.notes[0];
  EXPECT_EQ(made.notes[1], "in.xml:10:30: vbios_version has a control character; it is left out");
  EXPECT_EQ(made.notes[2], "in.xml:10:2: fan_speed '41x %' is not understood; it is left out");
  EXPECT_EQ(value(made, 0, "modes.display_mode"), "enabled");
}

TEST(Import, WhatIsWrongIsRefusedWithItsLine) {
  EXPECT_EQ(refusal("<nvidia_smi_log><gpu id=\"00000000:01:00.0\"></gpu></nvidia_smi_log>"),
            "in.xml: nothing in it says which driver the machine has; --driver 550 does, for example");
  EXPECT_NE(refusal(log("")), "");
  EXPECT_NE(refusal(""), "");
  EXPECT_EQ(refusal("<nvidia_smi_log>\n<gpu id=\"00000000:01:00.0\">\n").substr(0, 7), "in.xml:");
}

TEST(Import, WhatABoardLacksIsNotInherited) {
  const auto made = import({{"in.xml", log(gpu(1, kFirst, "<mig_mode><current_mig>N/A</current_mig></mig_mode>\n"))}});
  EXPECT_EQ(value(made, 0, "modes.mig"), "null");
  EXPECT_EQ(value(made, 0, "modes.mig_max_devices"), "null");
}

TEST(Import, TheChipIsKnownByItsNumberWhereItsNameIsNot) {
  const std::string gpu =
      "<gpu id=\"0000000A:0B:0C.0\"><product_name>NVIDIA X200</product_name>"
      "<product_architecture>Unknown</product_architecture>"
      "<pci><pci_bus>Function Not Found</pci_bus><pci_device_id>290110DE</pci_device_id></pci></gpu>\n";
  const auto made = import({{"in.xml", log(gpu)}});
  EXPECT_EQ(value(made, 0, "identity.architecture"), "blackwell");
  EXPECT_EQ(value(made, 0, "identity.compute_capability_major"), "10");
  EXPECT_EQ(value(made, 0, "pci.bus"), "11") << "the GPU's id tells what the section cannot";
  const std::string nameless = "<gpu id=\"00000000:01:00.0\"><product_name>X</product_name></gpu>\n";
  const auto plain = import({{"in.xml", log(nameless)}});
  EXPECT_NE(plain.yaml.find("inherits: common"), std::string::npos);
  EXPECT_EQ(plain.notes.size(), 1U);
}

TEST(Import, FamiliesAreOfTheChipAndOfWhatItIsSoldAs) {
  const auto inherits = [](const std::string& id, const std::string& brand, const std::string& ecc) {
    const auto made =
        import({{"in.xml",
                 log("<gpu id=\"00000000:01:00.0\"><product_name>X</product_name><product_brand>" + brand +
                     "</product_brand><pci><pci_device_id>" + id + "10DE</pci_device_id></pci><ecc_mode><current_ecc>" +
                     ecc + "</current_ecc></ecc_mode></gpu>\n")}});
    const auto begin = made.yaml.find("inherits: ") + 10;
    return made.yaml.substr(begin, made.yaml.find('\n', begin) - begin);
  };
  EXPECT_EQ(inherits("20B0", "NVIDIA", "Enabled"), "ga100");
  EXPECT_EQ(inherits("2237", "NVIDIA", "Enabled"), "[ampere, datacenter-rows]");
  EXPECT_EQ(inherits("2206", "GeForce", "N/A"), "[ampere, geforce]");
  EXPECT_EQ(inherits("2230", "NVIDIA RTX", "Disabled"), "ampere");
  EXPECT_EQ(inherits("1DF6", "Tesla", "Enabled"), "[volta, datacenter-pages]");
  EXPECT_EQ(inherits("2901", "NVIDIA", "Enabled"), "gb100");
  EXPECT_EQ(inherits("2B85", "GeForce", "N/A"), "[blackwell, geforce]");
  EXPECT_EQ(inherits("0001", "GeForce", "N/A"), "common") << "the chip is not known";
}

TEST(Import, OldReleasesCallTheBoardsPartNumberThatOfTheGpu) {
  const auto old = import({{"in.xml", log(gpu(1, kFirst, "<gpu_part_number>900-1</gpu_part_number>"))}});
  EXPECT_EQ(value(old, 0, "identity.board_part_number"), "900-1");
  const auto both = import({{"in.xml", log(gpu(1, kFirst,
                                               "<board_part_number>900-1</board_part_number>"
                                               "<gpu_part_number>1EB8-895-A1</gpu_part_number>"))}});
  EXPECT_EQ(value(both, 0, "identity.gpu_part_number"), "1EB8-895-A1");
}

TEST(Import, AccountingRemembersWhatHasEnded) {
  const auto process = [](const std::string& pid, const std::string& gpu_share, const std::string& running) {
    return "<accounted_process_info><pid>" + pid + "</pid><gpu_util>" + gpu_share +
           " %</gpu_util><memory_util>3 %</memory_util><max_memory_usage>843 MiB</max_memory_usage><time>18228 "
           "ms</time><is_running>" +
           running + "</is_running></accounted_process_info>";
  };
  const auto made =
      import({{"in.xml", log(gpu(1, kFirst,
                                 "<processes><process_info><pid>7</pid><type>C</type><process_name>a</process_name>"
                                 "<used_memory>800 MiB</used_memory></process_info></processes><accounted_processes>" +
                                     process("5", "1", "0") + process("7", "77", "1") + "</accounted_processes>"))}});
  EXPECT_EQ(value(made, 0, "accounting.ended[0].pid"), "5");
  EXPECT_EQ(value(made, 0, "accounting.ended[0].time_ms"), "18228");
  EXPECT_EQ(value(made, 0, "accounting.ended[0].peak_bytes"), std::to_string(843ULL << 20));
  EXPECT_EQ(value(made, 0, "processes.running[0].sm_percent"), "77");
  EXPECT_EQ(value(made, 0, "processes.running[0].peak_bytes"), std::to_string(843ULL << 20));
}

// Names of processes are what their owners made of them; nvidia-smi cuts them anywhere.
TEST(Import, NamesOfProcessesAreTakenAsFarAsTheyAreTexts) {
  std::string name(510, 'a');
  const auto made = import({{"in.xml", log(gpu(1, kFirst,
                                               "<processes><process_info><pid>7</pid><type>C+G</type><process_name>" +
                                                   name + "\xC3\xA9</process_name></process_info></processes>"))}});
  EXPECT_EQ(value(made, 0, "processes.running[0].name"), name);
  EXPECT_EQ(value(made, 0, "processes.running[0].kinds"), "3");
}

// Whatever happens to the bytes, the answer is a profile that compiles or a reason.
TEST(Import, DamagedBytesAreImportedOrRefused) {
  const std::string whole = log(gpu(1, kFirst, "<temperature><gpu_temp>30 C</gpu_temp></temperature>") +
                                gpu(2, kSecond, "<fan_speed>34 %</fan_speed><display_mode>Enabled</display_mode>"));
  std::minstd_rand random(5);  // NOLINT: the same on every run
  for (int round = 0; round < 500; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 3; ++i)
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    if (round % 5 == 0) bytes.resize(random() % bytes.size());
    const Input input{"in.xml", bytes};
    const auto imported = import_captures({&input, 1}, "m");
    if (imported) {
      EXPECT_TRUE(compiler::compile_text(imported->yaml, "m.yaml", "m")) << imported->yaml;
    } else {
      EXPECT_FALSE(imported.error().empty());
    }
  }
}

}  // namespace
}  // namespace nvmlab::importer
