// SPDX-License-Identifier: Apache-2.0
//
// Recordings as sides, call by call.
#include "compare/calls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compare/compare.hpp"
#include "compare/group_rows.hpp"

namespace nvmlab::compare {
namespace {

recording::Recording recorded(const std::string& lines, const std::string& header = "13.5.37") {
  const auto count = std::ranges::count(lines, '\n');
  const auto read = recording::read_bytes(
      "r.jsonl", R"({"nvmlab_recording":1,"tool":"0.1.0","header":")" + header +
                     R"(","taken":"2026-01-02T03:04:05Z","masked":true,"host":"host-1","library":"/l.so",)"
                     R"("driver":"570.124.06","gpus":1,"units":0})"
                     "\n" +
                     lines + "{\"complete\":true,\"calls\":" + std::to_string(count) + "}\n");
  if (!read) ADD_FAILURE() << read.error().text();
  return read.value_or(recording::Recording{});
}

std::string call(const std::string& function, const std::string& in, const std::string& code, const std::string& out) {
  return R"({"call":")" + function + R"(","gpu":0)" + (in.empty() ? "" : ",\"in\":" + in) + ",\"code\":\"" + code +
         "\"" + (out.empty() ? "" : ",\"out\":" + out) + "}\n";
}

std::string clock(const std::string& type, const std::string& mhz) {
  return call("nvmlDeviceGetMaxClockInfo", R"({"type":")" + type + "\"}", "SUCCESS", R"({"clock":)" + mhz + "}");
}

// Class by the statement's name.
std::map<std::string, std::string> classes(const std::string& a, const std::string& b) {
  const auto sides = calls_of(recorded(a), recorded(b));
  const Report report = compare(sides.first, sides.second);
  std::map<std::string, std::string> found;
  for (const Row& row : report.rows)
    found[row.any().name] = name_of(row.which);
  return found;
}

using Found = std::map<std::string, std::string>;

TEST(Calls, AreToldApartByTheirNamedInputs) {
  EXPECT_EQ(classes(clock("NVML_CLOCK_SM", "1980") + clock("NVML_CLOCK_MEM", "2619"),
                    clock("NVML_CLOCK_SM", "1980") + clock("NVML_CLOCK_MEM", "1593")),
            (Found{{"nvmlDeviceGetMaxClockInfo(type=NVML_CLOCK_SM)", "equal"},
                   {"nvmlDeviceGetMaxClockInfo(type=NVML_CLOCK_MEM)", "value"}}));
}

TEST(Calls, CodesAreCodes) {
  const std::string name = "nvmlDeviceGetName";
  EXPECT_EQ(classes(call(name, "", "SUCCESS", R"({"name":"X"})"), call(name, "", "NO_PERMISSION", "")).at(name),
            "code");
  EXPECT_EQ(classes(call(name, "", "UNKNOWN", ""), call(name, "", "UNKNOWN", "")).at(name), "equal");
  EXPECT_EQ(classes(call(name, "", "UNKNOWN", ""), "").at(name), "missing");
}

TEST(Calls, WhatAReadingOfALiveFieldGivesIsNoise) {
  const auto energy = [](const std::string& mj) {
    return call("nvmlDeviceGetTotalEnergyConsumption", "", "SUCCESS", R"({"energy":)" + mj + "}");
  };
  EXPECT_EQ(classes(energy("1"), energy("2")).begin()->second, "noise");
  const auto memory = [](const std::string& total, const std::string& used) {
    return call("nvmlDeviceGetMemoryInfo", "", "SUCCESS",
                R"({"memory":{"total":)" + total + R"(,"used":)" + used + "}}");
  };
  EXPECT_EQ(classes(memory("9", "1"), memory("9", "2")).begin()->second, "noise");
  EXPECT_EQ(classes(memory("9", "1"), memory("8", "1")).begin()->second, "value");
  const auto field = [](const std::string& id, const std::string& value, const std::string& time) {
    return call("nvmlDeviceGetFieldValues", R"({"fieldId":")" + id + R"(","scopeId":0})", "SUCCESS",
                R"({"timestamp":)" + time + R"(,"value":)" + value + "}");
  };
  EXPECT_EQ(classes(field("NVML_FI_DEV_POWER_INSTANT", "5", "1"), field("NVML_FI_DEV_POWER_INSTANT", "6", "2"))
                .begin()
                ->second,
            "noise");
  EXPECT_EQ(
      classes(field("NVML_FI_DEV_ECC_CURRENT", "0", "1"), field("NVML_FI_DEV_ECC_CURRENT", "1", "2")).begin()->second,
      "value");
}

TEST(Calls, ThoseThatDifferInANumberArePartsOfOne) {
  const auto link = [](int n, const std::string& active) {
    return call("nvmlDeviceGetNvLinkState", R"({"link":)" + std::to_string(n) + "}", "SUCCESS",
                R"({"isActive":")" + active + "\"}");
  };
  const std::string on = "NVML_FEATURE_ENABLED";
  const auto sides =
      calls_of(recorded(link(0, on) + link(1, on)), recorded(link(0, on) + link(1, "NVML_FEATURE_DISABLED")));
  const auto& statements = sides.first.gpus[0].statements;
  ASSERT_EQ(statements.size(), 1u);
  EXPECT_EQ(statements[0].count, 2u);
  const Cells cells = cells_of(&statements[0], &sides.second.gpus[0].statements[0]);
  EXPECT_EQ(cells.a, "2 items");
  EXPECT_EQ(cells.part, "[link=1].isActive");
  EXPECT_EQ(cells.part_b, "NVML_FEATURE_DISABLED");
}

TEST(Calls, ACodeInPlaceOfAnItemIsACode) {
  const std::string name = "nvmlDeviceGetNvLinkRemotePciInfo_v2";
  const std::string in = R"({"link":3})";
  const std::string refused = call(name, in, "NOT_SUPPORTED", "");
  const std::string given = call(name, in, "SUCCESS", R"({"pci":{"pciDeviceId":1,"pciSubSystemId":2}})");
  const auto sides = calls_of(recorded(refused), recorded(given));
  EXPECT_EQ(classes(refused, given).at(name), "code");
  EXPECT_EQ(classes(given, refused).at(name), "code");
  const auto parts = different_parts(sides.first.gpus[0].statements[0], sides.second.gpus[0].statements[0]);
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].a->text, "NOT_SUPPORTED");
  EXPECT_EQ(parts[0].b->name, "[link=3].pci.pciDeviceId");
  EXPECT_EQ(different_parts(sides.second.gpus[0].statements[0], sides.first.gpus[0].statements[0]).size(), 1u);
}

TEST(Calls, HandlesByNamesOfUnitsAreIdentifiers) {
  const auto by_serial = [](const std::string& serial) {
    return R"({"call":"nvmlDeviceGetHandleBySerial","in":{"serial":")" + serial +
           R"("},"code":"SUCCESS","out":{"device":{"gpu":0}}})"
           "\n";
  };
  EXPECT_EQ(classes(by_serial("1"), by_serial("2")), (Found{{"nvmlDeviceGetHandleBySerial", "identifier"}}));
}

TEST(Calls, FunctionsThatALibraryLacksAreToldOnce) {
  const std::string lacks = R"({"call":"nvmlDeviceGetMaxClockInfo","code":"FUNCTION_NOT_FOUND"})"
                            "\n";
  EXPECT_EQ(classes(lacks, clock("NVML_CLOCK_SM", "1") + clock("NVML_CLOCK_MEM", "2")),
            (Found{{"nvmlDeviceGetMaxClockInfo", "code"}}));
  EXPECT_EQ(classes(lacks, lacks), (Found{{"nvmlDeviceGetMaxClockInfo", "equal"}}));
}

TEST(Calls, ARecorderThatKnewOtherFunctionsCannotSayWhatIsExported) {
  const std::string lacks = R"({"call":"nvmlDeviceGetMaxClockInfo","code":"FUNCTION_NOT_FOUND"})"
                            "\n";
  const auto sides = calls_of(recorded(lacks), recorded("", "12.0.1"));
  EXPECT_EQ(compare(sides.first, sides.second).count(Class::missing), 1u);
}

TEST(Calls, GpusAreNamed) {
  const std::string pci = call("nvmlDeviceGetPciInfo_v3", "", "SUCCESS", R"({"pci":{"busId":"00000000:0A:00.0"}})");
  const std::string uuid = call("nvmlDeviceGetUUID", "", "SUCCESS", R"({"uuid":"GPU-1"})");
  const auto sides = calls_of(recorded(pci + uuid), recorded(""));
  EXPECT_EQ(sides.first.gpus[0].address, "00000000:0A:00.0");
  EXPECT_EQ(sides.first.gpus[0].uuid, "") << "masked ones are not real";
}

}  // namespace
}  // namespace nvmlab::compare
