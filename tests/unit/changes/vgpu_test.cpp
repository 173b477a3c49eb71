// SPDX-License-Identifier: Apache-2.0
//
// vGPUs that are created and end: by the rules against a second opinion of what fits where, written the way NVIDIA's
// open kernel modules divide the frame buffer; who is refused, and that a refusal changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/change/change.hpp"
#include "engine/topics/vgpu/vgpu_host.hpp"
#include "engine/topics/vgpu/vgpu_scheduler.hpp"
#include "tests/unit/changes/built_store.hpp"

namespace nvmlab::changes_test {
namespace {

constexpr std::uint32_t kGpus = 3;  // two hosts, and one of a board that nothing is published of
constexpr std::uint32_t kType8 = 616;
constexpr std::uint32_t kType10 = 617;

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

// Of what can be made on an A100 of 80 GiB: 1g.10gb and 2g.20gb.
void cut_as_an_a100(Mig& mig) {
  struct Row {
    std::uint32_t id, number, slices, instances, memory_slices;
    std::vector<std::uint16_t> starts;
  };
  for (const Row& row : {Row{19, 0, 1, 7, 1, {0, 1, 2, 3, 4, 5, 6}}, Row{14, 1, 2, 3, 2, {0, 2, 4}}}) {
    Mig::Profile& profile = mig.profiles[mig.profiles.count++];
    profile.id.set(row.id);
    profile.number.set(row.number);
    profile.slices.set(row.slices);
    profile.instances.set(row.instances);
    profile.memory_slices.set(row.memory_slices);
    profile.memory_mib.set(9728 * row.memory_slices);
    for (const std::uint16_t start : row.starts)
      profile.starts.items[profile.starts.count++] = start;
  }
}

class VgpuHostTest : public testing::Test, protected BuiltStore {
 protected:
  VgpuHostTest() {
    const auto gpus = std::make_unique<Gpu[]>(kGpus);
    for (std::uint32_t i = 0; i < kGpus; ++i) {
      gpus[i].modes.virtualization.set(0);
      gpus[i].modes.accounting.set(0);
      gpus[i].pci.device_id.set(i < 2 ? 0x20B210DEU : 0x123410DEU);
      gpus[i].pci.subsystem_id.set(0x146310DE);
      gpus[i].memory.total_bytes.set(80 * kGiB);
      gpus[i].memory.used_bytes.set(1 * kGiB);
      gpus[i].utilization.gpu_percent.set(0);
      gpus[i].utilization.encoder_percent.set(0);
      gpus[i].modes.mig.set(0);
      gpus[i].modes.mig_without_reset.set(1);
      cut_as_an_a100(gpus[i].mig);
    }
    begin_with(gpus.get(), kGpus);
    for (std::uint32_t i = 0; i < 2; ++i)
      EXPECT_EQ(make(make_change(i, HostVgpus{1})), kSuccess);
  }

  static CreateVgpu wanted(std::uint32_t gpu, std::uint32_t type, std::uint32_t placement = kAnyPlacement) {
    CreateVgpu change{};
    change.gpu = gpu;
    change.type = type;
    change.placement = placement;
    change.vm_id_type = 1;
    return change;
  }
  Code create(std::uint32_t gpu, std::uint32_t type, std::uint32_t placement = kAnyPlacement) {
    return make(make_change(MachinePart::vgpus, wanted(gpu, type, placement)));
  }
  Code end(std::uint32_t id) { return make(make_change(MachinePart::vgpus, EndVgpu{id})); }
  const Vgpu& host() { return store().node.copies[store().node.sequence & 1].vgpu; }
  const VgpuInstance& last() { return host().instances[host().instances.size() - 1]; }
  Applied change(const std::vector<Change>& changes, Created* created) {
    StoreFile file;
    MachineAccess machine{store(), file, true};
    return apply(machine, changes.data(), static_cast<std::uint32_t>(changes.size()), created);
  }
  std::vector<std::uint32_t> ids_on(std::uint32_t gpu) {
    std::vector<std::uint32_t> ids;
    for (const VgpuInstance& each : host().instances) {
      if (each.gpu.value == gpu) ids.push_back(each.id.value);
    }
    return ids;
  }
  void unlike(std::uint32_t gpu, std::uint32_t enabled) {
    ASSERT_EQ(make(make_change(gpu, SetVgpuHeterogeneousMode{enabled})), kSuccess);
  }
};

TEST_F(VgpuHostTest, SeveralChangesReturnWhatEachCreated) {
  ASSERT_EQ(create(0, kType8), kSuccess);
  const std::uint32_t first = last().id.value;
  Created created[3] = {};
  const std::vector<Change> changes = {make_change(MachinePart::vgpus, wanted(0, kType8)),
                                       make_change(MachinePart::vgpus, EndVgpu{first}),
                                       make_change(MachinePart::vgpus, wanted(1, kType8))};
  ASSERT_EQ(change(changes, created).code, kSuccess);
  EXPECT_EQ(created[1].id, 0U) << "ending a vGPU creates nothing";
  EXPECT_EQ(ids_on(0), std::vector{created[0].id});
  EXPECT_EQ(ids_on(1), std::vector{created[2].id});
}

TEST_F(VgpuHostTest, WhatIsCreatedHasANumberAUuidAndAPlace) {
  ASSERT_EQ(create(0, kType8), kSuccess);
  ASSERT_EQ(create(0, kType8), kSuccess);
  EXPECT_EQ(host().instances[0].placement.value, 0U);
  EXPECT_EQ(last().placement.value, 8U);
  EXPECT_EQ(last().id.value, host().instances[0].id.value + 1);
  EXPECT_EQ(last().frame_rate_limit.value, 60U);
  const std::string uuid = last().uuid.data;
  EXPECT_EQ(uuid.size(), 36U);
  EXPECT_EQ(uuid[14], '4');
  EXPECT_NE(uuid, host().instances[0].uuid.data);
  EXPECT_STREQ(last().pci_bus_id.data, "00000000:02:03.0");
  const std::uint32_t first = host().instances[0].id.value;
  ASSERT_EQ(end(first), kSuccess);
  EXPECT_EQ(end(first), kNotFound);
  ASSERT_EQ(create(0, kType8), kSuccess);
  EXPECT_EQ(last().placement.value, 0U) << "the place is free again";
  EXPECT_GT(last().id.value, first + 1) << "a number is not used twice";
}

TEST_F(VgpuHostTest, RefusesWithACodeForEachReason) {
  EXPECT_EQ(create(2, kType8), kNotSupported);
  EXPECT_EQ(create(kGpus, kType8), kInvalidArgument);
  EXPECT_EQ(create(0, 1), kInvalidArgument);
  EXPECT_EQ(create(0, kType8, 4), kInvalidArgument) << "8 GiB begin at multiples of 8";
  EXPECT_EQ(create(0, 622), kInvalidState) << "a type that wants a GPU instance";
  ASSERT_EQ(create(0, kType8, 16), kSuccess);
  EXPECT_EQ(create(0, kType8, 16), kInUse);
  EXPECT_EQ(create(0, kType10), kInvalidState) << "of another size";
  auto same = wanted(1, kType8);
  std::strcpy(same.uuid, last().uuid.data);
  EXPECT_EQ(make(make_change(MachinePart::vgpus, same)), kInUse);
  auto greedy = wanted(1, kType8);
  greedy.used_bytes = (std::uint64_t{8} << 30) + 1;
  EXPECT_EQ(make(make_change(MachinePart::vgpus, greedy)), kInvalidArgument);
  EXPECT_EQ(make(make_change(MachinePart::vgpus, wanted(1, kType8)), false), kNoPermission);
  EXPECT_EQ(make(make_change(MachinePart::vgpus, EndVgpu{5}), false), kNotFound);
  EXPECT_EQ(host().instances.size(), 1U) << "no refusal left anything behind";
}

TEST_F(VgpuHostTest, AGpuThatLendsOutVgpusStaysWhatItIs) {
  EXPECT_EQ(make(make_change(2, HostVgpus{1})), kNotSupported);
  EXPECT_EQ(make(make_change(2, SetVgpuHeterogeneousMode{1})), kNotSupported);
  ASSERT_EQ(create(0, kType8), kSuccess);
  for (const Change& change : {make_change(0, ResetGpu{}), make_change(0, RemoveGpu{}), make_change(0, HostVgpus{0}),
                               make_change(0, SetVgpuHeterogeneousMode{1}), make_change(0, SetMigMode{1})}) {
    EXPECT_EQ(make(change), kInUse) << change.kind;
    EXPECT_EQ(make(change, false), kNoPermission) << change.kind;
  }
  EXPECT_EQ(make(make_change(MachinePart::driver, UnloadDriver{0})), kInUse);
  EXPECT_EQ(make(make_change(1, SetVgpuHeterogeneousMode{1})), kSuccess);
  ASSERT_EQ(end(last().id.value), kSuccess);
  EXPECT_EQ(make(make_change(0, ResetGpu{})), kSuccess);
  EXPECT_EQ(make(make_change(0, HostVgpus{0})), kSuccess);
  EXPECT_EQ(create(0, kType8), kNotSupported);
}

TEST_F(VgpuHostTest, AllEndWithTheDriver) {
  ASSERT_EQ(create(0, kType8), kSuccess);
  ASSERT_EQ(create(1, kType10), kSuccess);
  const std::uint32_t id = last().id.value;
  EXPECT_EQ(make(make_change(MachinePart::driver, UnloadDriver{0})), kInUse);
  ASSERT_EQ(make(make_change(MachinePart::driver, UnloadDriver{1})), kSuccess);
  EXPECT_EQ(host().instances.size(), 0U);
  ASSERT_EQ(make(make_change(MachinePart::driver, LoadDriver{})), kSuccess);
  EXPECT_EQ(host().instances.size(), 0U);
  EXPECT_EQ(end(id), kNotFound);
  for (const std::uint32_t gpu : {0U, 1U}) {
    EXPECT_EQ(now(gpu).memory.used_bytes.value, kGiB) << "nothing of theirs is held";
    EXPECT_EQ(now(gpu).processes.running.size(), 0U);
  }
  ASSERT_EQ(create(1, kType10), kSuccess);
  EXPECT_GT(last().id.value, id) << "a number is not used twice";
}

// Killed after it was noted that the driver goes: the next writer ends the vGPUs first.
TEST_F(VgpuHostTest, AllEndWhereAKilledWriterLeftTheDriver) {
  ASSERT_EQ(create(0, kType8), kSuccess);
  store().header.driver_phase = static_cast<std::uint32_t>(DriverPhase::unloading);
  ASSERT_EQ(make(make_change(MachinePart::driver, LoadDriver{})), kSuccess);
  EXPECT_EQ(host().instances.size(), 0U);
  EXPECT_EQ(now(0).memory.used_bytes.value, kGiB);
  EXPECT_EQ(now(0).processes.running.size(), 0U);
}

TEST_F(VgpuHostTest, MemoryAndProcessesFollow) {
  constexpr std::uint64_t held = (std::uint64_t{8192} - 64 * 9) << 20;
  ASSERT_EQ(create(0, kType8), kSuccess);
  ASSERT_EQ(create(0, kType8), kSuccess);
  EXPECT_EQ(now(0).memory.used_bytes.value, kGiB + 2 * held);
  ASSERT_EQ(now(0).processes.running.size(), 2U);
  EXPECT_STREQ(now(0).processes.running[0].name.data, "vgpu");
  EXPECT_EQ(now(0).processes.running[0].kinds.value, 3U) << "C+G";
  EXPECT_EQ(now(0).processes.running[0].used_bytes.value, held);
  EXPECT_EQ(now(1).memory.used_bytes.value, kGiB) << "of the other GPU";
  ASSERT_EQ(end(host().instances[0].id.value), kSuccess);
  EXPECT_EQ(now(0).memory.used_bytes.value, kGiB + held);
  ASSERT_EQ(end(last().id.value), kSuccess);
  EXPECT_EQ(now(0).memory.used_bytes.value, kGiB);
  EXPECT_EQ(now(0).processes.running.size(), 0U);
}

TEST_F(VgpuHostTest, NoMoreThanThereIsMemoryFor) {
  StartProcess greedy{};
  greedy.pid = 7;
  greedy.kinds = 1;
  greedy.used_bytes = 72 * kGiB;
  greedy.gpu_instance = greedy.compute_instance = kNoInstance;
  ASSERT_EQ(make(make_change(0, greedy)), kSuccess);
  EXPECT_EQ(create(0, kType8), kInsufficientResources);
  EXPECT_EQ(host().instances.size(), 0U);
  ASSERT_EQ(make(make_change(0, EndProcess{7, 0})), kSuccess);
  EXPECT_EQ(create(0, kType8), kSuccess);
}

TEST_F(VgpuHostTest, AGpuIsAsBusyAsItsVgpusKeepIt) {
  ASSERT_EQ(create(0, kType8), kSuccess);
  ASSERT_EQ(create(0, kType8), kSuccess);
  const auto set = [&](std::uint32_t nth, Fact<std::uint32_t> VgpuInstance::*engine, std::uint32_t percent) {
    PutBytes put{};
    put.offset =
        static_cast<std::uint32_t>(reinterpret_cast<const std::byte*>(&(host().instances[nth].*engine)) -
                                   reinterpret_cast<const std::byte*>(&store().node.copies[store().node.sequence & 1]));
    put.size = 8;
    Fact<std::uint32_t> value{};
    value.set(percent);
    std::memcpy(put.bytes, &value, sizeof value);
    ASSERT_EQ(make(make_change(MachinePart::node, put)), kSuccess);
  };
  set(0, &VgpuInstance::sm_percent, 30);
  set(1, &VgpuInstance::sm_percent, 25);
  set(1, &VgpuInstance::encoder_percent, 7);
  EXPECT_EQ(now(0).utilization.gpu_percent.value, 55U);
  EXPECT_EQ(now(0).utilization.encoder_percent.value, 7U);
  EXPECT_EQ(now(1).utilization.gpu_percent.value, 0U);
  set(0, &VgpuInstance::sm_percent, 90);
  EXPECT_EQ(now(0).utilization.gpu_percent.value, 100U);
  ASSERT_EQ(end(host().instances[0].id.value), kSuccess);
  EXPECT_EQ(now(0).utilization.gpu_percent.value, 25U);
}

// Types 622 and 623 want a 1g.10gb and a 2g.20gb.
TEST_F(VgpuHostTest, ACutGpuLendsOutItsInstances) {
  EXPECT_EQ(create(0, 622), kInvalidState) << "MIG is off";
  ASSERT_EQ(make(make_change(0, SetMigMode{1})), kSuccess);
  EXPECT_EQ(create(0, kType8), kInvalidState) << "its time is not lent out";
  EXPECT_EQ(create(0, 622), kInsufficientResources) << "no GPU instance yet";
  for (const std::uint32_t profile : {19U, 19U, 14U})
    ASSERT_EQ(make(make_change(0, CreateGpuInstance{profile, kAnyStart, 0})), kSuccess);
  ASSERT_EQ(create(0, 622), kSuccess);
  const std::uint32_t first = last().gpu_instance.value;
  EXPECT_FALSE(last().placement.has_value());
  ASSERT_EQ(create(0, 622), kSuccess);
  EXPECT_GT(last().gpu_instance.value, first) << "each has its own";
  EXPECT_EQ(create(0, 622), kInsufficientResources);
  ASSERT_EQ(create(0, 623), kSuccess);
  EXPECT_EQ(now(0).processes.running[0].gpu_instance.value, first);
  EXPECT_EQ(make(make_change(0, DestroyGpuInstance{first, kAnySerial})), kInUse);
  EXPECT_EQ(make(make_change(0, SetMigMode{0})), kInUse);
  ASSERT_EQ(end(host().instances[0].id.value), kSuccess);
  EXPECT_EQ(make(make_change(0, DestroyGpuInstance{first, kAnySerial})), kSuccess);
}

TEST_F(VgpuHostTest, SchedulersAreSetWhileNothingRuns) {
  const auto set = [&](SetVgpuScheduler change) { return make(make_change(MachinePart::vgpus, change)); };
  EXPECT_EQ(set({0, 4, 0, 0, 0, 0}), kInvalidArgument);
  EXPECT_EQ(set({0, kEqualShare, 3, 0, 0, 0}), kInvalidArgument);
  EXPECT_EQ(set({0, kEqualShare, kAdaptiveOn, 61, 0, 0}), kInvalidArgument);
  EXPECT_EQ(set({0, kEqualShare, kAdaptiveOn, 0, 62, 0}), kInvalidArgument);
  EXPECT_EQ(set({0, kFixedShare, kAdaptiveOff, 0, 0, 999'999}), kInvalidArgument);
  EXPECT_EQ(set({2, kEqualShare, 0, 0, 0, 0}), kNotSupported);
  ASSERT_EQ(set({0, kFixedShare, kAdaptiveOff, 0, 0, 5'000'000}), kSuccess);
  EXPECT_EQ(vgpu_schedule(store(), 0).policy, kFixedShare);
  EXPECT_EQ(vgpu_schedule(store(), 0).turn_ns, 5'000'000U);
  EXPECT_EQ(vgpu_schedule(store(), 1).policy, kBestEffort);
  ASSERT_EQ(create(0, kType8), kSuccess);
  EXPECT_FALSE(last().frame_rate_limit.has_value()) << "shares are the limit";
  EXPECT_EQ(set({0, kEqualShare, 0, 0, 0, 0}), kInUse);
  EXPECT_EQ(make(make_change(MachinePart::vgpus, SetVgpuEncoderCapacity{last().id.value, 101})), kInvalidArgument);
  EXPECT_EQ(make(make_change(MachinePart::vgpus, SetVgpuEncoderCapacity{last().id.value, 40})), kSuccess);
  EXPECT_EQ(last().encoder_capacity.value, 40U);
}

// The second opinion: which places a type has, found by halving from both sides.
void divide(std::uint32_t begin, std::uint32_t end, std::uint32_t parts, bool left, std::uint32_t size,
            std::uint32_t most, std::set<std::uint32_t>& places) {
  if (parts > most) return;
  std::uint32_t power = 1;
  while (power * 2 <= most)
    power *= 2;
  if (parts * 2 == most) {
    places.insert(begin);
    places.insert(end - size);
  } else if ((power < most && power == parts) || (parts == 1 && most == 1)) {
    places.insert(left ? begin : end - size);
  }
  const std::uint32_t middle = (begin + end) / 2;
  divide(begin, middle, parts * 2, true, size, most, places);
  divide(middle, end, parts * 2, false, size, most, places);
}

constexpr std::uint32_t kSizes[] = {4, 8, 10, 16, 20, 40, 80};  // types 615 to 621 of a board of 80 GiB
constexpr std::uint32_t kFirstType = 615;

struct Opinion {
  bool unlike = false;
  std::map<std::uint32_t, std::uint32_t> taken;  // where to what size

  std::set<std::uint32_t> places(std::uint32_t size) const {
    const std::uint32_t most = std::min(32U, 80 / size);
    std::set<std::uint32_t> all;
    if (unlike) {
      divide(0, 80, 1, true, size, most, all);
    } else if (taken.empty() || taken.begin()->second == size) {
      for (std::uint32_t i = 0; i < most; ++i)
        all.insert(i * size);
    }
    std::erase_if(all, [&](std::uint32_t at) {
      return std::ranges::any_of(
          taken, [&](const auto& each) { return at < each.first + each.second && each.first < at + size; });
    });
    return all;
  }
};

TEST_F(VgpuHostTest, WhatCanBeCreatedIsAlwaysWhatStillFits) {
  std::mt19937 random{20};
  Opinion opinions[2];
  const auto pick = [&random](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); };
  for (unsigned step = 0; step < 3000; ++step) {
    const std::uint32_t gpu = pick(2);
    Opinion& opinion = opinions[gpu];
    if (opinion.taken.empty() && pick(2) == 0) {
      opinion.unlike = !opinion.unlike;
      unlike(gpu, opinion.unlike ? 1 : 0);
    }
    const auto running = ids_on(gpu);
    if (!running.empty() && pick(5) < 2) {
      VgpuInstance gone{};
      ASSERT_TRUE(find_vgpu(store(), running[pick(static_cast<std::uint32_t>(running.size()))], &gone));
      ASSERT_EQ(end(gone.id.value), kSuccess);
      opinion.taken.erase(gone.placement.value);
    } else {
      const std::uint32_t which = pick(std::size(kSizes));
      const auto fits = opinion.places(kSizes[which]);
      const Code code = create(gpu, kFirstType + which);
      ASSERT_EQ(code == kSuccess, !fits.empty()) << "step " << step << ", size " << kSizes[which] << ", code " << code;
      if (code == kSuccess) {
        ASSERT_TRUE(fits.contains(last().placement.value)) << "step " << step;
        opinion.taken[last().placement.value] = kSizes[which];
      }
    }
    const VgpuTypes types(store(), gpu);
    const VgpuLoad load = vgpu_load(host(), types, gpu);
    for (std::uint32_t which = 0; which < std::size(kSizes); ++which) {
      VgpuType type{};
      ASSERT_TRUE(types.find(kFirstType + which, &type));
      const Placements found = creatable_placements(type, types, load, opinion.unlike);
      ASSERT_EQ(std::set<std::uint32_t>(found.ids, found.ids + found.count), opinion.places(kSizes[which]))
          << "step " << step << ", size " << kSizes[which];
    }
  }
}

TEST_F(VgpuHostTest, TheListEndsSomewhere) {
  for (std::uint32_t i = 0; i < 40; ++i) {
    const Code code = create(i % 2, kFirstType);
    ASSERT_EQ(code, kSuccess) << i;
  }
  EXPECT_EQ(create(0, kFirstType), kInsufficientResources) << "20 of 4 GiB fit";
}

}  // namespace
}  // namespace nvmlab::changes_test
