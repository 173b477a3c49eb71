// SPDX-License-Identifier: Apache-2.0
// Rows of the binding: what each key means, and every way in which one can be wrong, with its place.
#include "codegen/binding/rows.hpp"

#include <gtest/gtest.h>

#include "codegen/model/inputs.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

const Release& newest() {
  static const auto loaded = load_inputs(source_folder());
  EXPECT_TRUE(loaded) << loaded.error().text();
  return loaded->newest;
}

Result<FunctionRows> rows_of(const std::string& text) {
  const TemporaryFolder folder;
  folder.write("power.yaml", "subject: Power\nfunctions:\n" + text);
  return load_function_rows(folder.path(), newest());
}

// ":3:5: message", without the folder.
std::string refusal(const std::string& text) {
  const auto rows = rows_of(text);
  if (rows) return "accepted";
  const std::string whole = rows.error().text();
  return whole.substr(whole.find("power.yaml") + std::string_view("power.yaml").size());
}

TEST(BindingRows, AllKeys) {
  const auto rows = rows_of(
      "  nvmlDeviceGetTemperatureV:\n"
      "    says: How warm it is.\n"
      "    boards: all\n"
      "    name: temperature\n"
      "    on: Device\n"
      "    family: nvmlDeviceGetTemperature\n"
      "    keys: [sensorType]\n"
      "    names: {sensorType: sensor, temperature: value}\n"
      "    roles: {temperature: inout}\n"
      "    units: {temperature: celsius}\n"
      "    nothing: {temperature: 255}\n"
      "    tells: {temperature: What the sensor shows.}\n"
      "    protocol: A\n"
      "    empty: [NVML_ERROR_NOT_FOUND]\n"
      "    text: 96\n"
      "    result: Heat\n"
      "    shape: hand\n"
      "    errors: {NVML_ERROR_IN_USE: somebody measures}\n");
  ASSERT_TRUE(rows) << rows.error().text();
  const FunctionRow& row = rows->at("nvmlDeviceGetTemperatureV");
  EXPECT_EQ(row.says, "How warm it is.");
  EXPECT_EQ(row.boards, "all");
  EXPECT_EQ(row.name, "temperature");
  EXPECT_EQ(row.on, "Device");
  EXPECT_EQ(row.family, "nvmlDeviceGetTemperature");
  EXPECT_EQ(row.keys, std::vector<std::string>{"sensorType"});
  EXPECT_EQ(row.names.at("sensorType"), "sensor");
  EXPECT_EQ(row.roles.at("temperature"), "inout");
  EXPECT_EQ(row.units.at("temperature"), "celsius");
  EXPECT_EQ(row.nothing.at("temperature"), "255");
  EXPECT_EQ(row.tells.at("temperature"), "What the sensor shows.");
  EXPECT_EQ(row.protocol, "A");
  EXPECT_EQ(row.empty, std::vector<std::string>{"NVML_ERROR_NOT_FOUND"});
  EXPECT_EQ(row.text, "96");
  EXPECT_EQ(row.result, "Heat");
  EXPECT_EQ(row.shape, "hand");
  ASSERT_EQ(row.errors.size(), 1U);
  EXPECT_EQ(row.errors.front().second, "somebody measures");
  EXPECT_EQ(row.topic, "power");
  EXPECT_EQ(row.subject, "Power");
  EXPECT_EQ(row.line, 3U);
}

TEST(BindingRows, Refusals) {
  EXPECT_EQ(refusal("  nvmlNoSuchThing: {says: x}\n"), ":3:3: the newest header has no function nvmlNoSuchThing");
  EXPECT_EQ(refusal("  nvmlDeviceGetPowerUsage: {name: x}\n"),
            ":3:3: nvmlDeviceGetPowerUsage needs `says`: what the function does, in a sentence");
  EXPECT_EQ(refusal("  nvmlDeviceGetPowerUsage: {says: x, units: {watts: milliwatts}}\n"),
            ":3:3: 'watts' is neither a parameter nor a key of nvmlDeviceGetPowerUsage");
  EXPECT_EQ(refusal("  nvmlDeviceGetPowerUsage: {says: x, roles: {watts: in}}\n"),
            ":3:46: 'watts' is not a parameter of nvmlDeviceGetPowerUsage");
  EXPECT_EQ(refusal("  nvmlDeviceGetPowerUsage: {says: x, names: {watts: power}}\n"),
            ":3:3: 'watts' is neither a parameter nor a key of nvmlDeviceGetPowerUsage");
  EXPECT_EQ(refusal("  nvmlDeviceGetPowerUsage: {says: x, empty: NONE}\n"), ":3:45: a list was expected");
  EXPECT_EQ(refusal("  nvmlDeviceGetPowerUsage: {says: []}\n"), ":3:35: a text was expected");
  EXPECT_NE(refusal("  nvmlDeviceGetPowerUsage: {says: x, unit: y}\n").find("'unit' is not part of a row; one of says"),
            std::string::npos);
}

TEST(BindingRows, WordsThatAreNone) {
  EXPECT_EQ(refusal("  nvmlDeviceGetPowerUsage: {says: x, roles: {power: both}}\n"),
            ":3:3: the role of power is 'both'; in, out or inout was expected");
  EXPECT_EQ(refusal("  nvmlDeviceGetPowerUsage: {says: x, protocol: K}\n"),
            ":3:3: the protocol is 'K'; a letter from A to H was expected");
  EXPECT_EQ(refusal("  nvmlDeviceGetPowerUsage: {says: x, shape: list}\n"),
            ":3:3: the shape is 'list'; hand was expected");
  EXPECT_EQ(refusal("  nvmlDeviceGetPowerUsage: {says: x, empty: [NVML_ERROR_EMPTY]}\n"),
            ":3:3: 'NVML_ERROR_EMPTY' is no return code");
  EXPECT_EQ(refusal("  nvmlDeviceGetPowerUsage: {says: x, errors: {IN_USE: it is}}\n"),
            ":3:3: 'IN_USE' is no return code");
}

TEST(BindingRows, UnitsOfKeys) {
  const auto rows = rows_of("  nvmlDeviceGetFanSpeedRPM: {says: x, keys: [fan], units: {fan: flag}}\n");
  ASSERT_TRUE(rows) << rows.error().text();
  EXPECT_EQ(rows->at("nvmlDeviceGetFanSpeedRPM").units.at("fan"), "flag");
}

TEST(BindingRows, EachFunctionOfTheNewestHeaderHasOne) {
  const auto rows = load_function_rows(source_folder() / "model" / "binding" / "functions", newest());
  ASSERT_TRUE(rows) << rows.error().text();
  for (const Function& function : newest().functions)
    EXPECT_TRUE(rows->contains(function.name)) << function.name;
  EXPECT_EQ(rows->size(), newest().functions.size());
}

TEST(BindingRows, AFileHasItsHeading) {
  const TemporaryFolder folder;
  folder.write("a.yaml", "functions:\n  nvmlDeviceGetPowerUsage: {says: x}\n");
  const auto rows = load_function_rows(folder.path(), newest());
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().message, "`subject` is missing: the heading of these functions in the reference");
}

TEST(BindingRows, OneRowForEachFunction) {
  const TemporaryFolder folder;
  folder.write("a.yaml", "subject: Power\nfunctions:\n  nvmlDeviceGetPowerUsage: {says: x}\n");
  folder.write("b.yaml", "subject: Power\nfunctions:\n  nvmlDeviceGetPowerUsage: {says: x}\n");
  const auto rows = load_function_rows(folder.path(), newest());
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().message, "nvmlDeviceGetPowerUsage has a row already");
}

}  // namespace
}  // namespace nvmlab::codegen::test
