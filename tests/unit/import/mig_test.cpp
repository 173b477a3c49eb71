// SPDX-License-Identifier: Apache-2.0
//
// MIG: what a chip can be cut into, and the layout that a capture shows.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/import/samples.hpp"

namespace nvmlab::importer {
namespace {

const std::string kProfiles =
    "+-----------------------------------------------------------------------------+\n"
    "| GPU instance profiles:                                                      |\n"
    "| GPU   Name             ID    Instances   Memory     P2P    SM    DEC   ENC  |\n"
    "|                              Free/Total   GiB              CE    JPEG  OFA  |\n"
    "|=============================================================================|\n"
    "|   0  MIG 1g.10gb       19     7/7        9.75       No     16     1     0   |\n"
    "|                                                             1     1     0   |\n"
    "+-----------------------------------------------------------------------------+\n"
    "|   0  MIG 1g.10gb+me    20     1/1        9.75       No     16     1     0   |\n"
    "|                                                             1     1     1   |\n"
    "+-----------------------------------------------------------------------------+\n"
    "|   0  MIG 1g.20gb       15     4/4        19.62      No     26     1     0   |\n"
    "|                                                             1     1     0   |\n"
    "+-----------------------------------------------------------------------------+\n"
    "|   0  MIG 3g.40gb        9     2/2        39.50      No     60     3     0   |\n"
    "|                                                             3     3     0   |\n"
    "+-----------------------------------------------------------------------------+\n"
    "|   0  MIG 7g.80gb        0     1/1        79.25      Yes    132    7     0   |\n"
    "|                                                             8     7     1   |\n"
    "+-----------------------------------------------------------------------------+\n";
const std::string kPlaces =
    "GPU  0 Profile ID 19 Placements: {0,1,2,3,4,5,6}:1\n"
    "GPU  0 Profile ID  9 Placements: {0,4}:4\n"
    "GPU  0 Profile ID  0 Placement : {0}:8\n";

TEST(MigProfiles, AreThoseOfTheTableWithTheirPlaces) {
  const auto made = imported({{"q.xml", sample::log({1})}, {"lgip.txt", kProfiles}, {"lgipp.txt", kPlaces}});
  // In the order of their ids: 0, 9, 15, 19, 20.
  EXPECT_EQ(value(made, 0, "mig.profiles[0].number"), "4");
  EXPECT_EQ(value(made, 0, "mig.profiles[0].capabilities"), "1");
  EXPECT_EQ(value(made, 0, "mig.profiles[0].copy_engines"), "8");
  EXPECT_EQ(value(made, 0, "mig.profiles[1].starts"), "[0, 4]");
  EXPECT_EQ(value(made, 0, "mig.profiles[1].memory_slices"), "4");
  EXPECT_EQ(value(made, 0, "mig.profiles[2].number"), "9") << "one slice with twice the memory";
  EXPECT_EQ(value(made, 0, "mig.profiles[2].memory_mib"), "20096") << "19.62 is 19.625 GiB";
  EXPECT_EQ(value(made, 0, "mig.profiles[3].instances"), "7");
  EXPECT_EQ(value(made, 0, "mig.profiles[4].number"), "7");
  EXPECT_EQ(value(made, 0, "mig.profiles[4].ofas"), "1");
}

TEST(MigProfiles, PlacesThatNobodyPrintedAreAssumedAndSaySo) {
  const auto made = imported({{"q.xml", sample::log({1})}, {"lgip.txt", kProfiles}});
  EXPECT_EQ(value(made, 0, "mig.profiles[2].starts"), "[0, 2, 4, 6]");
  EXPECT_EQ(value(made, 0, "mig.profiles[4].starts"), "[0, 1, 2, 3, 4, 5, 6]");
  EXPECT_EQ(value(made, 0, "mig.profiles[1].starts"), "[0, 4]");
  EXPECT_NE(made.yaml.find("where instances fit is assumed"), std::string::npos);
}

TEST(MigDevices, AreGatheredFromLogListAndTables) {
  const std::string devices =
      "<mig_devices><mig_device><index>0</index><gpu_instance_id>2</gpu_instance_id>"
      "<compute_instance_id>0</compute_instance_id><device_attributes><shared>"
      "<multiprocessor_count>60</multiprocessor_count><copy_engine_count>3</copy_engine_count></shared>"
      "</device_attributes><fb_memory_usage><total>40448 MiB</total><used>26 MiB</used></fb_memory_usage>"
      "</mig_device></mig_devices>\n";
  const std::string list = sample::listed(0) + "  MIG 3g.40gb     Device  0: (UUID: MIG-1-2)\n";
  const std::string instances =
      "+-------------------------------------------------------+\n"
      "| GPU instances:                                        |\n"
      "| GPU   Name             Profile  Instance   Placement  |\n"
      "|                          ID       ID       Start:Size |\n"
      "|=======================================================|\n"
      "|   0  MIG 3g.40gb          9        2          4:4     |\n"
      "+-------------------------------------------------------+\n";
  const auto made = imported({{"q.xml", sample::log({1}, devices)}, {"l.txt", list}, {"lgi.txt", instances}});
  EXPECT_EQ(value(made, 0, "instances.gpu_instances[0].id"), "2");
  EXPECT_EQ(value(made, 0, "instances.gpu_instances[0].memory_total_bytes"), "42412802048");
  EXPECT_EQ(value(made, 0, "instances.gpu_instances[0].overhead_bytes"), std::to_string(26 << 20));
  EXPECT_EQ(value(made, 0, "instances.gpu_instances[0].profile_id"), "9");
  EXPECT_EQ(value(made, 0, "instances.gpu_instances[0].start"), "4");
  EXPECT_EQ(value(made, 0, "instances.compute_instances[0].gpu_instance"), "2");
  EXPECT_EQ(value(made, 0, "instances.compute_instances[0].profile_id"), "2") << "all of 3g.40gb";
  EXPECT_EQ(value(made, 0, "instances.compute_instances[0].uuid"), "MIG-1-2");
  EXPECT_EQ(made.notes, std::vector<std::string>());
}

// A log alone names no MIG device. Of tables that do not contradict it, a board of which hardly anything is known is
// not the one that it is.
TEST(MigDevices, WithoutNamesAreOfTheBoardThatTellsMostOfThem) {
  const auto device = [](int gpu_instance, int multiprocessors, int mebibytes) {
    return "<mig_device><index>" + std::to_string(9 - gpu_instance) + "</index><gpu_instance_id>" +
           std::to_string(gpu_instance) +
           "</gpu_instance_id><compute_instance_id>0</compute_instance_id><device_attributes><shared>"
           "<multiprocessor_count>" +
           std::to_string(multiprocessors) +
           "</multiprocessor_count></shared></device_attributes><fb_memory_usage><total>" + std::to_string(mebibytes) +
           " MiB</total></fb_memory_usage></mig_device>";
  };
  const std::string devices =
      "<mig_devices>" + device(2, 60, 40448) + device(3, 32, 20096) + device(9, 16, 9984) + "</mig_devices>\n";
  const auto made = imported({{"q.xml", sample::log({1}, devices)}});
  EXPECT_NE(made.yaml.find("mig-h100-80gb"), std::string::npos) << made.yaml;
}

// The same board on another driver, which reserves less of each instance. Two devices share a GPU instance, so each has
// a part of its multiprocessors.
TEST(MigDevices, OfAnotherDriverAreOfTheSameBoard) {
  std::string devices = "<mig_devices>";
  int index = 0;
  const auto add = [&](int gpu_instance, int compute_instance, int multiprocessors, int mebibytes) {
    devices +=
        "<mig_device><index>" + std::to_string(index++) + "</index><gpu_instance_id>" + std::to_string(gpu_instance) +
        "</gpu_instance_id><compute_instance_id>" + std::to_string(compute_instance) +
        "</compute_instance_id><device_attributes><shared><multiprocessor_count>" + std::to_string(multiprocessors) +
        "</multiprocessor_count></shared></device_attributes><fb_memory_usage><total>" + std::to_string(mebibytes) +
        " MiB</total></fb_memory_usage></mig_device>";
  };
  add(2, 0, 16, 71424);
  add(2, 1, 32, 71424);
  add(3, 0, 32, 33280);
  add(9, 0, 16, 16384);
  const auto made = imported({{"q.xml", sample::log({1}, devices + "</mig_devices>\n")}});
  EXPECT_NE(made.yaml.find("mig-h200]"), std::string::npos) << made.yaml;
}

TEST(MigDevices, OfComputeInstancesWhereNothingElseListsThem) {
  const auto made = imported({{"q.xml", sample::log({1})},
                              {"lci.txt",
                               "| Compute instances:                                                  |\n"
                               "|   0      5       MIG 1c.2g.20gb       0         1          1:1     |\n"}});
  EXPECT_EQ(value(made, 0, "instances.gpu_instances[0].id"), "5");
  EXPECT_EQ(value(made, 0, "instances.compute_instances[0].id"), "1");
  EXPECT_EQ(value(made, 0, "instances.compute_instances[0].profile_id"), "0") << "one slice of two";
}

// Two chips, each without another eighth: only one of them has the ids that are seen.
TEST(MigDevices, TellWhichEighthOfTheChipIsMissing) {
  const std::string list = sample::listed(0) + "  MIG 3g.40gb     Device  0: (UUID: MIG-1-2)\n";
  const auto with = [&](int id) {
    const std::string devices = "<mig_devices><mig_device><index>0</index><gpu_instance_id>" + std::to_string(id) +
                                "</gpu_instance_id><compute_instance_id>0</compute_instance_id></mig_device>"
                                "<mig_device><index>1</index><gpu_instance_id>14</gpu_instance_id>"
                                "<compute_instance_id>0</compute_instance_id></mig_device></mig_devices>\n";
    return imported({{"q.xml", sample::log({1}, devices)}, {"l.txt", list}});
  };
  EXPECT_EQ(value(with(1), 0, "mig.missing_slice"), "10") << "id 14 is there";
}

// Two slices never start at the seventh eighth: the last one has no compute slice.
TEST(MigDevices, OfTwoSlicesShowWhichEighthIsMissing) {
  std::string devices = "<mig_devices>";
  int index = 0;
  for (const int id : {3, 5, 6}) {
    devices += "<mig_device><index>" + std::to_string(index++) + "</index><gpu_instance_id>" + std::to_string(id) +
               "</gpu_instance_id><compute_instance_id>0</compute_instance_id></mig_device>";
  }
  const auto made = imported({{"q.xml", sample::log({1}, devices + "</mig_devices>\n")}});
  EXPECT_EQ(value(made, 0, "mig.missing_slice"), "10");
}

TEST(MigDevices, WithoutIdsAreListedAsLeftOut) {
  const auto made = imported({{"l.txt", sample::listed(0) + "  MIG 3g.40gb     Device  0: (UUID: MIG-1-2)\n"
                                                            "  MIG 3g.40gb     Device  1: (UUID: MIG-1-3)\n"}},
                             {.driver = "550"});
  EXPECT_NE(
      std::ranges::find(made.notes,
                        "l.txt:2: GPU 0: 2 MIG devices without the id of the GPU instance are left out; the table "
                        "of `nvidia-smi` has the ids"),
      made.notes.end());
}

TEST(Mig, DamageIsToldWithItsLine) {
  const auto broken = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(refused({{"m.txt", broken(kProfiles, "7/7 ", "7-7 ")}}).substr(0, 8), "m.txt:6:");
  EXPECT_EQ(refused({{"m.txt", broken(kProfiles, "9.75", "9..5")}}).substr(0, 8), "m.txt:6:");
  EXPECT_EQ(refused({{"m.txt", kProfiles.substr(0, kProfiles.find("|                                           "))}}),
            "m.txt:6:1: the table is cut short: the second row of this profile is missing");
  EXPECT_EQ(refused({{"m.txt", broken(kPlaces, "{0,4}", "{0,x}")}}).substr(0, 8), "m.txt:2:");
  EXPECT_EQ(refused({{"m.txt", broken(kPlaces, "{0}:8", "{0")}}).substr(0, 8), "m.txt:3:");
}

}  // namespace
}  // namespace nvmlab::importer
