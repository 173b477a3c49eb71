// SPDX-License-Identifier: Apache-2.0
//
// Calls that the driver answers with code of its own (drivers/nvml/hooks/) and whose single outputs are still single
// fields. What makes lists stands in the files of its topic beside this one.
#include "import/replay/rows.hpp"

namespace nvmlab::importer::replay {
namespace {

#define NVMLAB_CLOCK(type, id, field) \
  { "nvmlDeviceGetClock", "clockType=NVML_CLOCK_" type " clockId=NVML_CLOCK_ID_" id, "clockMHz", "clocks." field }
#define NVMLAB_HELD(policy, field)                                                                       \
  {                                                                                                      \
    "nvmlDeviceGetViolationStatus", "perfPolicyType=NVML_PERF_POLICY_" policy, "violTime.violationTime", \
        "clocks." field, 1000                                                                            \
  }
#define NVMLAB_ERRORS(error, counter, place, field)                            \
  {                                                                            \
    "nvmlDeviceGetMemoryErrorCounter",                                         \
        "errorType=NVML_MEMORY_ERROR_TYPE_" error " counterType=NVML_" counter \
        "_ECC locationType=NVML_MEMORY_LOCATION_" place,                       \
        "count", "ecc." field                                                  \
  }
#define NVMLAB_ALL_ERRORS(error, counter, record)                                \
  NVMLAB_ERRORS(error, counter, "L1_CACHE", record ".l1_cache"),                 \
      NVMLAB_ERRORS(error, counter, "L2_CACHE", record ".l2_cache"),             \
      NVMLAB_ERRORS(error, counter, "DRAM", record ".dram"),                     \
      NVMLAB_ERRORS(error, counter, "REGISTER_FILE", record ".register_file"),   \
      NVMLAB_ERRORS(error, counter, "TEXTURE_MEMORY", record ".texture_memory"), \
      NVMLAB_ERRORS(error, counter, "TEXTURE_SHM", record ".texture_shm"),       \
      NVMLAB_ERRORS(error, counter, "CBU", record ".cbu"), NVMLAB_ERRORS(error, counter, "SRAM", record ".sram")
#define NVMLAB_SRAM(member, field) \
  { "nvmlDeviceGetSramEccErrorStatus", "", "status." member, "ecc.sram." field }
#define NVMLAB_FABRIC(function, member, field) \
  { function, "", "gpuFabricInfo." member, "fabric." field }
#define NVMLAB_PLATFORM(member, field) \
  { "nvmlDeviceGetPlatformInfo", "", "platformInfo." member, "fabric." field }
#define NVMLAB_PCI(function)                                                                                           \
  {function, "", "pci.domain", "pci.domain"}, {function, "", "pci.bus", "pci.bus"},                                    \
      {function, "", "pci.device", "pci.device"}, {function, "", "pci.pciDeviceId", "pci.device_id", 1, As::positive}, \
  {                                                                                                                    \
    function, "", "pci.pciSubSystemId", "pci.subsystem_id", 1, As::positive                                            \
  }

constexpr OutputRow kRows[] = {
    NVMLAB_CLOCK("GRAPHICS", "CURRENT", "graphics_mhz"),
    NVMLAB_CLOCK("SM", "CURRENT", "sm_mhz"),
    NVMLAB_CLOCK("MEM", "CURRENT", "memory_mhz"),
    NVMLAB_CLOCK("VIDEO", "CURRENT", "video_mhz"),
    NVMLAB_CLOCK("GRAPHICS", "APP_CLOCK_TARGET", "application_graphics_mhz"),
    NVMLAB_CLOCK("MEM", "APP_CLOCK_TARGET", "application_memory_mhz"),
    NVMLAB_CLOCK("GRAPHICS", "APP_CLOCK_DEFAULT", "default_application_graphics_mhz"),
    NVMLAB_CLOCK("MEM", "APP_CLOCK_DEFAULT", "default_application_memory_mhz"),
    NVMLAB_CLOCK("GRAPHICS", "CUSTOMER_BOOST_MAX", "max_customer_boost_graphics_mhz"),
    NVMLAB_CLOCK("MEM", "CUSTOMER_BOOST_MAX", "max_customer_boost_memory_mhz"),
    NVMLAB_HELD("POWER", "sw_power_cap_us"),
    NVMLAB_HELD("THERMAL", "sw_thermal_slowdown_us"),
    NVMLAB_HELD("SYNC_BOOST", "sync_boost_us"),
    NVMLAB_HELD("BOARD_LIMIT", "board_limit_us"),
    NVMLAB_HELD("LOW_UTILIZATION", "low_utilization_us"),
    NVMLAB_HELD("RELIABILITY", "reliability_us"),
    NVMLAB_HELD("TOTAL_APP_CLOCKS", "below_application_clocks_us"),
    NVMLAB_HELD("TOTAL_BASE_CLOCKS", "below_base_clocks_us"),
    {"nvmlDeviceGetTemperatureV", "", "temperature.temperature", "thermal.gpu_c"},
    NVMLAB_ALL_ERRORS("CORRECTED", "VOLATILE", "corrected_volatile"),
    NVMLAB_ALL_ERRORS("CORRECTED", "AGGREGATE", "corrected_aggregate"),
    NVMLAB_ALL_ERRORS("UNCORRECTED", "VOLATILE", "uncorrected_volatile"),
    NVMLAB_ALL_ERRORS("UNCORRECTED", "AGGREGATE", "uncorrected_aggregate"),
    NVMLAB_SRAM("volatileCor", "volatile_correctable"),
    NVMLAB_SRAM("volatileUncParity", "volatile_parity"),
    NVMLAB_SRAM("volatileUncSecDed", "volatile_secded"),
    NVMLAB_SRAM("aggregateCor", "aggregate_correctable"),
    NVMLAB_SRAM("aggregateUncParity", "aggregate_parity"),
    NVMLAB_SRAM("aggregateUncSecDed", "aggregate_secded"),
    NVMLAB_SRAM("bThresholdExceeded", "threshold_exceeded"),
    NVMLAB_SRAM("aggregateUncBucketL2", "source_l2"),
    NVMLAB_SRAM("aggregateUncBucketSm", "source_sm"),
    NVMLAB_SRAM("aggregateUncBucketMcu", "source_microcontroller"),
    NVMLAB_SRAM("aggregateUncBucketPcie", "source_pcie"),
    NVMLAB_SRAM("aggregateUncBucketOther", "source_other"),
    {"nvmlDeviceGetRemappedRows_v2", "", "info.corrInactiveRemaps", "ecc.remapped_correctable_inactive"},
    {"nvmlDeviceGetRemappedRows_v2", "", "info.uncInactiveRemaps", "ecc.remapped_uncorrectable_inactive"},
    {"nvmlDeviceGetBankRemapperStatus_v1", "", "pBankRemapperStatus.activeRemappings", "ecc.bank_remaps_active"},
    {"nvmlDeviceGetBankRemapperStatus_v1", "", "pBankRemapperStatus.inactiveRemappings", "ecc.bank_remaps_inactive"},
    {"nvmlDeviceGetBankRemapperStatus_v1", "", "pBankRemapperStatus.bPending", "ecc.bank_remap_pending"},
    {"nvmlDeviceGetBankRemapperStatus_v1", "", "pBankRemapperStatus.histogram.maxSpareGroupCount",
     "ecc.bank_groups_max"},
    {"nvmlDeviceGetBankRemapperStatus_v1", "", "pBankRemapperStatus.histogram.noSpareGroupCount",
     "ecc.bank_groups_none"},
    NVMLAB_PCI("nvmlDeviceGetPciInfo_v3"),
    NVMLAB_PCI("nvmlDeviceGetPciInfo_v2"),
    NVMLAB_PCI("nvmlDeviceGetPciInfo"),
    {"nvmlDeviceGetPciInfoExt", "", "pci.baseClass", "pci.base_class"},
    {"nvmlDeviceGetPciInfoExt", "", "pci.subClass", "pci.sub_class"},
    {"nvmlDeviceGetMemoryInfo_v2", "", "memory.total", "memory.total_bytes"},
    {"nvmlDeviceGetMemoryInfo_v2", "", "memory.reserved", "memory.reserved_bytes"},
    {"nvmlDeviceGetMemoryInfo_v2", "", "memory.used", "memory.used_bytes"},
    {"nvmlDeviceGetBAR1MemoryInfo", "", "bar1Memory.bar1Total", "memory.bar1_total_bytes"},
    {"nvmlDeviceGetBAR1MemoryInfo", "", "bar1Memory.bar1Used", "memory.bar1_used_bytes"},
    {"nvmlDeviceGetConfComputeProtectedMemoryUsage", "", "memory.total", "memory.protected_total_bytes"},
    {"nvmlDeviceGetConfComputeProtectedMemoryUsage", "", "memory.used", "memory.protected_used_bytes"},
    NVMLAB_FABRIC("nvmlDeviceGetGpuFabricInfoV", "state", "state"),
    NVMLAB_FABRIC("nvmlDeviceGetGpuFabricInfoV", "status", "status"),
    NVMLAB_FABRIC("nvmlDeviceGetGpuFabricInfoV", "cliqueId", "clique_id"),
    NVMLAB_FABRIC("nvmlDeviceGetGpuFabricInfoV", "clusterUuid", "cluster_uuid"),
    NVMLAB_FABRIC("nvmlDeviceGetGpuFabricInfoV", "healthMask", "health_mask"),
    NVMLAB_FABRIC("nvmlDeviceGetGpuFabricInfoV", "healthSummary", "health_summary"),
    NVMLAB_FABRIC("nvmlDeviceGetGpuFabricInfo", "state", "state"),
    NVMLAB_FABRIC("nvmlDeviceGetGpuFabricInfo", "status", "status"),
    NVMLAB_FABRIC("nvmlDeviceGetGpuFabricInfo", "cliqueId", "clique_id"),
    NVMLAB_FABRIC("nvmlDeviceGetGpuFabricInfo", "clusterUuid", "cluster_uuid"),
    NVMLAB_PLATFORM("ibGuid", "gpu_fabric_guid"),
    {"nvmlDeviceGetPlatformInfo", "", "platformInfo.chassisSerialNumber", "fabric.chassis_serial", 1, As::text},
    NVMLAB_PLATFORM("slotNumber", "slot_number"),
    NVMLAB_PLATFORM("trayIndex", "tray_index"),
    NVMLAB_PLATFORM("hostId", "host_id"),
    NVMLAB_PLATFORM("peerType", "peer_type"),
    NVMLAB_PLATFORM("moduleId", "platform_module_id"),
    {"nvmlDeviceGetDramEncryptionMode", "", "current.encryptionState", "modes.dram_encryption"},
    {"nvmlDeviceGetDramEncryptionMode", "", "pending.encryptionState", "modes.dram_encryption_pending"},
    {"nvmlDeviceGetCapabilities", "", "caps.capMask", "modes.egm", 1, As::bit},
    {"nvmlDeviceQueryDrainState", "", "currentState", "modes.drain"},
    {"nvmlGpmQueryDeviceSupport", "", "gpmSupport.isSupportedDevice", "gpm.supported", 1, As::positive},
    {"nvmlDeviceGetNvlinkBwMode", "", "getBwMode.bwMode", "nvlink.bandwidth_mode"},
    {"nvmlDeviceGetNvLinkInfo", "", "info.isNvleEnabled", "nvlink.encryption"},
    {"nvmlDeviceGetNvLinkInfo_v3", "", "info.isNvleReady", "nvlink.encryption_ready"},
    {"nvmlDeviceGetEncoderStats", "", "averageFps", "utilization.encoder_average_fps"},
    {"nvmlDeviceGetEncoderStats", "", "averageLatency", "utilization.encoder_average_latency_us"},
    {"nvmlDeviceGetFBCStats", "", "fbcStats.averageFPS", "utilization.fbc_average_fps"},
    {"nvmlDeviceGetFBCStats", "", "fbcStats.averageLatency", "utilization.fbc_average_latency_us"},
    {"nvmlDeviceGetHostname_v1", "", "hostname.value", "identity.hostname"},
    {"nvmlSystemGetDriverBranch", "", "branchInfo.branch", "system.driver_branch"},
    {"nvmlSystemGetNvlinkBwMode", "", "nvlinkBwMode", "system.nvlink_bandwidth_mode"},
};

}  // namespace

std::span<const OutputRow> call_outputs() { return kRows; }

}  // namespace nvmlab::importer::replay
