// SPDX-License-Identifier: Apache-2.0
// Methods whose bodies are written by hand (binding/nvmlab/nvml/*.cpp): what they are called with and answer. A
// function of `shape: hand` that is not here has its method in a hand-written class.
#include <algorithm>
#include <array>

#include "codegen/emit/nvml/pieces.hpp"

namespace nvmlab::codegen::methods {
namespace {

struct Row {
  const char* function = "";
  const char* result = "";
  const char* parameters = "";  // separated by ", "
  const char* body = "";
  const char* header = "";
  const char* remark = "";
};

constexpr const char* kFields = "nvmlab/nvml/field_value.hpp";
constexpr const char* kSamples = "nvmlab/nvml/samples.hpp";
constexpr const char* kPlacements = "nvmlab/nvml/vgpu_lists.hpp";
constexpr const char* kRecords = "nvmlab/nvml/records.hpp";
constexpr const char* kOldPci = "nvmlab/nvml/generated/values_pci.hpp";
constexpr const char* kRoom = "Into the caller's memory; nothing is allocated.";

constexpr std::array kRows{
    Row{"nvmlDeviceGetFieldValues", "std::vector<FieldValue>", "std::span<const Field> fields",
        "detail::read_fields(state(), handle(), fields)", kFields},
    Row{"nvmlDeviceGetFieldValues", "void", "std::span<const Field> fields, std::span<FieldValue> room",
        "detail::read_fields(state(), handle(), fields, room)", kFields, kRoom},
    Row{"nvmlDeviceGetFieldValues", "Value", "Field field", "detail::read_field(state(), handle(), field)", kFields,
        "One field, with its own error in the place of the call's."},
    Row{"nvmlDeviceClearFieldValues", "std::vector<Result<void>>", "std::span<const Field> fields",
        "detail::clear_fields(state(), handle(), fields)", kFields},
    Row{"nvmlDeviceClearFieldValues", "void", "std::span<const Field> fields, std::span<Result<void>> room",
        "detail::clear_fields(state(), handle(), fields, room)", kFields, kRoom},
    Row{"nvmlDeviceGetSamples", "std::vector<Sample>", "SamplingType type, Timestamp since",
        "detail::samples(state(), handle(), type, since)", kSamples},
    Row{"nvmlDeviceGetRetiredPages_v2", "std::vector<RetiredPage>", "PageRetirementCause cause",
        "detail::retired_pages(state(), handle(), cause)", kSamples},
    Row{"nvmlDeviceGetVgpuUtilization", "std::vector<VgpuInstanceUtilization>", "Timestamp since",
        "detail::vgpu_utilization(state(), handle(), since)", kSamples},
    Row{"nvmlDeviceGetVgpuInstancesUtilizationInfo", "std::vector<VgpuInstanceUtilization>", "Timestamp since",
        "detail::vgpu_instances_utilization(state(), handle(), since)", kSamples},
    Row{"nvmlDeviceGetVgpuTypeSupportedPlacements", "VgpuPlacements", "const VgpuType& type, bool homogeneous",
        "detail::vgpu_placements(state(), &Functions::nvmlDeviceGetVgpuTypeSupportedPlacements, handle(), "
        "type.handle(), "
        "homogeneous)",
        kPlacements, "Homogeneous placement is asked for where all vGPUs of the GPU are of this type."},
    Row{"nvmlDeviceGetVgpuTypeCreatablePlacements", "VgpuPlacements", "const VgpuType& type, bool homogeneous",
        "detail::vgpu_placements(state(), &Functions::nvmlDeviceGetVgpuTypeCreatablePlacements, handle(), "
        "type.handle(), "
        "homogeneous)",
        kPlacements, "Homogeneous placement is asked for where all vGPUs of the GPU are of this type."},
    Row{"nvmlGpuInstanceGetVgpuTypeCreatablePlacements", "VgpuPlacements", "const VgpuType& type",
        "detail::vgpu_placements(state(), handle(), type.handle())", kPlacements},
    Row{"nvmlDeviceGetNvLinkTelemetrySamples_v1", "std::vector<Result<std::vector<std::uint64_t>>>",
        "std::span<const NvlinkCounter> counters", "detail::nvlink_telemetry(state(), handle(), counters)",
        "nvmlab/nvml/nvlink_telemetry.hpp"},
    Row{"nvmlDeviceReadPRMCounters_v1", "std::vector<Result<Value>>", "std::span<const PrmCounter> counters",
        "detail::read_prm_counters(state(), handle(), counters)", kRecords},
    Row{"nvmlDeviceReadWritePRM_v1", "PrmTlv", "const PrmTlv& access",
        "detail::read_write_prm(state(), handle(), access)", kRecords},
    Row{"nvmlDeviceSetMemoryLimits_v1", "void", "const std::string& control_group, const MemoryLimits& limits",
        "detail::set_memory_limits(state(), handle(), control_group, limits)", kRecords,
        "No hard limit, a soft one of zero: the control group is without limits again."},
    Row{"nvmlSystemGetCPER_v1", "std::vector<std::uint8_t>", "CperCursor& cursor", "detail::next_cper(state(), cursor)",
        kRecords, "Empty: there are no more for now."},
    Row{"nvmlGpmMetricsGet", "std::vector<GpmMetric>",
        "const GpmSample& first, const GpmSample& second, std::span<const GpmMetricId> metrics",
        "detail::gpm_metrics(state(), first.handle(), second.handle(), metrics)", kRecords},
    Row{"nvmlDeviceGetPciInfo", "PciInfo", "",
        "detail::old_pci_info(state(), &Functions::nvmlDeviceGetPciInfo, handle())", kOldPci},
    Row{"nvmlDeviceGetPciInfo_v2", "PciInfo", "",
        "detail::old_pci_info(state(), &Functions::nvmlDeviceGetPciInfo_v2, handle())", kOldPci},
    Row{"nvmlDeviceGetNvLinkRemotePciInfo", "PciInfo", "unsigned link",
        "detail::old_pci_info(state(), &Functions::nvmlDeviceGetNvLinkRemotePciInfo, handle(), link)", kOldPci},
    Row{"nvmlSystemGetDriverBranch", "std::string", "",
        "detail::sole(&SystemDriverBranchInfo::branch, detail::record<SystemDriverBranchInfo, "
        "abi::nvmlSystemDriverBranchInfo_v1_t>(state(), &Functions::nvmlSystemGetDriverBranch, detail::here, "
        "unsigned{abi::SYSTEM_DRIVER_VERSION_BUFFER_SIZE}))",
        "nvmlab/nvml/generated/values_system.hpp"},
    Row{"nvmlSystemEventSetCreate", "SystemEventSet", "", "detail::new_system_event_set(library())",
        "nvmlab/nvml/forward.hpp"},
    Row{"nvmlEventSetWait", "EventData", "std::chrono::milliseconds timeout",
        "detail::old_event(state(), handle(), timeout)", "nvmlab/nvml/generated/values_events.hpp"},
    Row{"nvmlGetVgpuCompatibility", "VgpuPgpuCompatibility", "const VgpuMetadata& vgpu, const VgpuPgpuMetadata& gpu",
        "detail::vgpu_compatibility(state(), vgpu, gpu)", kPlacements},
};

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.push_back(std::move(part));
      part.clear();
    } else if (!part.empty() || c != ' ') {
      part += c;
    }
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

}  // namespace

bool is_by_hand(std::string_view function) { return std::ranges::find(kRows, function, &Row::function) != kRows.end(); }

Result<Pieces> write_by_hand(const Writing&, const Method& method) {
  Pieces pieces;
  for (const Row& row : kRows) {
    if (method.function->name != row.function) continue;
    Piece piece;
    piece.result = row.result;
    piece.parameters = split(row.parameters);
    piece.body = row.body;
    piece.headers.insert(row.header);
    piece.remark = row.remark;
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace nvmlab::codegen::methods
