// SPDX-License-Identifier: Apache-2.0
#include "compiler/values.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "compiler/paths.hpp"
#include "compiler/values_raw.hpp"
#include "engine/state/generated/state.hpp"

namespace nvmlab::compiler {
namespace {

struct Read {
  std::string problems;
  std::vector<std::byte> bytes;
};

// One field from YAML text, into zeroed bytes.
Read read(const char* path, std::string_view text) {
  const FieldRef ref = *find_field(path);
  Read out;
  out.bytes.resize(ref.field->size);
  auto node = yaml::parse(text, "t.yaml");
  if (!node) return {node.error().text(), {}};
  Problems problems;
  const bool good = read_value(*node, *ref.field, path, out.bytes.data(), problems);
  EXPECT_EQ(good, problems.empty()) << path << ": " << text;
  for (const Problem& problem : problems)
    out.problems += (out.problems.empty() ? "" : " | ") + problem.text();
  return out;
}

template <class T>
T typed(const Read& read) {
  T value{};
  EXPECT_EQ(read.bytes.size(), sizeof value);
  std::memcpy(&value, read.bytes.data(), sizeof value);
  return value;
}

TEST(Values, FillTheTypedLayouts) {
  EXPECT_EQ(typed<Fact<std::uint32_t>>(read("power.draw_mw", "68_570")).value_or(0), 68570u);
  EXPECT_EQ(typed<Fact<std::uint32_t>>(read("pci.device_id", "0x233010DE")).value_or(0), 0x233010DEu);
  EXPECT_EQ(typed<Fact<std::uint64_t>>(read("memory.total_bytes", "81559 MiB")).value_or(0), 81559ull << 20);
  EXPECT_EQ(typed<Fact<std::int32_t>>(read("thermal.slowdown_tlimit_c", "-2")).value_or(0), -2);
  EXPECT_EQ(typed<Fact<std::uint32_t>>(read("modes.persistence", "enabled")).value_or(9), 1u);
  EXPECT_EQ(typed<Fact<std::uint32_t>>(read("identity.multi_gpu_board", "no")).value_or(9), 0u);
  EXPECT_EQ(typed<Fact<std::uint32_t>>(read("identity.architecture", "unknown")).value_or(9), 0xFFFFFFFFu);
  const auto name = typed<Text<96>>(read("identity.name", "NVIDIA H100 80GB HBM3"));
  EXPECT_STREQ(name.data, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(name.length, 21u);
  EXPECT_TRUE(name.has_value());
  const auto uuid = typed<Bytes<16>>(read("fabric.cluster_uuid", "00010203-0405-0607-0809-0a0b0c0d0e0f"));
  EXPECT_TRUE(uuid.has_value());
  EXPECT_EQ(uuid.data[15], 15);
}

TEST(Values, AnswersInPlaceOfValues) {
  const auto deprecated = typed<Fact<std::uint32_t>>(read("modes.display_mode", "{answer: DEPRECATED}"));
  EXPECT_EQ(deprecated.code(), 26u);
  EXPECT_EQ(typed<Fact<std::uint64_t>>(read("memory.total_bytes", "{answer: NVML_ERROR_GPU_IS_LOST}")).code(), 15u);
  EXPECT_EQ(typed<Text<96>>(read("identity.name", "{answer: UNKNOWN}")).code(), 999u);
  EXPECT_EQ(typed<Bytes<16>>(read("fabric.cluster_uuid", "{answer: NO_DATA}")).code(), 21u);
  EXPECT_EQ(typed<Fact<std::uint32_t>>(read("modes.display_mode", "null")).code(), kNotSupported);
  EXPECT_EQ(typed<Fact<std::uint32_t>>(read("modes.display_mode", "~")).code(), kNotSupported);
}

TEST(Values, Lists) {
  const auto cpus = typed<List<std::uint64_t, 16>>(read("topology.cpu_affinity", "[0xF, 0x0, 18446744073709551615]"));
  ASSERT_EQ(cpus.size(), 3u);
  EXPECT_EQ(cpus[2], ~std::uint64_t{0});
  const auto clocks = typed<decltype(Clocks::supported)>(
      read("clocks.supported",
           "[{memory_mhz: 5, graphics_mhz: [{from: 30, to: 10, step: 10}, 7, {from: 1, to: 3, step: 1}]}]"));
  ASSERT_EQ(clocks.size(), 1u);
  ASSERT_EQ(clocks[0].graphics_mhz.size(), 7u);
  const std::uint16_t wanted[] = {30, 20, 10, 7, 1, 2, 3};
  EXPECT_TRUE(std::equal(std::begin(wanted), std::end(wanted), clocks[0].graphics_mhz.begin()));
  // Clocks stand on grids of 7.5 and 12.65625 MHz, of which NVML tells the whole MHz.
  const auto grids = typed<decltype(Clocks::supported)>(
      read("clocks.supported",
           "[{graphics_mhz: [{from: 2062.5, to: 2032, step: 7.5}, {from: 120, to: 135, step: 7.5}]}, "
           "{graphics_mhz: [{from: 1252.96875, to: 1227, step: 12.65625}, {from: 0x10, to: 13, step: 1.5}]}]"));
  ASSERT_EQ(grids.size(), 2u);
  const std::uint16_t halves[] = {2062, 2055, 2047, 2040, 2032, 120, 127, 135};
  ASSERT_EQ(grids[0].graphics_mhz.size(), std::size(halves));
  EXPECT_TRUE(std::equal(std::begin(halves), std::end(halves), grids[0].graphics_mhz.begin()));
  const std::uint16_t parts[] = {1252, 1240, 1227, 16, 14, 13};
  ASSERT_EQ(grids[1].graphics_mhz.size(), std::size(parts));
  EXPECT_TRUE(std::equal(std::begin(parts), std::end(parts), grids[1].graphics_mhz.begin()));
  const auto links =
      typed<decltype(Nvlink::links)>(read("nvlink.links", "[{repeat: 3, version: 6}, {version: 4, active: inactive}]"));
  ASSERT_EQ(links.size(), 4u);
  EXPECT_EQ(links[2].version.value_or(0), 6u);
  EXPECT_EQ(links[3].version.value_or(0), 4u);
  EXPECT_EQ(links[3].active.value_or(9), 0u);
  EXPECT_FALSE(links[3].speed_mbps.has_value());
  EXPECT_EQ(typed<decltype(Nvlink::links)>(read("nvlink.links", "null")).size(), 0u);
}

TEST(Values, WhatIsWrongAndWhatWouldBeRight) {
  const struct {
    const char* field;
    const char* text;
    const char* problem;
  } cases[] = {
      {"power.draw_mw", "abc", "t.yaml:1:1: 'abc' is not a whole number; power.draw_mw takes a whole number (mW)"},
      {"power.draw_mw", "1.5", "t.yaml:1:1: '1.5' is not a whole number; power.draw_mw takes a whole number (mW)"},
      {"power.draw_mw", "-1", "t.yaml:1:1: '-1' is out of range; power.draw_mw takes 0 to 4294967295"},
      {"power.draw_mw", "4294967296", "t.yaml:1:1: '4294967296' is out of range; power.draw_mw takes 0 to 4294967295"},
      {"power.draw_mw", "0.5 mW",
       "t.yaml:1:1: '0.5 mW' is no whole number of mW; power.draw_mw takes a whole number (mW)"},
      {"power.draw_mw", "5 MiB",
       "t.yaml:1:1: '5 MiB' is in MiB, and a number of mW, W or kW was expected; power.draw_mw takes a whole number "
       "(mW)"},
      {"clocks.event_reasons", "[gpu_idle, tired]",
       "t.yaml:1:12: 'tired' is none of the bits of clocks.event_reasons; they are: gpu_idle, "
       "applications_clocks_setting, sw_power_cap, hw_slowdown, sync_boost, sw_thermal_slowdown, hw_thermal_slowdown, "
       "hw_power_brake_slowdown, display_clock_setting"},
      {"power.draw_mw", "'5'", "t.yaml:1:1: a text in quotes was found; power.draw_mw takes a whole number (mW)"},
      {"power.draw_mw", "[5]", "t.yaml:1:1: a list was found; power.draw_mw takes a whole number (mW)"},
      {"power.draw_mw", "{a: 5}", "t.yaml:1:1: a mapping was found; power.draw_mw takes a whole number (mW)"},
      {"clocks.performance_state", "16", "t.yaml:1:1: '16' is out of range; clocks.performance_state takes 0 to 15"},
      {"pci.link_gen_max", "0", "t.yaml:1:1: '0' is out of range; pci.link_gen_max takes 1 to 8"},
      {"thermal.tlimit_c", "-2147483649",
       "t.yaml:1:1: '-2147483649' is out of range; thermal.tlimit_c takes -2147483648 to 2147483647"},
      {"memory.total_bytes", "99999999999999999999",
       "t.yaml:1:1: '99999999999999999999' is larger than any number here (18446744073709551615); memory.total_bytes "
       "takes a whole number (B)"},
      {"memory.total_bytes", "1.3 KiB",
       "t.yaml:1:1: '1.3 KiB' is no whole number of bytes; memory.total_bytes takes a whole number (B)"},
      {"modes.persistence", "enabld",
       "t.yaml:1:1: 'enabld' is none of the labels of modes.persistence; did you mean 'enabled'?"},
      {"modes.persistence", "volcano",
       "t.yaml:1:1: 'volcano' is none of the labels of modes.persistence; they are: disabled, enabled"},
      {"modes.persistence", "2", "t.yaml:1:1: '2' is out of range; modes.persistence takes 0 to 1"},
      {"identity.inforom_image_version", "0123456789abcdef",
       "t.yaml:1:1: a text of 16 bytes is too long; identity.inforom_image_version takes at most 15"},
      {"identity.name", "\"a\\0b\"", "t.yaml:1:1: a NUL byte in identity.name; it takes UTF-8 in one line"},
      {"identity.name", "\"a\\nb\"", "t.yaml:1:1: a control character in identity.name; it takes UTF-8 in one line"},
      {"identity.name", "[a]", "t.yaml:1:1: a list was found; identity.name takes a text of at most 95 bytes"},
      {"fabric.cluster_uuid", "0011",
       "t.yaml:1:1: '0011' has 4 hexadecimal digits; fabric.cluster_uuid takes 16 bytes in hexadecimal"},
      {"modes.display_mode", "{answer: DEPRECATD}",
       "t.yaml:1:10: 'DEPRECATD' is no return code of NVML; did you mean 'DEPRECATED'?"},
      {"modes.display_mode", "{answer: [1]}", "t.yaml:1:10: a list was found; a return code of NVML would be right"},
      {"modes.display_mode", "{answer: UNKNOWN, x: 1}",
       "t.yaml:1:19: 'x' beside 'answer'; modes.display_mode gets a value or an answer"},
      {"nvlink.links", "{answer: UNKNOWN}",
       "t.yaml:1:1: an answer was found; nvlink.links is a list, and an absent list is empty"},
      {"nvlink.links", "5", "t.yaml:1:1: a single value was found; nvlink.links takes a list of mappings"},
      {"nvlink.links", "[5]", "t.yaml:1:2: a single value was found; nvlink.links[0] takes a mapping"},
      {"nvlink.links", "[{}, {activ: 1}]", "t.yaml:1:7: nvlink.links[1] has no field 'activ'; did you mean 'active'?"},
      {"nvlink.links", "[{repeat: 0}]", "t.yaml:1:11: 'repeat' of nvlink.links[0] takes a whole number from 1 to 18"},
      {"nvlink.links", "[{repeat: 18}, {}]", "t.yaml:1:1: 19 items are too many; nvlink.links takes at most 18"},
      {"topology.cpu_affinity", "[1, x]",
       "t.yaml:1:5: 'x' is not a whole number; topology.cpu_affinity takes a list of whole numbers"},
      {"topology.cpu_affinity", "[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]",
       "t.yaml:1:1: 17 items are too many; topology.cpu_affinity takes at most 16"},
      {"topology.cpu_affinity", "[{from: 0, to: 18446744073709551615, step: 1}]",
       "t.yaml:1:1: 4294967296 items are too many; topology.cpu_affinity takes at most 16"},
      {"topology.cpu_affinity", "[{from: 1, to: 8, step: 3}]",
       "t.yaml:1:2: steps of 3 do not lead from 1 to 8; in topology.cpu_affinity"},
      {"topology.cpu_affinity", "[{from: 1, to: 8, step: 0}]",
       "t.yaml:1:2: steps of 0 do not lead from 1 to 8; in topology.cpu_affinity"},
      {"topology.cpu_affinity", "[{from: 8.5, to: 2, step: 2.5}]",
       "t.yaml:1:2: steps of 2.5 do not lead from 8.5 to 2; in topology.cpu_affinity"},
      {"topology.cpu_affinity", "[{from: 8, to: 1, step: 0.0}]",
       "t.yaml:1:2: steps of 0.0 do not lead from 8 to 1; in topology.cpu_affinity"},
      {"topology.cpu_affinity", "[{from: 8, to: 1, step: 1.0000001}]",
       "t.yaml:1:25: '1.0000001' is no number with at most six decimal places; topology.cpu_affinity takes a list of "
       "whole numbers"},
      {"clocks.supported", "[{graphics_mhz: [{from: 70000.5, to: 1, step: 2}]}]",
       "t.yaml:1:25: '70000.5' is out of range; clocks.supported[0].graphics_mhz takes 0 to 65535"},
      {"topology.cpu_affinity", "[{from: 1, to: 8}]",
       "t.yaml:1:2: a mapping was found; topology.cpu_affinity takes numbers or {from: 900, to: 600, step: 15}"},
      {"clocks.supported", "[{graphics_mhz: [70000]}]",
       "t.yaml:1:18: '70000' is out of range; clocks.supported[0].graphics_mhz takes 0 to 65535"},
      {"ecc.sram", "7", "t.yaml:1:1: a single value was found; ecc.sram takes a mapping"},
      // Every problem at once.
      {"ecc.sram", "{source_l2: x, source_l3: 0, source_sm: -1}",
       "t.yaml:1:13: 'x' is not a whole number; ecc.sram.source_l2 takes a whole number | "
       "t.yaml:1:16: ecc.sram has no field 'source_l3'; did you mean 'source_l2'? | "
       "t.yaml:1:41: '-1' is out of range; ecc.sram.source_sm takes 0 to 18446744073709551615"},
  };
  for (const auto& one : cases)
    EXPECT_EQ(read(one.field, one.text).problems, one.problem) << one.field << ": " << one.text;
}

TEST(Values, ForPeople) {
  const auto people = [](const char* path, const char* text) {
    const Read value = read(path, text);
    return format_value(*find_field(path)->field, value.bytes.data(), Style::people);
  };
  EXPECT_EQ(people("modes.display_mode", "{answer: DEPRECATED}"), "answers DEPRECATED");
  EXPECT_EQ(people("modes.display_mode", "null"), "not supported");
  EXPECT_EQ(people("modes.display_mode", "1"), "enabled");
  EXPECT_EQ(people("identity.name", "'a: b'"), "a: b");
  EXPECT_EQ(people("memory.total_bytes", "1 MiB"), "1048576");
  EXPECT_EQ(people("identity.brand", "99"), "99");  // a brand that has no word yet
}

TEST(Values, RecordsKeepWhatIsNotNamed) {
  const FieldRef ref = *find_field("ecc.sram");
  std::vector<std::byte> bytes(ref.field->size);
  Problems problems;
  read_value(*yaml::parse("{source_l2: 5, source_sm: 6}", "t"), *ref.field, "ecc.sram", bytes.data(), problems);
  read_value(*yaml::parse("{source_sm: 7}", "t"), *ref.field, "ecc.sram", bytes.data(), problems);
  EXPECT_EQ(format_value(*ref.field, bytes.data(), Style::yaml), "{source_l2: 5, source_sm: 7}");
  read_value(*yaml::parse("null", "t"), *ref.field, "ecc.sram", bytes.data(), problems);
  EXPECT_EQ(format_value(*ref.field, bytes.data(), Style::yaml), "{}");
}

// Values that the state can hold, at random but within the rules of the field.
class Dice {
 public:
  void fill(const Field& field, std::byte* at) {
    if (field.type == FieldType::record) {
      for (std::uint32_t i = 0; i < field.record->field_count; ++i) {
        fill(field.record->fields[i], at + field.record->fields[i].offset);
      }
      return;
    }
    if (is_list(field.type)) return fill_list(field, at);
    raw::set_error(field, at, pick(3) == 0 ? 26 : kNotSupported);
    if (pick(4) == 0) return;
    raw::set_error(field, at, 0);
    switch (field.type) {
      case FieldType::text: {
        constexpr std::string_view letters = "aZ09 :,#[]{}\"'\\-*&!|>%@`.~";
        std::string text;
        const std::uint64_t size = pick(field.capacity);
        while (text.size() + 2 <= size)
          text += pick(8) == 0 ? std::string("\xC3\xA4") : std::string(1, letters[pick(26)]);
        raw::store<std::uint32_t>(at, static_cast<std::uint32_t>(text.size()));
        std::memcpy(at + raw::kDataOffset, text.data(), text.size());
        break;
      }
      case FieldType::bytes:
        for (std::uint32_t i = 0; i < field.capacity; ++i)
          at[raw::kDataOffset + i] = static_cast<std::byte>(pick(256));
        break;
      case FieldType::u64:
        raw::store<std::uint64_t>(at, engine_());
        break;
      case FieldType::i32:
        raw::store<std::int32_t>(at, static_cast<std::int32_t>(pick(2001)) - 1000);
        break;
      case FieldType::flag:
        raw::store<std::uint32_t>(at, static_cast<std::uint32_t>(pick(2)));
        break;
      default: {
        const auto low = static_cast<std::uint64_t>(field.ranged ? field.low : 0);
        const auto high = static_cast<std::uint64_t>(field.ranged ? field.high : 0xFFFF'FFFF);
        raw::store<std::uint32_t>(at, static_cast<std::uint32_t>(low + pick(high - low + 1)));
      }
    }
  }

 private:
  void fill_list(const Field& field, std::byte* at) {
    const std::uint64_t count = pick(field.capacity + 1);
    raw::store<std::uint32_t>(at, static_cast<std::uint32_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
      std::byte* item = at + kListHead + i * item_size(field);
      if (field.type == FieldType::list_record) {
        for (std::uint32_t k = 0; k < field.record->field_count; ++k) {
          fill(field.record->fields[k], item + field.record->fields[k].offset);
        }
      } else {
        for (std::uint32_t k = 0; k < item_size(field); ++k)
          item[k] = static_cast<std::byte>(pick(256));
      }
    }
  }

  std::uint64_t pick(std::uint64_t below) { return engine_() % below; }
  std::mt19937_64 engine_{20261121};
};

TEST(Values, WrittenAndReadBackEveryFieldIsTheSame) {
  Dice dice;
  int fields = 0;
  for (const Topic& topic : topics()) {
    for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
      const Field& field = topic.table.fields[i];
      const std::string path = fmt::format("{}.{}", topic.table.name, field.name);
      ++fields;
      for (int round = 0; round < 20; ++round) {
        std::vector<std::byte> bytes(field.size);
        if (round > 0) dice.fill(field, bytes.data());  // the first is all zero: what no profile mentions
        const std::string text = format_value(field, bytes.data(), Style::yaml);
        const Read again = read(path.c_str(), text);
        ASSERT_EQ(again.problems, "") << path << ": " << text;
        ASSERT_TRUE(again.bytes == bytes)
            << path << ": " << text << " became " << format_value(field, again.bytes.data(), Style::yaml);
      }
    }
  }
  EXPECT_GT(fields, 200);
}

TEST(Values, DamagedBytesFormatWithoutLeavingTheField) {
  for (const Topic& topic : topics()) {
    for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
      const Field& field = topic.table.fields[i];
      std::vector<std::byte> bytes(field.size, std::byte{0xFF});
      for (const Style style : {Style::yaml, Style::people})
        EXPECT_FALSE(format_value(field, bytes.data(), style).empty());
      // Known, with a length or count far beyond the capacity.
      if (field.type == FieldType::text) raw::set_success(field, bytes.data());
      EXPECT_FALSE(format_value(field, bytes.data(), Style::yaml).empty());
    }
  }
}

TEST(Values, NoFieldHasANameThatProfilesUseOtherwise) {
  for (const Topic& topic : topics()) {
    const auto check = [&](const RecordTable& table, const auto& self) -> void {
      for (const std::string& name : member_names(table)) {
        for (const char* taken : {"source", "value", "answer", "repeat", "from", "profile", "count"})
          EXPECT_NE(name, taken) << topic.table.name;
      }
      for (std::uint32_t i = 0; i < table.field_count; ++i) {
        if (table.fields[i].record != nullptr) self(*table.fields[i].record, self);
      }
    };
    check(topic.table, check);
  }
}

}  // namespace
}  // namespace nvmlab::compiler
