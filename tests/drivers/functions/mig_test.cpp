// SPDX-License-Identifier: Apache-2.0
//
// MIG while it is off: what a chip could be cut into is told, instances and MIG devices there are none, and a wish to
// switch is noted. Numbers of the profiles come from what nvidia-smi lists on real boards.
#include <array>
#include <cstring>
#include <map>

#include "tests/drivers/functions/support/guarded.hpp"
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr int kResetRequired = 16;

// nvmlGpuInstanceProfileInfo_t; the second version has a version word before it and a name behind it.
struct Profile {
  unsigned id, p2p, slices, instances, multiprocessors, copy, decoders, encoders, jpegs, ofas;
  unsigned long long memory_mib;
};
struct ProfileV2 {
  unsigned version, id, p2p, slices, instances, multiprocessors, copy, decoders, encoders, jpegs, ofas, padding;
  unsigned long long memory_mib;
  char name[96];
};
struct ProfileV3 {
  unsigned version, id, slices, instances, multiprocessors, copy, decoders, encoders, jpegs, ofas;
  unsigned long long memory_mib;
  char name[96];
  unsigned capabilities, padding;
};
static_assert(sizeof(Profile) == 48 && sizeof(ProfileV2) == 152 && sizeof(ProfileV3) == 152);
constexpr unsigned kV2 = 2U << 24 | sizeof(ProfileV2);
constexpr unsigned kV3 = 3U << 24 | sizeof(ProfileV3);

struct Placement {
  unsigned start, size;
};

class Mig : public testing::Test {
 protected:
  void bring_up(const std::string& profile, const std::string& version = Api::kNewestDriver) {
    if (machine) driver().shutdown();
    machine.reset();
    machine = std::make_unique<SharedMachine>(profile, version);
    ASSERT_EQ(driver().init(), kSuccess);
  }
  void TearDown() override {
    if (machine) driver().shutdown();
  }

  static int profile(unsigned number, Profile* info) {
    return driver().call("nvmlDeviceGetGpuInstanceProfileInfo", driver().device(0), number, info);
  }

  std::unique_ptr<SharedMachine> machine;
};

TEST_F(Mig, ChipsTellWhatTheyCanBeCutInto) {
  struct Row {
    unsigned number, id, instances, multiprocessors, ofas;
    unsigned long long memory_mib;
  };
  const std::map<std::string, std::vector<Row>> boards = {
      {"dgx-a100",
       {{0, 19, 7, 14, 0, 4864}, {7, 20, 1, 14, 1, 4864}, {9, 15, 4, 14, 0, 9856}, {4, 0, 1, 98, 1, 40192}}},
      {"dgx-h100",
       {{0, 19, 7, 16, 0, 9984}, {1, 14, 3, 32, 0, 20096}, {2, 9, 2, 60, 0, 40448}, {4, 0, 1, 132, 1, 81152}}}};
  for (const auto& [board, rows] : boards) {
    bring_up(board);
    for (const Row& row : rows) {
      Profile info{};
      ASSERT_EQ(profile(row.number, &info), kSuccess) << board << " " << row.number;
      EXPECT_EQ(info.id, row.id);
      EXPECT_EQ(info.p2p, 0U);
      EXPECT_EQ(info.instances, row.instances);
      EXPECT_EQ(info.multiprocessors, row.multiprocessors);
      EXPECT_EQ(info.ofas, row.ofas);
      EXPECT_EQ(info.memory_mib, row.memory_mib);
    }
    Profile info{};
    for (const unsigned absent : {5U, 6U, 8U})
      EXPECT_EQ(profile(absent, &info), kNotSupported) << "the chip has no such part";
  }
}

// Clients count up until they are told that there is no such number: as many as their driver knows.
TEST_F(Mig, NumbersOfProfilesEndWithTheDriver) {
  for (const auto& [version, count] :
       {std::pair{"450.80.02", 5U}, std::pair{"470", 8U}, std::pair{"535", 10U}, std::pair{"550", 10U}}) {
    bring_up("dgx-a100", version);
    unsigned number = 0;
    Profile info{};
    while (number < 64 && profile(number, &info) != kInvalidArgument)
      ++number;
    EXPECT_EQ(number, count) << version;
    EXPECT_EQ(profile(~0U, &info), kInvalidArgument);
  }
}

TEST_F(Mig, BothLayoutsAndBothKeysSayTheSame) {
  bring_up("dgx-h100");
  machine->change_gpu(0, [](Gpu& gpu) { gpu.mig.profiles[0].capabilities.set(1); });
  const Word device = driver().device(0);
  GuardedPage page;
  auto* second = reinterpret_cast<ProfileV2*>(page.place(sizeof(ProfileV2)));
  second->version = kV2;
  second->p2p = 77;
  ASSERT_EQ(driver().call("nvmlDeviceGetGpuInstanceProfileInfoV", device, 0, second), kSuccess);
  ProfileV3 third{};
  third.version = kV3;
  ASSERT_EQ(driver().call("nvmlDeviceGetGpuInstanceProfileInfoByIdV", device, 19, &third), kSuccess);
  EXPECT_EQ(second->version, kV2);
  EXPECT_STREQ(second->name, "MIG 1g.10gb");
  EXPECT_STREQ(third.name, "MIG 1g.10gb");
  EXPECT_EQ(second->memory_mib, third.memory_mib);
  EXPECT_EQ(second->jpegs, 1U);
  EXPECT_EQ(third.jpegs, 1U);
  EXPECT_EQ(third.capabilities, 1U);
  EXPECT_EQ(second->p2p, 1U) << "what became a capability";
  Profile first{};
  ASSERT_EQ(profile(0, &first), kSuccess);
  EXPECT_EQ(first.id, third.id);
  EXPECT_EQ(first.p2p, 1U) << "the oldest layout has it too";
  EXPECT_EQ(first.memory_mib, third.memory_mib);
  const ProfileV2 by_number = *second;
  std::memset(second, 0, sizeof *second);
  second->version = kV2;
  ASSERT_EQ(driver().call("nvmlDeviceGetGpuInstanceProfileInfoByIdV", device, 19, second), kSuccess);
  EXPECT_EQ(std::memcmp(&by_number, second, offsetof(ProfileV2, padding)), 0);
  EXPECT_STREQ(by_number.name, second->name);
  ProfileV3 of_number{};
  of_number.version = kV3;
  ASSERT_EQ(driver().call("nvmlDeviceGetGpuInstanceProfileInfoV", device, 0, &of_number), kSuccess);
  EXPECT_EQ(std::memcmp(&of_number, &third, offsetof(ProfileV3, padding)), 0);
  for (const unsigned wrong : {0U, 1U << 24 | unsigned{sizeof(Profile)}, 4U << 24 | unsigned{sizeof(ProfileV3)}}) {
    third.version = wrong;
    EXPECT_EQ(driver().call("nvmlDeviceGetGpuInstanceProfileInfoV", device, 0, &third), kArgumentVersionMismatch);
    EXPECT_EQ(driver().call("nvmlDeviceGetGpuInstanceProfileInfoByIdV", device, 19, &third), kArgumentVersionMismatch);
  }
  third.version = kV3;
  EXPECT_EQ(driver().call("nvmlDeviceGetGpuInstanceProfileInfoByIdV", device, 99, &third), kNotSupported);
  EXPECT_EQ(driver().call("nvmlDeviceGetGpuInstanceProfileInfoV", device, 99, &third), kInvalidArgument);
}

TEST_F(Mig, PlacementsAreKnownToAdministrators) {
  bring_up("dgx-a100");
  EXPECT_AS_ROOT([] {
    Steps steps;
    for (const char* name :
         {"nvmlDeviceGetGpuInstancePossiblePlacements", "nvmlDeviceGetGpuInstancePossiblePlacements_v2"}) {
      const auto ask = [name](unsigned id, Placement* placements, unsigned* count) {
        return driver().call(name, driver().device(0), id, placements, count);
      };
      unsigned count = 0;
      steps.expect(ask(14, nullptr, &count), kSuccess, "how many").equal(count, 3, "count");
      std::array<Placement, 3> placements{};
      steps.expect(ask(14, placements.data(), &count), kSuccess, "all");
      for (unsigned i = 0; i < 3; ++i)
        steps.equal(placements.at(i).start, 2 * i, "start").equal(placements.at(i).size, 2, "size");
      steps.expect(ask(9, placements.data(), &count), kSuccess, "3g").equal(count, 2, "count of 3g");
      steps.equal(placements[1].start, 4, "start of 3g").equal(placements[1].size, 4, "size of 3g");
      steps.expect(ask(99, nullptr, &count), kNotSupported, "no such profile");
    }
    unsigned capacity = 77;
    steps.expect(driver().call("nvmlDeviceGetGpuInstanceRemainingCapacity", driver().device(0), 19, &capacity),
                 kSuccess, "capacity");
    return steps.equal(capacity, 0, "capacity").said();
  });
  EXPECT_EQ(as_nobody([] {
              unsigned count = 0;
              return Steps()
                  .expect(driver().call("nvmlDeviceGetGpuInstancePossiblePlacements_v2", driver().device(0), 14,
                                        nullptr, &count),
                          kNoPermission, "placements")
                  .expect(driver().call("nvmlDeviceGetGpuInstanceRemainingCapacity", driver().device(0), 19, &count),
                          kNoPermission, "capacity")
                  .said();
            }),
            "");
}

TEST_F(Mig, NothingOfItExistsWhileItIsOff) {
  for (const auto& [board, no_device] :
       {std::pair{"dgx-a100", kNotFound}, std::pair{"dgx-h100", kNotFound}, std::pair{"g4dn-xlarge", kNotSupported}}) {
    bring_up(board);
    const Word device = driver().device(0);
    Word handle = 77;
    unsigned number = 77;
    EXPECT_EQ(driver().call("nvmlDeviceGetMaxMigDeviceCount", device, &number), kSuccess) << board;
    EXPECT_EQ(number, 0U) << board;
    for (const unsigned index : {0U, 6U, 7U, ~0U})
      EXPECT_EQ(driver().call("nvmlDeviceGetMigDeviceHandleByIndex", device, index, &handle), no_device) << board;
    EXPECT_EQ(driver().call("nvmlDeviceGetGpuInstances", device, 19, &handle, &number), kNotSupported);
    EXPECT_EQ(driver().call("nvmlDeviceGetGpuInstanceById", device, 0, &handle), kNotSupported);
    EXPECT_EQ(driver().call("nvmlDeviceCreateGpuInstance", device, 19, &handle), kNotSupported);
    EXPECT_EQ(driver().call("nvmlDeviceGetGpuInstanceId", device, &number), kNotSupported);
    EXPECT_EQ(driver().call("nvmlDeviceGetComputeInstanceId", device, &number), kNotSupported);
    EXPECT_EQ(driver().call("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", device, &handle), kNotSupported);
    std::array<unsigned, 32> attributes{};
    EXPECT_EQ(driver().call("nvmlDeviceGetAttributes_v2", device, attributes.data()), kNotSupported);
    for (const Word no_instance : {Word{0}, Word{1}, device}) {
      EXPECT_EQ(driver().call("nvmlGpuInstanceDestroy", no_instance), kInvalidArgument);
      EXPECT_EQ(driver().call("nvmlComputeInstanceDestroy", no_instance), kInvalidArgument);
    }
    EXPECT_EQ(handle, 77U);
    EXPECT_EQ(attributes[0], 0U);
  }
}

TEST_F(Mig, TheProfileOfATuringChipIsNone) {
  bring_up("g4dn-xlarge");
  Profile info{};
  EXPECT_EQ(profile(0, &info), kNotSupported);
  unsigned number = 0;
  EXPECT_AS_ROOT([&] {
    return Steps()
        .expect(
            driver().call("nvmlDeviceGetGpuInstancePossiblePlacements_v2", driver().device(0), 19, nullptr, &number),
            kNotSupported, "placements")
        .expect(driver().call("nvmlDeviceSetMigMode", driver().device(0), 1, &number), kNotSupported, "mode")
        .said();
  });
}

TEST_F(Mig, AWishToSwitchWaitsForAReset) {
  bring_up("dgx-a100");
  EXPECT_EQ(as_nobody([] {
              int status = 77;
              return Steps()
                  .expect(driver().call("nvmlDeviceSetMigMode", driver().device(0), 1, &status), kNoPermission,
                          "nobody")
                  .equal(static_cast<unsigned>(status), 77, "status")
                  .said();
            }),
            "");
  EXPECT_AS_ROOT([] {
    Steps steps;
    const Word device = driver().device(0);
    int status = 77;
    const auto set = [&](unsigned mode) { return driver().call("nvmlDeviceSetMigMode", device, mode, &status); };
    const auto expect_modes = [&](unsigned now, unsigned then) {
      unsigned current = 77;
      unsigned pending = 77;
      driver().call("nvmlDeviceGetMigMode", device, &current, &pending);
      steps.equal(current, now, "current").equal(pending, then, "pending");
    };
    steps.expect(set(2), kInvalidArgument, "nonsense");
    steps.expect(set(0), kSuccess, "off").equal(static_cast<unsigned>(status), 0, "status");
    steps.expect(set(1), kSuccess, "on").equal(static_cast<unsigned>(status), kResetRequired, "status");
    expect_modes(0, 1);
    steps.expect(set(0), kSuccess, "off again").equal(static_cast<unsigned>(status), 0, "status");
    expect_modes(0, 0);
    return steps.said();
  });
}

}  // namespace
}  // namespace nvmlab::driver_test
