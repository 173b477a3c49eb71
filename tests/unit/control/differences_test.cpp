// SPDX-License-Identifier: Apache-2.0
// What differs is named as `nvmlab get` names it, and nothing is passed over.
#include "control/differences.hpp"

#include "control/snapshot_file.hpp"
#include "tests/unit/control/machine.hpp"

namespace nvmlab::control {
namespace {

using test::kTemperature;
using test::number;
using test::OneMachine;

std::vector<std::string> lines(const Snapshot& before, const Snapshot& after) {
  std::vector<std::string> texts;
  for (const Difference& each : differences(before, after)) {
    const std::string owner = each.gpu ? "gpu " + std::to_string(*each.gpu) : "machine";
    texts.push_back(owner + ": " + each.what + " " + each.before + " -> " + each.after);
  }
  return texts;
}
using Lines = std::vector<std::string>;

TEST(Differences, OfFieldsWithWhatFollowsFromThem) {
  OneMachine machine;
  const Snapshot before = machine.snapshot();
  EXPECT_EQ(lines(before, before), Lines{});
  machine.change(0, SetPowerLimit{PowerScope::gpu, 300'000});
  EXPECT_EQ(lines(before, machine.snapshot()),
            (Lines{"gpu 0: power.limit_mw 700000 -> 300000", "gpu 0: power.enforced_limit_mw 700000 -> 300000"}));
  EXPECT_EQ(lines(machine.snapshot(), before),
            (Lines{"gpu 0: power.limit_mw 300000 -> 700000", "gpu 0: power.enforced_limit_mw 300000 -> 700000"}));
}

TEST(Differences, OfTheMachineOfListsAndOfWhatIsNotSupported) {
  OneMachine machine;
  const Snapshot before = machine.snapshot();
  Snapshot after = machine.snapshot();
  after.node->system.driver_version.set("535.1", 5);
  after.gpus[1].thermal.gpu_c.set_error(kNotSupported);
  after.gpus[1].processes.running.count = 1;
  after.gpus[1].processes.running[0].pid.set(42);
  const auto found = lines(before, after);
  ASSERT_GE(found.size(), 4u);
  EXPECT_EQ(found[0],
            "machine: system.driver_version " + std::string(before.node->system.driver_version.data) + " -> 535.1");
  EXPECT_EQ(found[1], "gpu 1: processes.running[0] none -> {pid: 42}");
  EXPECT_TRUE(found[2].starts_with("gpu 1: thermal.gpu_c ") && found[2].ends_with(" -> not supported")) << found[2];
}

TEST(Differences, OfPinsAndPresence) {
  OneMachine machine;
  const Snapshot before = machine.snapshot();
  const std::uint32_t now = before.gpus[0].thermal.gpu_c.value;
  machine.change(0, test::pin(kTemperature, number(now)));
  const std::string cool = std::to_string(now);
  EXPECT_EQ(lines(before, machine.snapshot()),
            (Lines{"gpu 0: pin of thermal.gpu_c none -> " + cool + " over " + cool}));
  const Snapshot pinned = machine.snapshot();
  machine.change(0, test::put(kTemperature, number(90)));
  EXPECT_EQ(lines(pinned, machine.snapshot()),
            (Lines{"gpu 0: pin of thermal.gpu_c " + cool + " over " + cool + " -> " + cool + " over 90"}));
  Snapshot removed = machine.snapshot();
  removed.beside_gpus[1].present = false;
  EXPECT_EQ(lines(machine.snapshot(), removed), Lines{"gpu 1: presence present -> removed"});
}

// A total that no NVML client could tell from the other, and that will be another one when its parts move.
TEST(Differences, OfWhatIsStoredAlone) {
  OneMachine machine;
  const Snapshot before = machine.snapshot();
  Snapshot after = machine.snapshot();
  auto& counts = after.gpus[0].ecc.corrected_volatile;
  ASSERT_TRUE(counts.total.has_value());
  counts.total.set(~std::uint64_t{0} - 4);  // five less than its parts, of which there are none
  const auto found = lines(before, after);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].find("gpu 0: residue of ecc.corrected_volatile.total"), 0u) << found[0];
}

// Every field of a GPU, one by one: what differs by a bit is found.
TEST(Differences, EveryFieldIsLookedAt) {
  OneMachine machine;
  const Snapshot before = machine.snapshot();
  Snapshot after = machine.snapshot();
  const auto* const clean = reinterpret_cast<const std::uint64_t*>(&before.gpus[0]);
  auto* const words = reinterpret_cast<std::uint64_t*>(&after.gpus[0]);
  for (std::size_t at = 0; at < sizeof(Gpu) / 8; at += 7) {
    if (clean[at] == 0) continue;  // behind the end of a list, perhaps
    words[at] ^= 1;
    const auto found = from_bytes(to_bytes(after));  // canonical again
    ASSERT_TRUE(found);
    if (to_bytes(*found) != to_bytes(before)) {
      EXPECT_FALSE(differences(before, *found).empty()) << at;
    }
    words[at] ^= 1;
  }
}

}  // namespace
}  // namespace nvmlab::control
