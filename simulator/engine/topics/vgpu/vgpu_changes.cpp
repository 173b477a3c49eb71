// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/vgpu/vgpu_changes.hpp"

#include <cstddef>
#include <cstring>

#include "engine/store/hash.hpp"
#include "engine/topics/generated/field_rules.hpp"
#include "engine/topics/vgpu/vgpu_host.hpp"
#include "engine/topics/vgpu/vgpu_processes.hpp"
#include "engine/topics/vgpu/vgpu_scheduler.hpp"
#include "engine/topics/vgpu/vgpu_versions.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kFirstId = 3251634213;  // real drivers count from such numbers on

template <std::size_t N>
std::uint32_t length_of_text(const char (&text)[N]) {
  std::uint32_t length = 0;
  while (length < N && text[length] != '\0')
    ++length;
  return length;
}

template <std::uint32_t M, std::size_t N>
void set_text(Text<M>& field, const char (&text)[N]) {
  field.set(text, length_of_text(text));
}

std::uint32_t position_of(const Vgpu& host, std::uint32_t id) {
  std::uint32_t at = 0;
  while (at < host.instances.size() && host.instances[at].id.value_or(0) != id)
    ++at;
  return at;
}

bool same_text(const Text<40>& field, const char (&text)[40]) {
  const std::uint32_t length = length_of_text(text);
  return field.has_value() && field.length == length && std::memcmp(field.data, text, length) == 0;
}

bool uuid_taken(const Vgpu& host, const char (&uuid)[40]) {
  if (uuid[0] == '\0') return false;
  for (const VgpuInstance& each : host.instances) {
    if (same_text(each.uuid, uuid)) return true;
  }
  return false;
}

// A UUID of version 4 that depends on the machine and on the number alone, so that a run can be repeated.
void make_uuid(std::uint64_t seed, std::uint32_t id, std::uint32_t which, Text<40>& out) {
  constexpr char digits[] = "0123456789abcdef";
  std::uint64_t words[2] = {mix(seed ^ std::uint64_t{id} << 8 ^ which), 0};
  words[1] = mix(words[0]);
  char text[36];
  std::uint32_t nibble = 0;
  for (std::uint32_t i = 0; i < sizeof text; ++i) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      text[i] = '-';
      continue;
    }
    const std::uint64_t value = words[nibble / 16] >> (nibble % 16 * 4) & 15;
    text[i] = digits[i == 14 ? 4 : i == 19 ? 8 | (value & 3) : value];
    ++nibble;
  }
  out.set(text, sizeof text);
}

template <std::size_t N>
void set_or_make(Text<40>& field, const char (&text)[N], std::uint64_t seed, std::uint32_t id, std::uint32_t which) {
  if (text[0] != '\0') {
    set_text(field, text);
  } else {
    make_uuid(seed, id, which, field);
  }
}

// The bus address that a guest finds its first vGPU at, as hypervisors give them out: one device after the other.
void set_guest_address(Text<24>& field, std::uint32_t nth) {
  constexpr char digits[] = "0123456789ABCDEF";
  char text[] = "00000000:02:00.0";
  const std::uint32_t device = 2 + nth % 30;
  text[12] = digits[device >> 4];
  text[13] = digits[device & 15];
  field.set(text, sizeof text - 1);
}

// Where the new one lies; kNoPlacement on boards without placements.
Code choose_placement(const CreateVgpu& change, const Placements& free, bool placed, std::uint32_t* out) {
  *out = kNoPlacement;
  if (!placed) return change.placement == kAnyPlacement ? kSuccess : kInvalidArgument;
  if (change.placement == kAnyPlacement) {
    *out = free.ids[0];
    return free.count > 0 ? kSuccess : kInsufficientResources;
  }
  for (std::uint32_t i = 0; i < free.count; ++i) {
    if (free.ids[i] == change.placement) *out = change.placement;
  }
  return *out == change.placement ? kSuccess : kInUse;
}

bool lies_on_grid(const Placements& supported, std::uint32_t placement) {
  for (std::uint32_t i = 0; i < supported.count; ++i) {
    if (supported.ids[i] == placement) return true;
  }
  return placement == kAnyPlacement;
}

void fill(VgpuInstance& entry, const CreateVgpu& change, const VgpuType& type, const VgpuSchedule& schedule) {
  entry.gpu.set(change.gpu);
  entry.type.set(change.type);
  entry.vm_id_type.set(change.vm_id_type);
  if (change.guest_driver[0] != '\0') set_text(entry.guest_driver, change.guest_driver);
  entry.license_state.set(change.licensed != 0 ? 5 : 1);
  entry.license_expiry.set(change.licensed != 0 ? 4 : 0);
  entry.used_bytes.set(change.used_bytes);
  // Where all have equal or fixed shares, nothing else limits frames.
  if (schedule.policy == kBestEffort) entry.frame_rate_limit.set(type.frame_rate_limit);
  entry.encoder_capacity.set(100);
  entry.accounting.set(0);
  Fact<std::uint32_t>* const shares[] = {&entry.sm_percent,      &entry.memory_percent, &entry.encoder_percent,
                                         &entry.decoder_percent, &entry.jpeg_percent,   &entry.ofa_percent};
  for (Fact<std::uint32_t>* const share : shares)
    share->set(0);
}

// What lies behind them moves up.
template <class List, class Gone>
void drop_if(List& list, const Gone& gone) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < list.size(); ++i) {
    if (gone(list[i])) continue;
    if (kept != i) list[kept] = list[i];
    ++kept;
  }
  std::memset(&list.items[kept], 0, (list.size() - kept) * sizeof list.items[0]);
  list.count = kept;
}

template <class List>
void drop_those_of(List& list, std::uint32_t vgpu) {
  drop_if(list, [vgpu](const auto& each) { return each.vgpu.value_or(0) == vgpu; });
}

template <class List>
bool any_of_vgpu(const List& list, std::uint32_t vgpu) {
  for (const auto& each : list) {
    if (each.vgpu.value_or(0) == vgpu) return true;
  }
  return false;
}

}  // namespace

Code make(const CreateVgpu& change, VgpuEdit& host) {
  if (change.gpu >= host.store.header.gpu_count || change.vm_id_type > 1) return kInvalidArgument;
  if (!hosts_vgpus(host.store, change.gpu)) return kNotSupported;
  const VgpuTypes types(host.store, change.gpu);
  VgpuType type{};
  if (!types.find(change.type, &type) || change.used_bytes > type.fb_bytes) return kInvalidArgument;
  const bool heterogeneous = heterogeneous_vgpus(host.store, change.gpu);
  const bool placed = types.sriov() && type.placement_size() != 0;
  if (placed && !lies_on_grid(supported_placements(type, types.gib(), heterogeneous), change.placement))
    return kInvalidArgument;
  if (uuid_taken(host.view(), change.uuid)) return kInUse;
  const VgpuLoad load = vgpu_load(host.view(), types, change.gpu);
  const VgpuHost offer{host.store, change.gpu, heterogeneous};
  if (const Code code = vgpu_creatable(type, types, load, offer); code != kSuccess) return code;
  const std::uint64_t held = vgpu_host_bytes(type);
  if (!vgpu_process_fits(host.store, change.gpu, held)) return kInsufficientResources;
  std::uint32_t placement = kNoPlacement;
  const Placements free = creatable_placements(type, types, load, heterogeneous);
  if (const Code code = choose_placement(change, free, placed, &placement); code != kSuccess) return code;
  if (host.view().instances.size() == host.view().instances.capacity) return kInsufficientResources;

  Vgpu& draft = host.edit();
  const std::uint32_t last = draft.last_id.value_or(kFirstId - 1);
  const std::uint32_t id = last + 1 != 0 ? last + 1 : kFirstId;
  draft.last_id.set(id);
  VgpuInstance& entry = draft.instances[draft.instances.count++];
  std::memset(&entry, 0, sizeof entry);
  entry.id.set(id);
  host.node.created() = {id, 0};
  fill(entry, change, type, vgpu_schedule(host.store, change.gpu));
  if (placement != kNoPlacement) entry.placement.set(placement);
  if (type.backed_by_mig()) {
    const std::uint32_t free_ones = free_gpu_instances(host.store, change.gpu, type, load);
    entry.gpu_instance.set(static_cast<std::uint32_t>(__builtin_ctz(free_ones)));
  }
  entry.host_pid.set(vgpu_host_pid(id));
  entry.host_bytes.set(held);
  draft.unfollowed.set(1);
  const std::uint64_t seed = host.store.header.seed;
  set_or_make(entry.vm_id, change.vm_id, seed, id, 1);
  set_or_make(entry.uuid, change.uuid, seed, id, 2);
  set_or_make(entry.mdev_uuid, change.mdev_uuid, seed, id, 3);
  set_guest_address(entry.pci_bus_id, load.count);
  return kSuccess;
}

Code make(const EndVgpu& change, VgpuEdit& host) {
  if (position_of(host.view(), change.id) == host.view().instances.size()) return kNotFound;
  Vgpu& draft = host.edit();
  draft.unfollowed.set(1);
  drop_if(draft.instances, [&change](const VgpuInstance& each) { return each.id.value_or(0) == change.id; });
  drop_those_of(draft.encoder_sessions, change.id);
  drop_those_of(draft.processes, change.id);
  return kSuccess;
}

bool end_all_vgpus(VgpuEdit& host) {
  if (host.view().instances.size() == 0) return false;
  Vgpu& draft = host.edit();
  draft.unfollowed.set(1);
  const auto all = [](const auto&) { return true; };
  drop_if(draft.instances, all);
  drop_if(draft.encoder_sessions, all);
  drop_if(draft.processes, all);
  return true;
}

Code make(const SetVgpuEncoderCapacity& change, VgpuEdit& host) {
  const std::uint32_t at = position_of(host.view(), change.id);
  if (at == host.view().instances.size()) return kNotFound;
  Fact<std::uint32_t>& capacity = host.edit().instances[at].encoder_capacity;
  capacity.set(change.percent);
  return follow_fields(host.node, {&capacity});
}

// Processes that have ended are forgotten; those that run go on.
Code make(const ClearVgpuAccounting& change, VgpuEdit& host) {
  const std::uint32_t at = position_of(host.view(), change.id);
  if (at == host.view().instances.size()) return kNotFound;
  if (host.view().instances[at].accounting.value_or(0) == 0) return kNotSupported;
  if (!any_of_vgpu(host.view().processes, change.id)) return kSuccess;
  drop_if(host.edit().processes,
          [&change](const auto& each) { return each.vgpu.value_or(0) == change.id && each.time_ms.value_or(0) != 0; });
  return kSuccess;
}

// An end that nobody has set is the driver's.
Code rules::check_vgpu_versions(NodeEdit& node, std::uint32_t, const Written&) {
  Vgpu& host = node.edit(&Node::vgpu);
  if (!host.lowest_version.has_value() && !host.highest_version.has_value()) return kSuccess;
  const VgpuVersionRange* const range = vgpu_versions_of(major_version(node.view(&Node::system).driver_version.data));
  if (range == nullptr) return kNotSupported;
  if (!host.lowest_version.has_value()) host.lowest_version.set(range->lowest);
  if (!host.highest_version.has_value()) host.highest_version.set(range->highest);
  const std::uint32_t lowest = host.lowest_version.value;
  const std::uint32_t highest = host.highest_version.value;
  if (lowest > highest || lowest < range->lowest || highest > range->highest) return kInvalidArgument;
  return host.instances.size() > 0 ? kInUse : kSuccess;
}

Code make(const SetVgpuVersions& change, VgpuEdit& host) {
  Vgpu& draft = host.edit();
  draft.lowest_version.set(change.lowest);
  draft.highest_version.set(change.highest);
  return follow_fields(host.node, {&draft.lowest_version, &draft.highest_version});
}

}  // namespace nvmlab
