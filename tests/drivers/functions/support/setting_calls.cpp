// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/functions/support/setting_calls.hpp"

#include <cstring>
#include <map>

#include "nvmlab/abi/abi.hpp"

namespace nvmlab::driver_test {
namespace {

namespace abi = nvml::abi;

template <class Struct>
Struct versioned() {
  Struct made{};
  made.version = abi::version_of<Struct>;
  return made;
}

// A function of a device and one number.
CallSetting of_device(const char* name) {
  return [name](const SettingCall& call) { return call.driver.call(name, call.device, call.small(), 0U); };
}

CallSetting of_machine(const char* name) {
  return [name](const SettingCall& call) { return call.driver.call(name, call.small()); };
}

// A function of a device and a struct, which `fill` gives the value.
template <class Struct>
CallSetting with_struct(const char* name, void (*fill)(Struct&, const SettingCall&), std::uint64_t most = ~0ULL) {
  return [name, fill, most](const SettingCall& call) {
    if (most != ~0ULL && call.number() > most) return kInexpressible;
    Struct argument{};
    if constexpr (requires { argument.version; }) argument.version = abi::version_of<Struct>;
    fill(argument, call);
    return call.driver.call(name, call.device, &argument);
  };
}

// A range of clocks, of which the setting is one end.
CallSetting lock(const char* set, const char* reset, const char* low_name, const Fact<std::uint32_t> Clocks::*low,
                 const Fact<std::uint32_t> Clocks::*high) {
  return [=](const SettingCall& call) {
    if (call.none()) return call.driver.call(reset, call.device);
    const bool is_low = call.is(low_name);
    const Clocks& now = call.state.clocks;
    return call.driver.call(set, call.device, is_low ? call.small() : (now.*low).value_or(0),
                            is_low ? (now.*high).value_or(0) : call.small());
  };
}

int set_application_clocks(const SettingCall& call) {
  const Clocks& now = call.state.clocks;
  const bool memory = call.is("application_memory_mhz");
  return call.driver.call("nvmlDeviceSetApplicationsClocks", call.device,
                          memory ? call.small() : now.application_memory_mhz.value,
                          memory ? now.application_graphics_mhz.value : call.small());
}

int set_clock_offset(const SettingCall& call) {
  auto offset = versioned<abi::nvmlClockOffset_v1_t>();
  offset.type = call.is("graphics_offset_mhz") ? abi::NVML_CLOCK_GRAPHICS : abi::NVML_CLOCK_MEM;
  offset.pstate = static_cast<abi::nvmlPstates_t>(call.state.clocks.pstates.items[call.items[0]].number.value);
  offset.clockOffsetMHz = static_cast<int>(call.number());
  return call.driver.call("nvmlDeviceSetClockOffsets", call.device, &offset);
}

int set_memory_limit(const SettingCall& call) {
  const Memory::Limit& now = call.state.memory.limits.items[call.items[0]];
  const bool soft = call.is("soft_bytes");
  abi::nvmlSetMemoryLimits_v1_t limits{now.cgroup.data, soft ? call.number() : now.soft_bytes.value,
                                       soft ? now.hard_bytes.value : call.number()};
  return call.driver.call("nvmlDeviceSetMemoryLimits_v1", call.device, &limits);
}

int set_mig_mode(const SettingCall& call) {
  int status = 0;
  return call.driver.call("nvmlDeviceSetMigMode", call.device, call.small(), &status);
}

int set_drain(const SettingCall& call) {
  abi::nvmlPciInfo_t place{};
  call.driver.call("nvmlDeviceGetPciInfo_v3", call.device, &place);
  return call.driver.call("nvmlDeviceModifyDrainState", &place, call.small());
}

int set_api_restriction(const SettingCall& call) {
  const auto api = call.is("api_restriction_auto_boost") ? abi::NVML_RESTRICTED_API_SET_AUTO_BOOSTED_CLOCKS
                                                         : abi::NVML_RESTRICTED_API_SET_APPLICATION_CLOCKS;
  return call.driver.call("nvmlDeviceSetAPIRestriction", call.device, api, call.small());
}

int control_link_counter(const SettingCall& call) {
  const auto& now = call.state.nvlink.links.items[call.items[0]].counters.items[call.items[1]];
  const bool units = call.is("units");
  abi::nvmlNvLinkUtilizationControl_t control{
      static_cast<abi::nvmlNvLinkUtilizationCountUnits_t>(units ? call.small() : now.units.value),
      static_cast<abi::nvmlNvLinkUtilizationCountPktTypes_t>(units ? now.packet_filter.value : call.small())};
  return call.driver.call("nvmlDeviceSetNvLinkUtilizationControl", call.device, call.items[0], call.items[1], &control,
                          0U);
}

int freeze_link_counter(const SettingCall& call) {
  return call.driver.call("nvmlDeviceFreezeNvLinkUtilizationCounter", call.device, call.items[0], call.items[1],
                          call.small());
}

int set_temperature_target(const SettingCall& call) {
  const auto which = call.is("gps_current_c") ? abi::NVML_TEMPERATURE_THRESHOLD_GPS_CURR
                                              : abi::NVML_TEMPERATURE_THRESHOLD_ACOUSTIC_CURR;
  int celsius = static_cast<int>(call.number());
  return call.driver.call("nvmlDeviceSetTemperatureThreshold", call.device, which, &celsius);
}

// NVML counts percent, the setting hundredths of one.
int set_smoothing_parameter(const SettingCall& call) {
  static const std::map<std::string, unsigned> numbers = {
      {"floor_percent", 0},         {"ramp_up_mw_per_s", 1},
      {"ramp_down_mw_per_s", 2},    {"ramp_down_hysteresis_ms", 3},
      {"secondary_floor_mw", 4},    {"primary_activation_window", 5},
      {"primary_target_window", 6}, {"primary_activation_offset_mw", 7}};
  auto profile = versioned<abi::nvmlPowerSmoothingProfile_v1_t>();
  profile.profileId = call.items[0];
  profile.paramId = numbers.at(call.field);
  profile.value = static_cast<double>(call.number()) / (profile.paramId == 0 ? 100 : 1);
  return call.driver.call("nvmlDevicePowerSmoothingUpdatePresetProfileParam", call.device, &profile);
}

// "[0, 2]": profiles by their numbers.
int overwrite_workload_profiles(const SettingCall& call) {
  abi::nvmlWorkloadPowerProfileUpdateProfiles_v1_t update{};
  update.operation = static_cast<abi::nvmlPowerProfileOperation_t>(2);
  for (std::size_t at = call.value.find_first_of("0123456789"); at != std::string::npos;) {
    std::size_t length = 0;
    const unsigned long id = std::stoul(call.value.substr(at), &length);
    update.updateProfilesMask.mask[id / 32] |= 1U << id % 32;
    at = call.value.find_first_of("0123456789", at + length);
  }
  return call.driver.call("nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1", call.device, &update);
}

// Writes the bytes of a port register, which `value` has in hexadecimal.
int write_port_register(const SettingCall& call) {
  const Prm::Register& now = call.state.prm.registers.items[call.items[0]];
  auto access = abi::nvmlPRMTLV_v1_t{};
  const unsigned size = now.size_bytes.value;
  constexpr unsigned kHead = 20;
  access.dataSize = kHead + size + 4;
  const auto put = [&access](unsigned at, unsigned word) {
    for (unsigned i = 0; i < 4; ++i)
      access.inData[at + i] = static_cast<unsigned char>(word >> (24 - 8 * i));
  };
  put(0, 1U << 27 | 4U << 16);
  put(4, now.id.value << 16 | 2U << 8 | 1U);
  put(16, 3U << 27 | (size / 4 + 1) << 16);
  for (unsigned i = 0; i < size; ++i)
    access.inData[kHead + i] = static_cast<unsigned char>(std::stoul(call.value.substr(2 * i, 2), nullptr, 16));
  const int code = call.driver.call("nvmlDeviceReadWritePRM_v1", call.device, &access);
  return code == kSuccess && access.status != 0 ? kInvalidArgument : code;
}

int set_unit_light(const SettingCall& call) {
  Word unit = 0;
  const int code = call.driver.call("nvmlUnitGetHandleByIndex", call.items[0], &unit);
  return code != kSuccess ? code : call.driver.call("nvmlUnitSetLedState", unit, call.small());
}

int set_encoder_capacity(const SettingCall& call) {
  return call.driver.call("nvmlVgpuInstanceSetEncoderCapacity", call.node.vgpu.instances.items[call.items[0]].id.value,
                          call.small());
}

int set_vgpu_schedule(const SettingCall& call) {
  const Vgpu::Scheduler& now = call.node.vgpu.schedulers.items[call.items[0]];
  abi::nvmlVgpuSchedulerSetState_t state{};
  state.schedulerPolicy = call.is("policy") ? call.small() : now.policy.value;
  state.enableARRMode = call.is("adaptive") ? call.small() : now.adaptive.value;
  if (state.enableARRMode == 1) {
    state.schedulerParams.vgpuSchedData.timeslice = call.is("timeslice_ns") ? call.small() : now.timeslice_ns.value;
  } else {
    const unsigned average = call.is("average_factor") ? call.small() : now.average_factor.value;
    if (average == 0) return kInexpressible;  // the default
    state.schedulerParams.vgpuSchedDataWithARR.avgFactor = average;
    state.schedulerParams.vgpuSchedDataWithARR.frequency = 1'000'000'000 / now.timeslice_ns.value;
  }
  return call.driver.call("nvmlDeviceSetVgpuSchedulerState", call.device, &state);
}

int set_vgpu_versions(const SettingCall& call) {
  const bool low = call.is("lowest_version");
  abi::nvmlVgpuVersion_t versions{low ? call.small() : call.node.vgpu.lowest_version.value,
                                  low ? call.node.vgpu.highest_version.value : call.small()};
  return call.driver.call("nvmlSetVgpuVersion", &versions);
}

std::map<std::string, CallSetting> all_calls() {
  std::map<std::string, CallSetting> calls = {
      {"nvmlDeviceFreezeNvLinkUtilizationCounter", freeze_link_counter},
      {"nvmlDeviceModifyDrainState", set_drain},
      {"nvmlDevicePowerSmoothingUpdatePresetProfileParam", set_smoothing_parameter},
      {"nvmlDeviceReadWritePRM_v1", write_port_register},
      {"nvmlDeviceSetAPIRestriction", set_api_restriction},
      {"nvmlDeviceSetApplicationsClocks", set_application_clocks},
      {"nvmlDeviceSetClockOffsets", set_clock_offset},
      {"nvmlDeviceSetMemoryLimits_v1", set_memory_limit},
      {"nvmlDeviceSetMigMode", set_mig_mode},
      {"nvmlDeviceSetNvLinkUtilizationControl", control_link_counter},
      {"nvmlDeviceSetTemperatureThreshold", set_temperature_target},
      {"nvmlDeviceSetVgpuSchedulerState", set_vgpu_schedule},
      {"nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1", overwrite_workload_profiles},
      {"nvmlSetVgpuVersion", set_vgpu_versions},
      {"nvmlUnitSetLedState", set_unit_light},
      {"nvmlVgpuInstanceSetEncoderCapacity", set_encoder_capacity},
  };
  for (const char* name :
       {"nvmlDeviceCcuSetStreamState", "nvmlDeviceSetAccountingMode", "nvmlDeviceSetAdaptiveTgpMode_v1",
        "nvmlDeviceSetAutoBoostedClocksEnabled", "nvmlDeviceSetComputeMode",
        "nvmlDeviceSetDefaultAutoBoostedClocksEnabled", "nvmlDeviceSetEccMode", "nvmlDeviceSetGpuOperationMode",
        "nvmlDeviceSetPersistenceMode", "nvmlDeviceSetPowerManagementLimit", "nvmlDeviceSetVirtualizationMode",
        "nvmlGpmSetStreamingEnabled"})
    calls[name] = of_device(name);
  for (const char* name : {"nvmlSystemSetConfComputeGpusReadyState", "nvmlSystemSetNvlinkBwMode"})
    calls[name] = of_machine(name);
  for (const char* name : {"nvmlDeviceSetFanSpeed_v2", "nvmlDeviceSetFanControlPolicy"})
    calls[name] = [name](const SettingCall& call) {
      return call.driver.call(name, call.device, call.items[0], call.small());
    };
  calls["nvmlDeviceSetGpuLockedClocks"] =
      lock("nvmlDeviceSetGpuLockedClocks", "nvmlDeviceResetGpuLockedClocks", "locked_graphics_min_mhz",
           &Clocks::locked_graphics_min_mhz, &Clocks::locked_graphics_max_mhz);
  calls["nvmlDeviceSetMemoryLockedClocks"] =
      lock("nvmlDeviceSetMemoryLockedClocks", "nvmlDeviceResetMemoryLockedClocks", "locked_memory_min_mhz",
           &Clocks::locked_memory_min_mhz, &Clocks::locked_memory_max_mhz);
  const auto add = [&calls]<class Struct>(const char* name, void (*fill)(Struct&, const SettingCall&),
                                          std::uint64_t most = ~0ULL) {
    calls[name] = with_struct<Struct>(name, fill, most);
  };
  calls["nvmlSystemSetConfComputeKeyRotationThresholdInfo"] = [](const SettingCall& call) {
    auto info = versioned<abi::nvmlConfComputeSetKeyRotationThresholdInfo_v1_t>();
    info.maxAttackerAdvantage = call.number();
    return call.driver.call("nvmlSystemSetConfComputeKeyRotationThresholdInfo", &info);
  };
  add(
      "nvmlDeviceSetHostname_v1", +[](abi::nvmlHostname_v1_t& hostname, const SettingCall& call) {
        std::strncpy(hostname.value, call.value.c_str(), sizeof hostname.value);
      });
  add(
      "nvmlDeviceSetDramEncryptionMode", +[](abi::nvmlDramEncryptionInfo_v1_t& mode, const SettingCall& call) {
        mode.encryptionState = static_cast<abi::nvmlEnableState_t>(call.small());
      });
  add(
      "nvmlDeviceSetRusdSettings_v1",
      +[](abi::nvmlRusdSettings_v1_t& settings, const SettingCall& call) { settings.pollMask = call.number(); });
  add(
      "nvmlDeviceSetNvLinkDeviceLowPowerThreshold",
      +[](abi::nvmlNvLinkPowerThres_t& info, const SettingCall& call) { info.lowPwrThreshold = call.small(); });
  add(
      "nvmlDeviceSetNvlinkBwMode",
      +[](abi::nvmlNvlinkSetBwMode_v1_t& mode, const SettingCall& call) {
        mode.bwMode = static_cast<unsigned char>(call.small());
      },
      255);
  add(
      "nvmlDeviceSetNvlinkNvleReady_v1",
      +[](abi::nvmlNvlinkSetNvleReady_v1_t& ready, const SettingCall& call) {
        ready.bNvleReady = static_cast<decltype(ready.bNvleReady)>(call.small());
      },
      1);
  add(
      "nvmlDeviceSetPowerManagementLimit_v2", +[](abi::nvmlPowerValue_v2_t& value, const SettingCall& call) {
        value.powerScope = abi::POWER_SCOPE_MODULE;
        value.powerValueMw = call.small();
      });
  add(
      "nvmlDeviceSetPowerMizerMode_v1",
      +[](abi::nvmlDevicePowerMizerModes_v1_t& modes, const SettingCall& call) { modes.mode = call.small(); });
  add(
      "nvmlDevicePowerSmoothingSetState", +[](abi::nvmlPowerSmoothingState_v1_t& state, const SettingCall& call) {
        state.state = static_cast<abi::nvmlEnableState_t>(call.small());
      });
  add(
      "nvmlDevicePowerSmoothingActivatePresetProfile",
      +[](abi::nvmlPowerSmoothingProfile_v1_t& profile, const SettingCall& call) { profile.profileId = call.small(); });
  add(
      "nvmlDeviceSetVgpuHeterogeneousMode",
      +[](abi::nvmlVgpuHeterogeneousMode_v1_t& mode, const SettingCall& call) { mode.mode = call.small(); });
  return calls;
}

}  // namespace

const CallSetting* find_setting_call(const std::string& function) {
  static const std::map<std::string, CallSetting> calls = all_calls();
  const auto found = calls.find(function);
  return found == calls.end() ? nullptr : &found->second;
}

}  // namespace nvmlab::driver_test
