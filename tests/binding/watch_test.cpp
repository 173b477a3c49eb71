// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/watch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <stdexcept>
#include <thread>
#include <vector>

#include "nvmlab/nvml/fake.hpp"
#include "nvmlab/nvml/generated/return.hpp"

namespace nvml {
namespace {

using abi::nvmlReturn_t;

abi::nvmlDevice_t gpu(std::uintptr_t number) { return reinterpret_cast<abi::nvmlDevice_t>(0x100 + number); }

// A library of three GPUs, the last of which supports no events, and a queue of what will happen.
class Watch : public testing::Test {
 protected:
  Watch() {
    fake.set<&Functions::nvmlEventSetCreate>([this](abi::nvmlEventSet_t* set) {
      ++sets;
      *set = reinterpret_cast<abi::nvmlEventSet_t>(0x900);
      return abi::NVML_SUCCESS;
    });
    fake.set<&Functions::nvmlEventSetFree>([this](abi::nvmlEventSet_t) {
      --sets;
      return abi::NVML_SUCCESS;
    });
    fake.set<&Functions::nvmlDeviceGetSupportedEventTypes>([](abi::nvmlDevice_t device, unsigned long long* types) {
      *types = device == gpu(2) ? 0 : abi::EventTypeXidCriticalError | abi::EventTypeClock;
      return abi::NVML_SUCCESS;
    });
    fake.set<&Functions::nvmlDeviceRegisterEvents>(
        [this](abi::nvmlDevice_t device, unsigned long long types, abi::nvmlEventSet_t) {
          registered.emplace_back(device, types);
          return abi::NVML_SUCCESS;
        });
    fake.set<&Functions::nvmlEventSetWait_v2>([this](abi::nvmlEventSet_t, abi::nvmlEventData_t* data, unsigned) {
      if (happening.empty()) return happened_all();
      *data = happening.front();
      happening.pop_front();
      return abi::NVML_SUCCESS;
    });
    for (unsigned i = 0; i < 3; ++i)
      devices.emplace_back(fake.library().library(), gpu(i));
  }

  nvmlReturn_t happened_all() {
    if (++idle == 2) stop.request_stop();
    return end;
  }

  Result<void> run(EventTypes types) {
    return watch(
        fake.library(), devices, types, stop.get_token(), [this](const Event& event) { seen.push_back(event); },
        [this](const Device& device, const Error& error) { unwatched.emplace_back(device, error); });
  }

  Fake fake;
  std::vector<Device> devices;
  std::deque<abi::nvmlEventData_t> happening;
  std::stop_source stop;
  nvmlReturn_t end = abi::NVML_ERROR_TIMEOUT;
  int sets = 0;
  int idle = 0;
  std::vector<std::pair<abi::nvmlDevice_t, unsigned long long>> registered;
  std::vector<Event> seen;
  std::vector<std::pair<Device, Error>> unwatched;
};

TEST_F(Watch, HandsOverWhatHappensUntilItIsToldToStop) {
  happening.push_back({gpu(1), abi::EventTypeXidCriticalError, 79, 2, 0xFFFFFFFF});
  happening.push_back({gpu(0), abi::EventTypeClock, 5, 0xFFFFFFFF, 0xFFFFFFFF});
  ASSERT_TRUE(run(EventType::xid_critical_error | EventType::clock));
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].device, devices[1]);
  EXPECT_EQ(seen[0].xid, Xid{79});
  EXPECT_EQ(seen[0].gpu_instance_id, 2U);
  EXPECT_EQ(seen[0].compute_instance_id, std::nullopt);
  EXPECT_EQ(seen[1].xid, std::nullopt) << "only an XID error has a number of one";
  EXPECT_EQ(seen[1].data, 5U);
  EXPECT_EQ(sets, 0) << "the event set was freed";
}

TEST_F(Watch, RegistersWhatADeviceSupports) {
  ASSERT_TRUE(run(EventType::clock | EventType::pstate));
  ASSERT_EQ(registered.size(), 2U) << "the third GPU supports nothing";
  EXPECT_EQ(registered[0], std::pair(gpu(0), static_cast<unsigned long long>(abi::EventTypeClock)));
}

TEST_F(Watch, SaysWhichItCannotWatchAndWatchesTheOthers) {
  devices[0] =
      Device{detail::refused(Error{Return::gpu_is_lost, Origin::driver, "nvmlDeviceGetHandleByIndex_v2"}), nullptr};
  ASSERT_TRUE(run(EventType::clock));
  ASSERT_EQ(registered.size(), 1U);
  EXPECT_EQ(registered[0].first, gpu(1));
  ASSERT_EQ(unwatched.size(), 2U);
  EXPECT_EQ(unwatched[0].first, devices[0]);
  EXPECT_EQ(unwatched[0].second.code(), Return::gpu_is_lost);
  EXPECT_EQ(unwatched[1].first, devices[2]);
  EXPECT_EQ(unwatched[1].second.code(), Return::not_supported);
}

TEST_F(Watch, WithNobodyToTellDoesNotBegin) {
  const auto watched = [&] {
    return watch(fake.library(), devices, EventType::clock, stop.get_token(), [](const Event&) {});
  };
  const auto unsupported = watched();
  ASSERT_FALSE(unsupported) << "the third GPU has no such events";
  EXPECT_EQ(unsupported.error().code(), Return::not_supported);
  devices.pop_back();
  EXPECT_TRUE(watched());
  fake.set<&Functions::nvmlDeviceRegisterEvents>([](abi::nvmlDevice_t device, unsigned long long, abi::nvmlEventSet_t) {
    return device == gpu(1) ? abi::NVML_ERROR_GPU_IS_LOST : abi::NVML_SUCCESS;
  });
  const auto lost = watched();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error(), (Error{Return::gpu_is_lost, Origin::driver, "nvmlDeviceRegisterEvents"}));
  EXPECT_EQ(sets, 0);
}

TEST_F(Watch, WithoutADeviceSaysWhy) {
  const auto done = run(EventType::pstate);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Return::not_supported);
  fake.set<&Functions::nvmlDeviceRegisterEvents>(
      [](abi::nvmlDevice_t, unsigned long long, abi::nvmlEventSet_t) { return abi::NVML_ERROR_NO_PERMISSION; });
  const auto refused = run(EventType::clock);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Return::no_permission);
  EXPECT_EQ(sets, 0);
}

TEST_F(Watch, EndsWithWhatNvmlSays) {
  end = abi::NVML_ERROR_GPU_IS_LOST;
  const auto done = run(EventType::clock);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Return::gpu_is_lost);
  EXPECT_EQ(sets, 0);
}

TEST_F(Watch, FreesTheSetWhenTheCallerThrows) {
  devices.pop_back();
  happening.push_back({gpu(0), abi::EventTypeClock, 0, 0, 0});
  EXPECT_THROW(static_cast<void>(watch(fake.library(), devices, EventType::clock, stop.get_token(),
                                       [](const Event&) { throw std::runtime_error("enough"); })),
               std::runtime_error);
  EXPECT_EQ(sets, 0);
}

TEST_F(Watch, AStopThatCameBeforeEndsAtOnce) {
  stop.request_stop();
  EXPECT_TRUE(run(EventType::clock));
  EXPECT_EQ(idle, 0);
}

}  // namespace
}  // namespace nvml
