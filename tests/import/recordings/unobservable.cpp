// SPDX-License-Identifier: Apache-2.0
#include "tests/import/recordings/unobservable.hpp"

#include <algorithm>

#include "engine/state/field.hpp"
#include "tests/import/recordings/leaves.hpp"

namespace nvmlab::test {
namespace {

enum class How : unsigned char {
  never,  // no getter's answer depends on the value
  zero,   // a getter answers 0 for a board that has none, or the other way round
  rest,   // told while the GPU works; at rest, that the board has it
  added,  // told also where it is not said, because it follows from something else
};

struct Unobservable {
  std::string_view kind;  // a field, or all that begin with it ("ecc.sram.")
  How how;
  std::string_view why;
};

constexpr std::string_view kInternal = "nvidia-smi alone reads it, through the library's internal table";
constexpr std::string_view kSetter = "only a setter looks at it";
constexpr std::string_view kZero = "the struct that has it says 0 for what the board does not have";

constexpr std::string_view kTogether = "the getter that tells it refuses as a whole where its first output is refused";
constexpr std::string_view kShare = "a share of utilization.gpu_percent, which is 0";
constexpr std::string_view kSerial = "it tells handles of instances apart that had the same place";
constexpr std::string_view kNobody = "of processes that use nothing a sample says 0";

constexpr Unobservable kUnobservable[] = {
    {"cuda.", How::never, "CUDA tells it, and NVML does not"},
    {"instances.gpu_instances[].serial", How::never, kSerial},
    {"instances.compute_instances[].serial", How::never, kSerial},
    {"instances.last_serial", How::never, kSerial},
    {"instances.gpu_instances[].memory_total_bytes", How::added, "its profile has it where nothing is said"},
    {"instances.gpu_instances[].bar1_total_bytes", How::added, "its share of the GPU's where nothing is said"},
    {"instances.gpu_instances[].bar1_used_bytes", How::added, "nothing of it where nothing is said"},
    {"instances.compute_instances[].uuid", How::added, "it follows from GPU and position where nothing is said"},
    {"identity.primary", How::never, kInternal},
    {"identity.gpu_part_number", How::never, kInternal},
    {"identity.fru_part_number", How::never, kInternal},
    {"modes.display_attached", How::never, kInternal},
    {"modes.sparse_operation", How::never, kInternal},
    {"modes.timeslice", How::never, kInternal},
    {"modes.relaxed_ordering", How::never, kInternal},
    {"pci.link_gen_host_max", How::never, kInternal},
    {"clocks.voltage_uv", How::never, kInternal},
    {"clocks.base_graphics_mhz", How::never, kInternal},
    {"clocks.base_memory_mhz", How::never, kInternal},
    {"clocks.deferred_memory_mhz", How::never, kInternal},
    {"identity.up_since_us", How::never, "the time that has passed is told, and it passes"},
    {"modes.rusd_poll_mask", How::never, kSetter},
    {"modes.ccu_stream", How::never, "recordings leave its getter out, whose name is not that of a getter"},
    {"thermal.fans[].automatic_percent", How::never, kSetter},
    {"nvlink.low_power_threshold_default", How::never, kSetter},
    {"nvlink.bandwidth_mode_wait_ms", How::never, kSetter},
    {"nvlink.links[].counters", How::never, "whether a counter stands still, only a setter tells it"},
    {"clocks.locked_", How::never, kSetter},
    {"clocks.unlocked_", How::never, kSetter},
    {"confcompute.ready_withdrawn", How::never, kSetter},
    {"memory.limits", How::never, "limits are told of a control group that the caller names"},
    {"system.hostname", How::never, "what gethostname answers is no getter of NVML's"},
    {"processes.running[].start_ticks", How::never,
     "of a real process; what the system says of it is no getter of NVML's"},
    {"processes.running[].pid_namespace", How::never, "the same"},
    {"system.cpu_count", How::never, "what the system says of its CPUs is no getter of NVML's"},
    {"gpm.sm_share_percent", How::rest, kShare},
    {"gpm.occupancy_share_percent", How::rest, kShare},
    {"gpm.integer_share_percent", How::rest, kShare},
    {"gpm.tensor_share_percent", How::rest, kShare},
    {"gpm.dfma_share_percent", How::rest, kShare},
    {"gpm.hmma_share_percent", How::rest, kShare},
    {"gpm.dmma_share_percent", How::rest, kShare},
    {"gpm.imma_share_percent", How::rest, kShare},
    {"gpm.fp64_share_percent", How::rest, kShare},
    {"gpm.fp32_share_percent", How::rest, kShare},
    {"gpm.fp16_share_percent", How::rest, kShare},
    {"prm.registers", How::never, "reading a register is a call that can write it, which recordings leave out"},
    {"gpm.graphics_engines[]", How::never, "what they grew by is told, not where they stand"},
    {"ecc.sram.", How::zero, kZero},
    {"ecc.sram_supported", How::zero, kZero},
    {"ecc.sram_unique_supported", How::zero, kZero},
    {"fabric.status", How::zero, kZero},
    {"fabric.clique_id", How::zero, kZero},
    {"fabric.health_mask", How::zero, kZero},
    {"fabric.health_summary", How::zero, kZero},
    {"fabric.cluster_uuid", How::zero, kZero},
    {"gpm.supported", How::zero, kZero},
    {"gpm.", How::zero, "an engine that is not there is refused like a metric that is not"},
    {"memory.reserved_bytes", How::zero, kZero},
    {"mig.profiles[].multiprocessors", How::zero, kZero},
    {"mig.profiles[].memory_mib", How::zero, kZero},
    {"memory.used_bytes", How::zero, kZero},
    {"memory.bar1_used_bytes", How::zero, kZero},
    {"memory.protected_used_bytes", How::zero, kZero},
    {"pci.base_class", How::zero, kZero},
    {"pci.sub_class", How::zero, kZero},
    {"pci.device_id", How::zero, kZero},
    {"pci.subsystem_id", How::zero, kZero},
    {"fabric.slot_number", How::zero, kZero},
    {"fabric.tray_index", How::zero, kZero},
    {"fabric.host_id", How::zero, kZero},
    {"fabric.peer_type", How::zero, kZero},
    {"fabric.platform_module_id", How::never, kTogether},
    {"identity.gsp_mode", How::never, kTogether},
    {"identity.bbx_flush_duration_us", How::never, kTogether},
    {"utilization.sampling_period_us", How::never, kTogether},
    {"clocks.pstates[].video_max_mhz", How::never, kTogether},
    {"processes.running[].peak_bytes", How::never, "what a process holds now is its peak where nothing else is said"},
    {"processes.running[].", How::zero, kNobody},
    {"topology.", How::zero, "where a GPU sits is told relative to other GPUs, or to CPUs that its board names"},
    {"pci.peer_access", How::never, "told of pairs of GPUs, where it is one of several reasons"},
    {"modes.drain", How::never, "it is asked for by an address on the bus, which recordings leave out"},
    {"memory.limits_supported", How::never, "limits are told of a control group that the caller names"},
    {"system.cper", How::never, "each record is handed out once, so recordings leave them to others"},
    {"modes.mig_max_devices", How::never, "while MIG is off, every board has room for 0 MIG devices"},
};

bool is_zero(std::string_view value) {
  if (value == "no" || value == "disabled" || value == "not_supported" || value == "none") return true;
  return value.find_first_not_of("0-") == std::string_view::npos;
}

}  // namespace

std::string_view excuse(std::string_view leaf, std::string_view original, std::string_view imported,
                        const Lacking& lacking) {
  if (const auto why = lacking.beyond_its_numbers(leaf); !why.empty()) return why;
  if (lacking.tells_nothing_of(leaf)) return "the driver of this machine has no function that tells it";
  const std::string kind = kind_of(leaf);
  if (lacking.cut && kind == "identity.core_count") return "a GPU with MIG on refuses it";
  if (!lacking.accounting) {
    for (const auto* name : {"accounting.", "processes.running[].started_us", "processes.running[].peak_bytes"}) {
      if (kind.starts_with(name)) return "accounting tells it, and is off";
    }
  }
  for (const auto& [name, how, why] : kUnobservable) {
    if (!kind.starts_with(name)) continue;
    if (how == How::never || (how == How::zero && is_zero(original) && is_zero(imported)) ||
        (how == How::rest && imported == "0") || (how == How::added && original.empty()))
      return why;
  }
  return {};
}

std::vector<std::string> unknown_names() {
  std::vector<std::string> unknown;
  for (const auto& row : kUnobservable) {
    const auto name = row.kind.substr(0, row.kind.find('['));
    bool known = false;
    for (const Topic& topic : topics()) {
      for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
        const std::string path = std::string(topic.table.name) + "." + topic.table.fields[i].name;
        known = known || path.starts_with(name) || (name.ends_with('.') && (path + ".").starts_with(name));
      }
    }
    if (!known) unknown.emplace_back(row.kind);
  }
  return unknown;
}

}  // namespace nvmlab::test
