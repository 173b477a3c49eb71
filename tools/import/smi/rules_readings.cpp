// SPDX-License-Identifier: Apache-2.0
//
// What the board measures, and the limits that it is set to.
#include "import/smi/rules.hpp"
#include "nvmlab/abi/generated/constants.hpp"

namespace nvmlab::importer {
namespace {

using enum PrintedForm;

constexpr Rule kReadingRules[] = {
    // memory: what of it is in use is worked out from all of its numbers (composites.cpp)
    {"fb_memory_usage/total", "FB Memory Usage/Total", "memory.total_bytes", number, "MiB", 1 << 20},
    {"bar1_memory_usage/total", "BAR1 Memory Usage/Total", "memory.bar1_total_bytes", number, "MiB", 1 << 20},
    {"cc_protected_memory_usage/total", "Conf Compute Protected Memory Usage/Total", "memory.protected_total_bytes",
     number, "MiB", 1 << 20},
    {"cc_protected_memory_usage/used", "Conf Compute Protected Memory Usage/Used", "memory.protected_used_bytes",
     number, "MiB", 1 << 20},
    // utilization
    {"utilization/gpu_util", "Utilization/GPU", "utilization.gpu_percent", number, "%"},
    {"utilization/gpu_util", "Utilization/Gpu", "utilization.gpu_percent", number, "%"},
    {"utilization/memory_util", "Utilization/Memory", "utilization.memory_percent", number, "%"},
    {"utilization/encoder_util", "Utilization/Encoder", "utilization.encoder_percent", number, "%"},
    {"utilization/decoder_util", "Utilization/Decoder", "utilization.decoder_percent", number, "%"},
    {"utilization/jpeg_util", "Utilization/JPEG", "utilization.jpeg_percent", number, "%"},
    {"utilization/ofa_util", "Utilization/OFA", "utilization.ofa_percent", number, "%"},
    {"encoder_stats/average_fps", "Encoder Stats/Average FPS", "utilization.encoder_average_fps", number},
    {"encoder_stats/average_latency", "Encoder Stats/Average Latency", "utilization.encoder_average_latency_us",
     number},
    {"fbc_stats/average_fps", "FBC Stats/Average FPS", "utilization.fbc_average_fps", number},
    {"fbc_stats/average_latency", "FBC Stats/Average Latency", "utilization.fbc_average_latency_us", number},
    // thermal
    {"temperature/gpu_temp", "Temperature/GPU Current Temp", "thermal.gpu_c", number, "C"},
    {"temperature/gpu_temp", "Temperature/Gpu", "thermal.gpu_c", number, "C"},  // until driver 319
    {"temperature/gpu_temp_tlimit", "Temperature/GPU T.Limit Temp", "thermal.tlimit_c", number, "C"},
    {"temperature/gpu_temp_max_threshold", "Temperature/GPU Shutdown Temp", "thermal.shutdown_c", number, "C"},
    {"temperature/gpu_temp_slow_threshold", "Temperature/GPU Slowdown Temp", "thermal.slowdown_c", number, "C"},
    {"temperature/gpu_temp_max_gpu_threshold", "Temperature/GPU Max Operating Temp", "thermal.gpu_max_c", number, "C"},
    {"temperature/gpu_target_temperature", "Temperature/GPU Target Temperature", "thermal.acoustic_current_c", number,
     "C"},
    {"temperature/memory_temp", "Temperature/Memory Current Temp", "thermal.memory_c", number, "C"},
    {"temperature/gpu_temp_max_mem_threshold", "Temperature/Memory Max Operating Temp", "thermal.memory_max_c", number,
     "C"},
    {"temperature/gpu_temp_max_tlimit_threshold", "Temperature/GPU Shutdown T.Limit Temp", "thermal.shutdown_tlimit_c",
     number, "C"},
    {"temperature/gpu_temp_slow_tlimit_threshold", "Temperature/GPU Slowdown T.Limit Temp", "thermal.slowdown_tlimit_c",
     number, "C"},
    {"temperature/gpu_temp_max_gpu_tlimit_threshold", "Temperature/GPU Max Operating T.Limit Temp",
     "thermal.gpu_max_tlimit_c", number, "C"},
    {"temperature/gpu_temp_max_mem_tlimit_threshold", "Temperature/Memory Max Operating T.Limit Temp",
     "thermal.memory_max_tlimit_c", number, "C"},
    {"supported_gpu_target_temp/gpu_target_temp_min", "Supported GPU Target Temp/Min", "thermal.acoustic_min_c", number,
     "C"},
    {"supported_gpu_target_temp/gpu_target_temp_max", "Supported GPU Target Temp/Max", "thermal.acoustic_max_c", number,
     "C"},
    // power, by the names of DTD v12 and those before it
    {"gpu_power_readings/power_state", "", "power.state", number, "P"},
    {"power_readings/power_state", "", "power.state", number, "P"},
    {"power_readings/power_management", "Power Readings/Power Management", "power.management", word},
    {"gpu_power_readings/power_draw", "GPU Power Readings/Power Draw", "power.draw_mw", number, "W", 1000},
    {"power_readings/power_draw", "Power Readings/Power Draw", "power.draw_mw", number, "W", 1000},
    {"gpu_power_readings/average_power_draw", "GPU Power Readings/Average Power Draw", "power.draw_average_mw", number,
     "W", 1000},
    {"gpu_power_readings/instant_power_draw", "GPU Power Readings/Instantaneous Power Draw", "power.draw_instant_mw",
     number, "W", 1000},
    {"gpu_power_readings/current_power_limit", "GPU Power Readings/Current Power Limit", "power.enforced_limit_mw",
     number, "W", 1000},
    {"power_readings/enforced_power_limit", "Power Readings/Enforced Power Limit", "power.enforced_limit_mw", number,
     "W", 1000},
    {"gpu_power_readings/requested_power_limit", "GPU Power Readings/Requested Power Limit", "power.limit_mw", number,
     "W", 1000},
    {"power_readings/power_limit", "Power Readings/Power Limit", "power.limit_mw", number, "W", 1000},
    {"gpu_power_readings/default_power_limit", "GPU Power Readings/Default Power Limit", "power.default_limit_mw",
     number, "W", 1000},
    {"power_readings/default_power_limit", "Power Readings/Default Power Limit", "power.default_limit_mw", number, "W",
     1000},
    {"gpu_power_readings/min_power_limit", "GPU Power Readings/Min Power Limit", "power.min_limit_mw", number, "W",
     1000},
    {"power_readings/min_power_limit", "Power Readings/Min Power Limit", "power.min_limit_mw", number, "W", 1000},
    {"gpu_power_readings/max_power_limit", "GPU Power Readings/Max Power Limit", "power.max_limit_mw", number, "W",
     1000},
    {"power_readings/max_power_limit", "Power Readings/Max Power Limit", "power.max_limit_mw", number, "W", 1000},
    {"gpu_memory_power_readings/average_power_draw", "GPU Memory Power Readings/Average Power Draw",
     "power.memory_draw_average_mw", number, "W", 1000},
    {"gpu_memory_power_readings/power_draw", "GPU Memory Power Readings/Power Draw", "power.memory_draw_average_mw",
     number, "W", 1000},
    {"gpu_memory_power_readings/instant_power_draw", "GPU Memory Power Readings/Instantaneous Power Draw",
     "power.memory_draw_instant_mw", number, "W", 1000},
    {"module_power_readings/average_power_draw", "Module Power Readings/Average Power Draw",
     "power.module_draw_average_mw", number, "W", 1000},
    {"module_power_readings/power_draw", "Module Power Readings/Power Draw", "power.module_draw_average_mw", number,
     "W", 1000},
    {"module_power_readings/instant_power_draw", "Module Power Readings/Instantaneous Power Draw",
     "power.module_draw_instant_mw", number, "W", 1000},
    {"module_power_readings/current_power_limit", "Module Power Readings/Current Power Limit",
     "power.module_enforced_limit_mw", number, "W", 1000},
    {"module_power_readings/requested_power_limit", "Module Power Readings/Requested Power Limit",
     "power.module_limit_mw", number, "W", 1000},
    {"module_power_readings/default_power_limit", "Module Power Readings/Default Power Limit",
     "power.module_default_limit_mw", number, "W", 1000},
    {"module_power_readings/min_power_limit", "Module Power Readings/Min Power Limit", "power.module_min_limit_mw",
     number, "W", 1000},
    {"module_power_readings/max_power_limit", "Module Power Readings/Max Power Limit", "power.module_max_limit_mw",
     number, "W", 1000},
    {"power_smoothing", "Power Smoothing", "power.smoothing", word},
    // clocks
    {"performance_state", "Performance State", "clocks.performance_state", number, "P"},
    {"clocks/graphics_clock", "Clocks/Graphics", "clocks.graphics_mhz", number, "MHz"},
    {"clocks/sm_clock", "Clocks/SM", "clocks.sm_mhz", number, "MHz"},
    {"clocks/mem_clock", "Clocks/Memory", "clocks.memory_mhz", number, "MHz"},
    {"clocks/video_clock", "Clocks/Video", "clocks.video_mhz", number, "MHz"},
    {"applications_clocks/graphics_clock", "Applications Clocks/Graphics", "clocks.application_graphics_mhz", number,
     "MHz"},
    {"applications_clocks/mem_clock", "Applications Clocks/Memory", "clocks.application_memory_mhz", number, "MHz"},
    {"default_applications_clocks/graphics_clock", "Default Applications Clocks/Graphics",
     "clocks.default_application_graphics_mhz", number, "MHz"},
    {"default_applications_clocks/mem_clock", "Default Applications Clocks/Memory",
     "clocks.default_application_memory_mhz", number, "MHz"},
    {"deferred_clocks/mem_clock", "Deferred Clocks/Memory", "clocks.deferred_memory_mhz", number, "MHz"},
    {"max_clocks/graphics_clock", "Max Clocks/Graphics", "clocks.max_graphics_mhz", number, "MHz"},
    {"max_clocks/sm_clock", "Max Clocks/SM", "clocks.max_sm_mhz", number, "MHz"},
    {"max_clocks/mem_clock", "Max Clocks/Memory", "clocks.max_memory_mhz", number, "MHz"},
    {"max_clocks/video_clock", "Max Clocks/Video", "clocks.max_video_mhz", number, "MHz"},
    {"max_customer_boost_clocks/graphics_clock", "Max Customer Boost Clocks/Graphics",
     "clocks.max_customer_boost_graphics_mhz", number, "MHz"},
    {"clock_policy/auto_boost", "Clock Policy/Auto Boost", "clocks.auto_boost", word},
    {"clock_policy/auto_boost_default", "Clock Policy/Auto Boost Default", "clocks.auto_boost_default", word},
    {"voltage/graphics_volt", "Voltage/Graphics", "clocks.voltage_uv", number, "mV", 1000},
// Both rows of an element: is it active, and does the board report it.
#define NVMLAB_REASON(name, text, mask)                                                      \
  {"clocks_event_reasons/clocks_event_reason_" name,                                         \
   "Clocks Event Reasons/" text,                                                             \
   "clocks.event_reasons",                                                                   \
   bit,                                                                                      \
   "",                                                                                       \
   mask},                                                                                    \
      {"clocks_throttle_reasons/clocks_throttle_reason_" name,                               \
       "Clocks Throttle Reasons/" text,                                                      \
       "clocks.event_reasons",                                                               \
       bit,                                                                                  \
       "",                                                                                   \
       mask},                                                                                \
      {"clocks_event_reasons/clocks_event_reason_" name,                                     \
       "Clocks Event Reasons/" text,                                                         \
       "clocks.event_reasons_supported",                                                     \
       known_bit,                                                                            \
       "",                                                                                   \
       mask},                                                                                \
  {                                                                                          \
    "clocks_throttle_reasons/clocks_throttle_reason_" name, "Clocks Throttle Reasons/" text, \
        "clocks.event_reasons_supported", known_bit, "", mask                                \
  }
    NVMLAB_REASON("gpu_idle", "Idle", nvml::abi::ClocksEventReasonGpuIdle),
    NVMLAB_REASON("applications_clocks_setting", "Applications Clocks Setting",
                  nvml::abi::ClocksEventReasonApplicationsClocksSetting),
    NVMLAB_REASON("sw_power_cap", "SW Power Cap", nvml::abi::ClocksEventReasonSwPowerCap),
    NVMLAB_REASON("hw_slowdown", "HW Slowdown", nvml::abi::ClocksThrottleReasonHwSlowdown),
    NVMLAB_REASON("hw_thermal_slowdown", "HW Slowdown/HW Thermal Slowdown",
                  nvml::abi::ClocksThrottleReasonHwThermalSlowdown),
    NVMLAB_REASON("hw_power_brake_slowdown", "HW Slowdown/HW Power Brake Slowdown",
                  nvml::abi::ClocksThrottleReasonHwPowerBrakeSlowdown),
    NVMLAB_REASON("sync_boost", "Sync Boost", nvml::abi::ClocksEventReasonSyncBoost),
    NVMLAB_REASON("sw_thermal_slowdown", "SW Thermal Slowdown", nvml::abi::ClocksEventReasonSwThermalSlowdown),
    NVMLAB_REASON("display_clocks_setting", "Display Clock Setting", nvml::abi::ClocksEventReasonDisplayClockSetting),
#undef NVMLAB_REASON
    {"clocks_event_reasons_counters/clocks_event_reasons_counters_sw_power_cap",
     "Clocks Event Reasons Counters/SW Power Capping", "clocks.sw_power_cap_us", number, "us"},
    {"clocks_event_reasons_counters/clocks_event_reasons_counters_sync_boost",
     "Clocks Event Reasons Counters/Sync Boost", "clocks.sync_boost_us", number, "us"},
    {"clocks_event_reasons_counters/clocks_event_reasons_counters_sw_therm_slowdown",
     "Clocks Event Reasons Counters/SW Thermal Slowdown", "clocks.sw_thermal_slowdown_us", number, "us"},
    {"clocks_event_reasons_counters/clocks_event_reasons_counters_hw_therm_slowdown",
     "Clocks Event Reasons Counters/HW Thermal Slowdown", "clocks.hw_thermal_slowdown_us", number, "us"},
    {"clocks_event_reasons_counters/clocks_event_reasons_counters_hw_power_brake",
     "Clocks Event Reasons Counters/HW Power Braking", "clocks.hw_power_brake_us", number, "us"},
};

}  // namespace

std::span<const Rule> reading_rules() { return kReadingRules; }

}  // namespace nvmlab::importer
