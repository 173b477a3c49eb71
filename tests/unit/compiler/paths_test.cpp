// SPDX-License-Identifier: Apache-2.0
#include "compiler/paths.hpp"

#include <gtest/gtest.h>

#include <cstddef>

#include "engine/state/generated/state.hpp"

namespace nvmlab::compiler {
namespace {

struct Sample {
  Gpu gpu{};
  std::byte* bytes() { return reinterpret_cast<std::byte*>(&gpu); }
  std::string get(const char* path) {
    auto text = format_field(*find_field(path), bytes(), Style::people);
    return text ? *text : "error: " + text.error();
  }
  std::string set(const char* path, const char* text) {
    auto done = assign_field(*find_field(path), text, bytes());
    return done ? "" : done.error();
  }
};

TEST(Paths, LeadToOffsets) {
  EXPECT_EQ(find_field("power.draw_mw")->offset, offsetof(Gpu, power) + offsetof(Power, draw_mw));
  EXPECT_EQ(find_field("ecc.sram.source_sm")->offset,
            offsetof(Gpu, ecc) + offsetof(Ecc, sram) + offsetof(Ecc::SramStatus, source_sm));
  EXPECT_EQ(find_field("nvlink.links[3].active")->offset,
            offsetof(Gpu, nvlink) + offsetof(Nvlink, links) + 8 + 3 * sizeof(Nvlink::Link));
  EXPECT_EQ(find_field("clocks.supported[1].graphics_mhz[2]")->offset,
            offsetof(Gpu, clocks) + offsetof(Clocks, supported) + 8 + sizeof(Clocks::MemoryClock) +
                offsetof(Clocks::MemoryClock, graphics_mhz) + 8 + 2 * sizeof(std::uint16_t));
  EXPECT_TRUE(find_field("system.hostname")->topic->of_node);
  EXPECT_EQ(find_field("nvlink.links[0x3].active")->offset, find_field("nvlink.links[3].active")->offset);
}

std::string all_topics() {
  std::string names;
  for (const Topic& topic : topics())
    names += (names.empty() ? "" : ", ") + std::string(topic.table.name);
  return names;
}

TEST(Paths, WrongOnesSayWhatWouldBeRight) {
  const std::string no_topic = "there is no topic ''; the topics are: " + all_topics();
  const struct {
    const char* path;
    const char* error;
  } cases[] = {
      {"", no_topic.c_str()},
      {"powr.draw_mw", "there is no topic 'powr'; did you mean 'power'?"},
      {"power", "'power' is a topic; name a field of it, such as power.management"},
      {"power.drw_mw", "power has no field 'drw_mw'; did you mean 'draw_mw'?"},
      {"power.", "power has no field ''; its fields are: management, "},
      {"nvlink.links.active", "'nvlink.links' is a list; say which item, such as nvlink.links[0].active"},
      {"nvlink.links[18].active", "nvlink.links has at most 18 items, counted from 0"},
      {"nvlink.links[x]", "'links[x]' of 'nvlink.links[x]' is no item of a list; write list[0]"},
      {"nvlink.links[-1]", "'links[-1]' of 'nvlink.links[-1]' is no item of a list; write list[0]"},
      {"nvlink.links[1", "'links[1' of 'nvlink.links[1' is no item of a list; write list[0]"},
      {"nvlink.links[0].actve", "nvlink.links has no field 'actve'; did you mean 'active'?"},
      {"power.draw_mw[0]", "'power.draw_mw' is no list; leave the index out"},
      {"power.draw_mw.x", "'power.draw_mw' has no parts; 'x' leads nowhere"},
      {"topology.cpu_affinity[0].x", "'topology.cpu_affinity' has no parts; 'x' leads nowhere"},
  };
  for (const auto& one : cases) {
    auto found = find_field(one.path);
    ASSERT_FALSE(found) << one.path;
    EXPECT_TRUE(found.error().starts_with(one.error)) << found.error();
  }
}

TEST(Paths, GetAndSet) {
  Sample sample;
  EXPECT_EQ(sample.get("power.limit_mw"), "not supported");
  EXPECT_EQ(sample.set("power.limit_mw", "300000"), "");
  EXPECT_EQ(sample.get("power.limit_mw"), "300000");
  EXPECT_EQ(sample.gpu.power.limit_mw.value_or(0), 300000u);
  EXPECT_EQ(sample.set("power.limit_mw", "{answer: NO_PERMISSION}"), "");
  EXPECT_EQ(sample.gpu.power.limit_mw.code(), 4u);
  EXPECT_EQ(sample.set("modes.persistence", "enabled"), "");
  EXPECT_EQ(sample.get("modes.persistence"), "enabled");
  EXPECT_EQ(sample.set("memory.used_bytes", "2 GiB"), "");
  EXPECT_EQ(sample.gpu.memory.used_bytes.value_or(0), 2ull << 30);
  EXPECT_EQ(sample.set("ecc.sram", "{source_sm: 2}"), "");
  EXPECT_EQ(sample.get("ecc.sram.source_sm"), "2");
}

TEST(Paths, TextsAreTakenAsTheyAre) {
  Sample sample;
  for (const char* text : {"a: b", "[x]", "- y", "#", "yes", "12", "*a", "'q'", ""}) {
    EXPECT_EQ(sample.set("identity.name", text), "");
    EXPECT_EQ(sample.get("identity.name"), text);
  }
  EXPECT_EQ(sample.set("identity.name", "\"a\\\"b\""), "");  // quotes are YAML's
  EXPECT_EQ(sample.get("identity.name"), "a\"b");
  EXPECT_EQ(sample.set("identity.name", "null"), "");
  EXPECT_EQ(sample.gpu.identity.name.code(), kNotSupported);
  EXPECT_EQ(sample.set("identity.name", "\xFF"),
            "a byte that is not UTF-8 in identity.name; it takes UTF-8 in one line");
}

TEST(Paths, ItemsOfLists) {
  Sample sample;
  EXPECT_EQ(sample.set("topology.cpu_affinity[0]", "1"),
            "topology.cpu_affinity[0]: the list 'cpu_affinity' has 0 items here, counted from 0");
  EXPECT_EQ(sample.set("topology.cpu_affinity", "[1, 2]"), "");
  EXPECT_EQ(sample.set("topology.cpu_affinity[1]", "0xFF"), "");
  EXPECT_EQ(sample.get("topology.cpu_affinity"), "[1, 255]");
  EXPECT_EQ(sample.get("topology.cpu_affinity[1]"), "255");
  EXPECT_EQ(sample.set("nvlink.links", "[{repeat: 2, active: active}]"), "");
  EXPECT_EQ(sample.set("nvlink.links[1].active", "inactive"), "");
  EXPECT_EQ(sample.get("nvlink.links"), "[{active: active}, {active: inactive}]");
  EXPECT_EQ(sample.set("nvlink.links[0]", "{version: 6}"), "");
  EXPECT_EQ(sample.get("nvlink.links[0]"), "{active: active, version: 6}");
}

TEST(Paths, ARefusedValueChangesNothing) {
  Sample sample;
  ASSERT_EQ(sample.set("ecc.sram", "{source_sm: 1, source_l2: 2}"), "");
  EXPECT_EQ(sample.set("ecc.sram", "{source_sm: 9, source_l2: x}"),
            "'x' is not a whole number; ecc.sram.source_l2 takes a whole number");
  EXPECT_EQ(sample.get("ecc.sram"), "{source_l2: 2, source_sm: 1}");
  EXPECT_TRUE(sample.set("power.limit_mw", "[1").starts_with("'[1' is no value: not YAML: "));
  EXPECT_EQ(sample.set("power.limit_mw", "1 2"),
            "'1 2' is not a whole number; power.limit_mw takes a whole number (mW)");
}

}  // namespace
}  // namespace nvmlab::compiler
