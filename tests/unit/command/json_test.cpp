// SPDX-License-Identifier: Apache-2.0
#include "command/machine/json.hpp"

#include <gtest/gtest.h>

#include "tests/unit/command/sample_machine.hpp"

namespace nvmlab::tool {
namespace {

Json value(const control::MachineView& view, const char* path, std::size_t gpu = 0) {
  const auto ref = compiler::find_field(path);
  EXPECT_TRUE(ref) << path;
  const auto* owner = ref->topic->of_node ? reinterpret_cast<const std::byte*>(view.node.get())
                                          : reinterpret_cast<const std::byte*>(&view.gpus[gpu]);
  return json_of(*ref, owner);
}

TEST(JsonValues, KeepTheirKind) {
  control::MachineView view = sample_view();
  EXPECT_EQ(value(view, "power.limit_mw"), Json(700'000));
  EXPECT_EQ(value(view, "power.management"), Json("enabled"));
  EXPECT_EQ(value(view, "power.module_limit_mw"), Json(nullptr));
  EXPECT_EQ(value(view, "power.energy_mj"), Json({{"answer", "GPU_IS_LOST"}}));
  EXPECT_EQ(value(view, "identity.uuid"), Json("GPU-0"));
  EXPECT_EQ(value(view, "topology.cpu_affinity"), Json::array({0xFF, 0}));
  EXPECT_EQ(value(view, "nvlink.links[0]", 1), Json({{"version", 5}}));
  EXPECT_EQ(value(view, "nvlink.links[0].version", 1), Json(5));
  EXPECT_EQ(value(view, "nvlink.links[0].version", 0), Json(nullptr)) << "GPU 0 has no link";
  EXPECT_EQ(value(view, "nvlink.links"), Json::array());
}

TEST(JsonValues, ATextStaysATextWhateverItLooksLike) {
  control::MachineView view = sample_view();
  for (const std::string text : {"550", "null", "{answer: NOPE}", "true", "a: b", "- x", "\"quoted\"", "#", ""}) {
    ASSERT_TRUE(view.node->system.hostname.set(text.data(), static_cast<std::uint32_t>(text.size())));
    EXPECT_EQ(value(view, "system.hostname"), Json(text)) << text;
  }
}

TEST(JsonValues, LargeAndNegativeNumbers) {
  control::MachineView view = sample_view();
  view.gpus[0].power.energy_mj.set(~std::uint64_t{0});
  EXPECT_EQ(value(view, "power.energy_mj"), Json(~std::uint64_t{0}));
  view.gpus[0].thermal.tlimit_c.set(-5);
  EXPECT_EQ(value(view, "thermal.tlimit_c"), Json(-5));
}

TEST(JsonListing, NodeAndGpusApart) {
  const control::MachineView view = sample_view();
  const auto listing = resolve({"power.draw_mw", "system.driver_version"}, view);
  ASSERT_TRUE(listing);
  const Json all = json_of(*listing, view, {});
  EXPECT_EQ(all["node"], Json({{"system.driver_version", "550.163.01"}}));
  ASSERT_EQ(all["gpus"].size(), 3u);
  EXPECT_EQ(all["gpus"][1], Json({{"index", 1}, {"uuid", "GPU-1"}, {"values", {{"power.draw_mw", 99'000}}}}));
}

TEST(JsonText, BytesThatAreNoTextDoNotStopIt) {
  EXPECT_NE(text_of(Json("a\xff")).find("a"), std::string::npos);
  EXPECT_EQ(text_of(Json::array()), "[]\n");
}

}  // namespace
}  // namespace nvmlab::tool
