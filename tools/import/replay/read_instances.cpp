// SPDX-License-Identifier: Apache-2.0
//
// What MIG has cut a GPU into. Root is told of GPU instances and compute instances where they lie; everybody of the MIG
// devices, whose ids and names then say the rest (infer_instances.cpp). Tests: tests/import/recordings/.
#include <map>
#include <utility>

#include <fmt/format.h>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

constexpr std::uint32_t kMostPositions = 16;  // ids of GPU instances, and of compute instances in one, are below

std::uint32_t small(const std::optional<std::uint64_t>& number) {
  return static_cast<std::uint32_t>(number && *number < ~std::uint32_t{0} ? *number : ~std::uint32_t{0});
}

void put_number(Record& record, std::string_view member, const Call* call, std::string_view output) {
  if (call == nullptr) return;
  if (const auto value = number(*call, output)) record.emplace(member, *value);
}

// Behind "MIG " in the name of the device: "1c.3g.40gb".
void put_kind(Record& record, const Call* call) {
  if (call == nullptr) return;
  const Json* name = member(call->out, "name");
  if (name == nullptr || !name->is_string()) return;
  const std::string_view text = name->get_ref<const std::string&>();
  const auto at = text.rfind("MIG ");
  if (at != std::string_view::npos) record.emplace("name", std::string(text.substr(at + 4)));
}

void read_device(const Context& context, const CallIndex& calls, MigDevice& device) {
  const Call* in = calls.good("nvmlDeviceGetGpuInstanceId");
  const Call* id = calls.good("nvmlDeviceGetComputeInstanceId");
  if (in == nullptr || id == nullptr) return;
  Record& told = device.members;
  device.origin = context.origin(*in);
  put_number(told, "gpu_instance", in, "id");
  put_number(told, "compute_instance", id, "id");
  put_kind(told, calls.good("nvmlDeviceGetName"));
  put_text(told, "uuid", calls.good("nvmlDeviceGetUUID"), "uuid");
  for (const auto* function : {"nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo"}) {
    put_number(told, "memory_total_bytes", calls.good(function), "memory.total");
    put_number(told, "memory_used_bytes", calls.good(function), "memory.used");
  }
  put_number(told, "bar1_total_bytes", calls.good("nvmlDeviceGetBAR1MemoryInfo"), "bar1Memory.bar1Total");
  put_number(told, "bar1_used_bytes", calls.good("nvmlDeviceGetBAR1MemoryInfo"), "bar1Memory.bar1Used");
  put_number(told, "copy_engines", calls.good("nvmlDeviceGetAttributes_v2"), "attributes.sharedCopyEngineCount");
}

std::uint32_t slices_of_profile(const Context& context, std::uint32_t profile) {
  for (const Call* call : context.calls.of("nvmlDeviceGetGpuInstanceProfileInfo")) {
    if (call->succeeded() && small(number(*call, "info.id")) == profile) return small(number(*call, "info.sliceCount"));
  }
  return 0;
}

void read_gpu_instance(const Context& context, const CallIndex& calls, std::uint32_t id, PartialLists& lists) {
  const Call* info = calls.good("nvmlGpuInstanceGetInfo");
  if (info == nullptr) return;
  MigInstance& instance = lists.gpu_instances[id];
  instance.origin = context.origin(*info);
  instance.profile = small(number(*info, "info.profileId"));
  instance.slices = slices_of_profile(context, instance.profile);
  instance.start = small(number(*info, "info.placement.start"));
  instance.size = small(number(*info, "info.placement.size"));
}

void read_compute_instance(const Context& context, const CallIndex& calls, const std::pair<unsigned, unsigned>& ids,
                           PartialLists& lists) {
  const Call* info = calls.good("nvmlComputeInstanceGetInfo_v2");
  if (info == nullptr) return;
  lists.compute_instances.push_back({.gpu_instance = ids.first,
                                     .id = ids.second,
                                     .name = {},
                                     .profile = small(number(*info, "info.profileId")),
                                     .start = small(number(*info, "info.placement.start")),
                                     .origin = context.origin(*info)});
}

// What processes hold of the memory of each GPU instance: not part of what is in use without any.
void read_process_bytes(const CallIndex& calls, PartialLists& lists) {
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> held;  // by process and GPU instance
  for (const auto* kind : {"Compute", "Graphics", "MPSCompute"}) {
    for (const auto* version : {"_v3", "_v2"}) {
      const Call* call = calls.good(fmt::format("nvmlDeviceGet{}RunningProcesses{}", kind, version));
      for (const Json& item : list(call, "infos")) {
        const auto bytes = number(member(item, "usedGpuMemory")).value_or(~std::uint64_t{0});
        if (bytes == ~std::uint64_t{0}) continue;
        held[{number(member(item, "pid")).value_or(0), small(number(member(item, "gpuInstanceId")))}] = bytes;
      }
    }
  }
  for (const auto& [who, bytes] : held)
    lists.process_bytes[who.second] += bytes;
}

}  // namespace

void Parts::add(const Call& call) {
  const auto& subject = call.subject;
  if (subject.mig && *subject.mig < kMostPositions) {
    devices[*subject.mig].add(call);
  } else if (subject.gpu_instance && *subject.gpu_instance < kMostPositions) {
    if (!subject.compute_instance) {
      gpu_instances[*subject.gpu_instance].add(call);
    } else if (*subject.compute_instance < kMostPositions) {
      compute_instances[{*subject.gpu_instance, *subject.compute_instance}].add(call);
    }
  }
}

void read_instances(const Context& context, const Parts& parts) {
  PartialLists& lists = context.partial_lists();
  for (const auto& [index, calls] : parts.devices) {
    MigDevice device;
    read_device(context, calls, device);
    if (!device.members.empty()) lists.mig_devices.insert_or_assign(index, std::move(device));
  }
  for (const auto& [id, calls] : parts.gpu_instances)
    read_gpu_instance(context, calls, id, lists);
  for (const auto& [ids, calls] : parts.compute_instances)
    read_compute_instance(context, calls, ids, lists);
  if (!lists.mig_devices.empty()) read_process_bytes(context.calls, lists);
}

}  // namespace nvmlab::importer::replay
