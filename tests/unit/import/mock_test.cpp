// SPDX-License-Identifier: Apache-2.0
//
// Configurations of Mock NVML: the profile is the machine that the simulated driver makes of the file itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "compiler/compile.hpp"
#include "compiler/mock/config.hpp"
#include "compiler/values.hpp"
#include "engine/state/field.hpp"
#include "tests/unit/import/samples.hpp"

namespace nvmlab::importer {
namespace {

std::string example() {
  std::ifstream file(std::string(std::getenv("NVMLAB_SOURCE_DIR")) + "/tests/unit/compiler/data/mock.yaml");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

void expect_equal(const std::byte* a, const std::byte* b, bool of_node, const std::string& whose) {
  for (const Topic& topic : topics()) {
    if (topic.of_node != of_node) continue;
    for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
      const Field& field = topic.table.fields[i];
      const auto offset = topic.offset + field.offset;
      EXPECT_EQ(compiler::format_value(field, a + offset, compiler::Style::yaml),
                compiler::format_value(field, b + offset, compiler::Style::yaml))
          << whose << ": " << topic.table.name << "." << field.name;
    }
  }
}

TEST(MockConfig, TheProfileIsTheSameMachine) {
  const auto text = example();
  ASSERT_FALSE(text.empty());
  const auto mock = compiler::compile_mock_text(text, "mock.yaml", nullptr);
  ASSERT_TRUE(mock);
  const auto made = imported({{"mock.yaml", text}});
  const auto machine = compiler::compile_text(made.yaml, "m.yaml", "m");
  ASSERT_TRUE(machine) << compiler::describe(machine.error());
  ASSERT_EQ(machine->gpu_count(), mock->machine.gpu_count());
  expect_equal(reinterpret_cast<const std::byte*>(&mock->machine.node()),
               reinterpret_cast<const std::byte*>(&machine->node()), true, "node");
  for (std::uint32_t i = 0; i < machine->gpu_count(); ++i) {
    expect_equal(reinterpret_cast<const std::byte*>(&mock->machine.gpu(i)),
                 reinterpret_cast<const std::byte*>(&machine->gpu(i)), false, "GPU " + std::to_string(i));
  }
  EXPECT_NE(made.yaml.find("title: \"mock.yaml, a configuration of Mock NVML\""), std::string::npos) << made.yaml;
  EXPECT_EQ(made.yaml.find("inherits:"), std::string::npos);
}

TEST(MockConfig, MergesWithACaptureOfTheSameGpus) {
  const std::string config =
      "version: \"1.0\"\nsystem: {driver_version: 550.90.07}\ndevices:\n"
      "  - {index: 0, pci: {bus_id: \"0000:01:00.0\"}, thermal: {temperature_gpu_c: 50}, name: NVIDIA X200}\n";
  const auto made = imported({{"q.xml", sample::log({1})}, {"mock.yaml", config}});
  EXPECT_EQ(value(made, 0, "identity.name"), "NVIDIA X100") << "the first input stands";
  EXPECT_NE(made.yaml.find("inherits: hopper"), std::string::npos);
  const auto contradiction = std::ranges::find_if(
      made.notes, [](const auto& note) { return note.starts_with("identity.name of GPU 0: q.xml:5 says"); });
  ASSERT_NE(contradiction, made.notes.end());
  EXPECT_NE(contradiction->find("mock.yaml:4 says"), std::string::npos) << *contradiction;
}

TEST(MockConfig, MistakesAreToldWithTheirLines) {
  EXPECT_EQ(refused({{"mock.yaml", "version: 1\ndevices: [5]\n"}}),
            "mock.yaml:2:11: a single value was found; an item of 'devices' is a mapping");
  std::string laughs = "version: 1\na: &a [x, x]\n";
  for (char name = 'b'; name < 'z'; ++name)
    laughs += std::string(1, name) + ": &" + name + " [*" + static_cast<char>(name - 1) + ", *" +
              static_cast<char>(name - 1) + "]\n";
  EXPECT_EQ(refused({{"mock.yaml", laughs + "devices: [*y]\n"}}).substr(0, 10), "mock.yaml:");
}

}  // namespace
}  // namespace nvmlab::importer
