// SPDX-License-Identifier: Apache-2.0
// The state vocabulary: what a topic file may say, and where and how each thing that it may not say is refused.
#include "codegen/state/vocabulary.hpp"

#include <gtest/gtest.h>

#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

constexpr const char* kHead = "topic: power\nof: gpu\ndoc: Draw.\n";

// What load_vocabulary() says of one file "power.yaml" with these contents; "" where it takes it.
std::string refusal(const std::string& text) {
  const TemporaryFolder folder;
  folder.write("power.yaml", text);
  const auto vocabulary = load_vocabulary(folder.path());
  if (vocabulary) return "";
  std::string error = vocabulary.error().text();
  const std::string path = (folder.path() / "power.yaml").string();
  const auto at = error.find(path);
  EXPECT_NE(at, std::string::npos) << "the file is not named: " << error;
  return at == std::string::npos ? error : error.substr(0, at) + error.substr(at + path.size() + 1);
}

std::string field(const std::string& row) { return std::string(kHead) + "fields:\n  draw_mw: " + row + "\n"; }

TEST(Vocabulary, ReadsTopicsFieldsAndRecords) {
  const TemporaryFolder folder;
  folder.write("power.yaml",
               std::string(kHead) +
                   "records:\n"
                   "  rail:\n"
                   "    volts: {type: u32, kind: live, doc: Voltage}\n"
                   "fields:\n"
                   "  draw_mw: {type: u32, kind: live, unit: mW, doc: Draw}\n"
                   "  mode: {type: u32, kind: setting, labels: {off: 0, on: 7}, range: [0, 7], set_by: none, "
                   "reset: default, default: 0, doc: Mode}\n"
                   "  name: {type: text(32), kind: fixed, doc: Name}\n"
                   "  rails: {type: 'list(rail, 4)', kind: fixed, doc: Rails}\n"
                   "  main: {type: record(rail), kind: fixed, doc: Rail}\n");
  folder.write("about.txt", "not a topic");
  folder.write(
      "system.yaml",
      "topic: system\nof: node\ndoc: Once.\nfields:\n  cpus: {type: 'list(u64, 16)', kind: fixed, doc: CPUs}\n");
  const auto vocabulary = load_vocabulary(folder.path());
  ASSERT_TRUE(vocabulary) << vocabulary.error().text();
  ASSERT_EQ(vocabulary->topics.size(), 2U);
  const StateTopic* power = vocabulary->find("power");
  ASSERT_NE(power, nullptr);
  EXPECT_FALSE(power->of_node);
  EXPECT_TRUE(vocabulary->find("system")->of_node);
  EXPECT_EQ(vocabulary->find("voltage"), nullptr);
  ASSERT_EQ(power->fields.size(), 5U);
  EXPECT_EQ(power->find("draw_mw")->unit, "mW");
  EXPECT_EQ(power->find("mode")->labels[1], (std::pair<std::string, std::uint32_t>{"on", 7}));
  EXPECT_TRUE(power->find("mode")->ranged);
  EXPECT_EQ(power->find("mode")->high, 7);
  EXPECT_EQ(cpp_type(*power, *power->find("draw_mw")), "Fact<std::uint32_t>");
  EXPECT_EQ(cpp_type(*power, *power->find("name")), "Text<32>");
  EXPECT_EQ(cpp_type(*power, *power->find("rails")), "List<Power::Rail, 4>");
  EXPECT_EQ(cpp_type(*power, *power->find("main")), "Power::Rail");
  EXPECT_EQ(power->find("none"), nullptr);
  EXPECT_EQ(power->record("none"), nullptr);
}

TEST(Vocabulary, RefusesTypesThatAreNone) {
  for (const char* type : {"u8", "text", "text(0)", "text(12)", "text(x)", "bytes(7)", "u32(4)", "list(u32)",
                           "list(u32, 0)", "record", "''"}) {
    const std::string said =
        refusal(field(std::string("{type: '") + (type == std::string("''") ? "" : type) + "', kind: live, doc: Draw}"));
    EXPECT_TRUE(said.starts_with("5:19: ")) << type << ": " << said;
    EXPECT_NE(said.find("is not a type; one of u32, u64, i32, flag, text(8N), bytes(8N), record(NAME), list("),
              std::string::npos)
        << said;
  }
}

TEST(Vocabulary, RefusesEverythingElseWithItsPlace) {
  struct Wrong {
    std::string text;
    const char* said;
  };
  const Wrong wrongs[] = {
      {field("{type: u32, kind: often, doc: D}"), "5:30: 'often' is not a kind; one of fixed, setting, live, counter"},
      {field("{type: u32, kind: live, labels: {on: many}, doc: D}"),
       "5:49: a label stands for a number from 0 to 4294967295"},
      {field("{type: u32, kind: live, labels: {on: 4294967296}, doc: D}"), "5:49: a label stands for a number"},
      {field("{type: u32, kind: live, range: [1], doc: D}"), "5:43: a range is [LOWEST, HIGHEST]"},
      {field("{type: u32, kind: live, range: [7, 1], doc: D}"), "5:43: a range is [LOWEST, HIGHEST]"},
      {field("{type: u32, kind: live, range: [a, 1], doc: D}"), "5:43: a range is [LOWEST, HIGHEST]"},
      {field("{type: u32, kind: live, colour: red, doc: D}"),
       "5:36: 'colour' is not an attribute of a field; one of type, kind, unit, labels, bits, range, within, set_by, "
       "follows, reset, default, cleared_by, derived, unit_specific, doc"},
      {field("{type: u32, kind: setting, reset: keep, doc: D}"),
       "5:3: the setting 'draw_mw' has no 'set_by': the NVML function that sets it, or none"},
      {field("{type: u32, kind: live, set_by: nvmlDeviceSetX, doc: D}"),
       "5:3: field 'draw_mw' is not a setting, so nothing sets it"},
      {field("{type: text(8), kind: fixed, within: [a, b], doc: D}"),
       "5:3: field 'draw_mw' has 'within', so its type is u32, u64 or i32"},
      {field("{type: u32, kind: live, within: [a], doc: D}"),
       "5:44: the board's range is [LOWEST, HIGHEST], numbers or names of fields"},
      {field("{kind: live, doc: D}"), "5:3: field 'draw_mw' has no 'type'"},
      {field("{type: u32, doc: D}"), "5:3: field 'draw_mw' has no 'kind'"},
      {field("{type: u32, kind: live}"), "5:3: field 'draw_mw' has no 'doc'"},
      {field("watts"), "5:12: field 'draw_mw' needs {type, kind, doc}, found "},
      {field("{type: record(rail), kind: live, doc: D}"),
       "field 'draw_mw' names the record 'rail', which this topic does not define"},
      {field("{type: 'list(rail, 2)', kind: live, doc: D}"),
       "names the record 'rail', which this topic does not define"},
      {"topic: heat\n", "1:8: the topic's name must be the file's name, 'power'"},
      {"topic: power\nof: rack\n", "2:5: `of` is gpu or node"},
      {"topic: power\nfield: {}\n", "2:1: 'field' is not a part of a topic; one of topic, of, doc, records, fields"},
      {std::string(kHead) + "records:\n  rail:\n    volts: {type: u9, kind: live, doc: D}\n",
       "6:19: 'u9' is not a type"},
      {"topic: [power\n", "2:1: "},
  };
  for (const Wrong& wrong : wrongs) {
    const std::string said = refusal(wrong.text);
    EXPECT_NE(said.find(wrong.said), std::string::npos)
        << wrong.text << "\nsaid " << said << "\ninstead of " << wrong.said;
  }
}

TEST(Vocabulary, RefusesAFolderThatIsNotThere) {
  const auto vocabulary = load_vocabulary("/no/such/folder");
  ASSERT_FALSE(vocabulary);
  EXPECT_TRUE(vocabulary.error().text().starts_with("/no/such/folder: ")) << vocabulary.error().text();
}

TEST(Vocabulary, TheCommittedOneNamesEveryUnit) {
  const auto vocabulary = load_vocabulary(source_folder() / "model" / "state");
  ASSERT_TRUE(vocabulary) << vocabulary.error().text();
  EXPECT_GE(vocabulary->topics.size(), 14U);
  for (const StateTopic& topic : vocabulary->topics) {
    EXPECT_FALSE(topic.fields.empty()) << topic.name;
    for (const StateField& each : topic.fields)
      EXPECT_FALSE(each.doc.empty()) << topic.name << "." << each.name;
  }
}

TEST(Vocabulary, PascalCase) {
  EXPECT_EQ(pascal_case("power"), "Power");
  EXPECT_EQ(pascal_case("sram_status"), "SramStatus");
  EXPECT_EQ(pascal_case("l1_cache"), "L1Cache");
  EXPECT_EQ(pascal_case(""), "");
}

}  // namespace
}  // namespace nvmlab::codegen::test
