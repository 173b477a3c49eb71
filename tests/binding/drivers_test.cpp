// SPDX-License-Identifier: Apache-2.0
//
// The typed lists, families and fields with every driver that can be simulated: each has the exports, struct layouts
// and field ids of its time, and each answers the same.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <vector>

#include "nvmlab/nvml/generated/field_id.hpp"
#include "nvmlab/nvml/objects.hpp"
#include "tests/binding/support/simulated.hpp"
#include "tests/drivers/functions/support/machine.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::binding_test {
namespace {

using driver_test::SharedMachine;
using nvml::Device;
using nvml::FieldId;

constexpr const char* kMachine = "tests/drivers/functions/data/every-counter.yaml";

// A driver on a machine where there is something to list.
struct Session {
  explicit Session(const std::filesystem::path& file)
      : driver(file.parent_path().filename().string()), machine((test::source_folder() / kMachine).string(), driver) {
    machine.change_gpu(0, [](Gpu& gpu) {
      for (auto* process : {&gpu.processes.running[0], &gpu.processes.running[1]})
        process->kinds.set(7);
      gpu.clocks.sw_thermal_slowdown_us.set(77);
      gpu.power.smoothing.set(1);
      gpu.fabric.state.set(3);
      gpu.fabric.status.set(0);
      gpu.fabric.clique_id.set(9);
      gpu.fabric.cliques = {};
    });
    auto opened = nvml::Library::open({.path = file.string()});
    if (!opened) throw std::runtime_error(driver + ": " + opened.error().message());
    library.emplace(std::move(*opened));
  }
  Device gpu() const { return library->device(0).value(); }

  std::string driver;
  SharedMachine machine;
  std::optional<nvml::Library> library;
};

// Each driver and its machine are brought up once, for all tests: that is nearly all that these take.
class EveryDriver : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const auto& file : libraries_of_drivers())
      sessions_.push_back(std::make_unique<Session>(file));
  }
  // In the order against that of their making, as each puts back what the environment said before.
  static void TearDownTestSuite() {
    while (!sessions_.empty())
      sessions_.pop_back();
  }
  static void with_every_driver(const std::function<void(const Session&)>& check) {
    ASSERT_GT(sessions_.size(), 20U);
    for (const auto& session : sessions_) {
      SCOPED_TRACE("driver " + session->driver);
      check(*session);
    }
  }

 private:
  static inline std::vector<std::unique_ptr<Session>> sessions_;
};

// Not there is an answer; anything else must be the value.
template <class T, class U>
void expect(const nvml::Result<T>& answer, const U& expected, bool there) {
  if (answer) {
    EXPECT_EQ(*answer, expected);
  } else {
    EXPECT_FALSE(there) << answer.error().message();
    EXPECT_EQ(answer.error().code(), code(nvml::abi::NVML_ERROR_FUNCTION_NOT_FOUND)) << answer.error().message();
  }
}

TEST_F(EveryDriver, ListsItsProcessesWhateverTheirEntriesAre) {
  with_every_driver([](const Session& session) {
    const Device gpu = session.gpu();
    std::vector lists{gpu.running_compute_processes()};
    if (session.library->has<&nvml::Functions::nvmlDeviceGetGraphicsRunningProcesses>())
      lists.push_back(gpu.running_graphics_processes());
    for (const auto& answer : lists) {
      ASSERT_TRUE(answer) << answer.error().message();
      ASSERT_EQ(answer->size(), 2U);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ((*answer)[i].pid, 901 + i);
        EXPECT_EQ((*answer)[i].used_gpu_memory, nvml::Bytes{(i + 1) << 20});
        EXPECT_EQ((*answer)[i].gpu_instance_id, std::nullopt);
        EXPECT_EQ((*answer)[i].compute_instance_id, std::nullopt);
      }
      EXPECT_EQ(answer->front().used_protected_memory.has_value(), session.driver == "535.43");
    }
  });
}

TEST_F(EveryDriver, ListsProcessesIntoTheCallersMemory) {
  with_every_driver([](const Session& session) {
    nvml::ProcessInfo room[8] = {};
    const auto filled = session.gpu().running_compute_processes(room);
    ASSERT_TRUE(filled) << filled.error().message();
    ASSERT_EQ(filled->size(), 2U);
    EXPECT_EQ((*filled)[1].pid, 902U);
    EXPECT_EQ((*filled)[1].used_gpu_memory, nvml::Bytes{2U << 20});
    EXPECT_EQ((*filled)[1].gpu_instance_id, std::nullopt);
    EXPECT_EQ((*filled)[0], session.gpu().running_compute_processes()->front()) << "with a driver of any age";
  });
}

TEST_F(EveryDriver, AnswersFamiliesByTheVersionThatItHas) {
  with_every_driver([](const Session& session) {
    const Device gpu = session.gpu();
    const Gpu state = session.machine.gpu(0);
    EXPECT_EQ(session.library->device_count().value(), 1U);
    EXPECT_EQ(session.library->cuda_driver_version().has_value(),
              session.library->has<&nvml::Functions::nvmlSystemGetCudaDriverVersion>());
    const auto memory = gpu.memory_info();
    ASSERT_TRUE(memory) << memory.error().message();
    EXPECT_EQ(memory->total, nvml::Bytes{state.memory.total_bytes.value});
    const auto pci = gpu.pci_info();
    ASSERT_TRUE(pci) << pci.error().message();
    EXPECT_EQ(pci->bus, state.pci.bus.value);
    EXPECT_NE(pci->bus_id, "") << "old layouts have it in another place";
    EXPECT_EQ(session.library->device_by_pci_bus_id(pci->bus_id).value(), gpu);
    const auto remote = gpu.nvlink_remote_pci_info(0);
    if (remote) {
      EXPECT_EQ(remote->bus, 0x64U);
    }
    expect(gpu.temperature(nvml::TemperatureSensor::gpu), nvml::Celsius{static_cast<int>(state.thermal.gpu_c.value)},
           true);
  });
}

// Functions that NVML renamed: the new name is asked, and the driver may be older than it.
TEST_F(EveryDriver, AnswersToTheNewNameOfAFunction) {
  with_every_driver([](const Session& session) {
    const auto reasons = session.gpu().current_clocks_event_reasons();
    EXPECT_TRUE(reasons) << reasons.error().message();
    const auto supported = session.gpu().supported_clocks_event_reasons();
    EXPECT_TRUE(supported) << supported.error().message();
    const bool excludes = session.library->has("nvmlGetBlacklistDeviceCount") ||
                          session.library->has<&nvml::Functions::nvmlGetExcludedDeviceCount>();
    const auto count = session.library->excluded_device_count();
    EXPECT_EQ(count.has_value(), excludes) << count.error().message();
  });
}

TEST_F(EveryDriver, TellsTheFabricInOneWay) {
  unsigned read = 0;
  with_every_driver([&](const Session& session) {
    const auto info = session.gpu().gpu_fabric_info();
    if (!info) return expect(info, nvml::FabricInfo{}, false);
    EXPECT_EQ(info->cliques, (std::vector<nvml::FabricClique>{{nvml::FabricCliqueType::unicast_pointer, 9},
                                                              {nvml::FabricCliqueType::multicast_pointer, 9}}));
    ++read;
  });
  EXPECT_GE(read, 10U);
}

TEST_F(EveryDriver, ListsClocksPidsPagesAndSamples) {
  with_every_driver([](const Session& session) {
    const Device gpu = session.gpu();
    const Gpu state = session.machine.gpu(0);
    const auto memory_clocks = gpu.supported_memory_clocks();
    ASSERT_TRUE(memory_clocks) << memory_clocks.error().message();
    EXPECT_EQ(memory_clocks->size(), state.clocks.supported.size());
    const auto clocks = gpu.supported_graphics_clocks(memory_clocks->front());
    ASSERT_TRUE(clocks) << clocks.error().message();
    EXPECT_EQ(clocks->size(), state.clocks.supported[0].graphics_mhz.size());
    // One that has ended, and two that run.
    expect(gpu.accounting_pids(), std::vector<unsigned>{800, 901, 902}, true);
    const auto pages = gpu.retired_pages(nvml::PageRetirementCause::multiple_single_bit_ecc_errors);
    ASSERT_TRUE(pages) << pages.error().message();
    EXPECT_EQ(*pages, (std::vector<std::uint64_t>{0x1000, 0x2000}));
    const auto timed = gpu.retired_pages_with_times(nvml::PageRetirementCause::multiple_single_bit_ecc_errors);
    if (timed) {
      ASSERT_EQ(timed->size(), 2U);
      EXPECT_EQ((*timed)[1].address, 0x2000U);
    }
    const auto samples = gpu.samples(nvml::SamplingType::total_power, {});
    ASSERT_TRUE(samples) << samples.error().message();
    EXPECT_EQ(samples->size(), 120U);
    const auto states = gpu.supported_performance_states();
    if (states) {
      EXPECT_FALSE(states->empty());
    }
    const auto cpus = gpu.cpu_affinity();
    if (cpus) {
      EXPECT_FALSE(cpus->empty());
    }
    const auto sessions = gpu.encoder_sessions();
    if (sessions) {
      ASSERT_EQ(sessions->size(), 2U);
      EXPECT_EQ((*sessions)[1].pid, 902U);
    }
    const auto used = gpu.process_utilization({});
    if (used) {
      EXPECT_EQ(used->size(), 2U);
    }
  });
}

// The same name reads the same thing, though its number moved twice.
TEST_F(EveryDriver, KnowsAFieldByItsName) {
  unsigned read = 0;
  with_every_driver([&](const Session& session) {
    const auto slowdown = session.gpu().field_values(FieldId::clocks_event_reason_sw_therm_slowdown);
    const auto smoothing = session.gpu().field_values(FieldId::pwr_smoothing_enabled);
    if (slowdown) {
      EXPECT_EQ(nvml::number<unsigned>(slowdown->value), 77'000U);
    }
    if (smoothing) {
      EXPECT_EQ(nvml::number<unsigned>(smoothing->value), 1U);
    }
    read += slowdown.has_value() && smoothing.has_value();
    const bool should = session.driver >= "575";
    EXPECT_EQ(slowdown.has_value(), should);
  });
  EXPECT_GE(read, 6U);
}

}  // namespace
}  // namespace nvmlab::binding_test
