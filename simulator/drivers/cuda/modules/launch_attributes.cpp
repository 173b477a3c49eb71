// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/modules/launch_attributes.hpp"

#include <cstring>
#include <initializer_list>

#include "drivers/cuda/abi/generated/device_attributes.hpp"
#include "drivers/cuda/process/attribute_sources.hpp"

namespace nvmlab::cuda {
namespace {

constexpr int kAttributes = 19;

constexpr std::uint32_t bits(std::initializer_list<int> ids) {
  std::uint32_t all = 0;
  for (const int id : ids)
    all |= std::uint32_t{1} << id;
  return all;
}
constexpr std::uint32_t kOfStreams =
    bits({kAccessWindow, kSynchronization, kPriority, kDomainMap, kDomain, kLinkScheduling});
constexpr std::uint32_t kOfNodes =
    bits({kAccessWindow, kCooperative, kCluster, kClusterScheduling, kPriority, kDomainMap, kDomain, kPreferredCluster,
          kDeviceUpdatable, kCarveout, kLinkScheduling, kClusterMode, kSharedMode});

struct LaunchAttributes {
  std::uint32_t given;
  CUlaunchAttributeValue value[kAttributes];
};

bool has(AttributeOwner owner, int id) {
  const std::uint32_t all = owner == AttributeOwner::stream ? kOfStreams : kOfNodes;
  return id > 0 && id < kAttributes && (all >> id & 1) != 0;
}

LaunchAttributes& of(WorkItem& kept) { return *static_cast<LaunchAttributes*>(payload_of(kept)); }
const LaunchAttributes& of(const WorkItem& kept) { return *static_cast<const LaunchAttributes*>(payload_of(kept)); }

int domains(std::uint32_t device) {
  int count = 1;
  read_attribute(CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT, gpu_of(process.devices[device]), &count);
  return count;
}

CUresult only_if(bool good) { return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

bool between(int least, int value, int most) { return least <= value && value <= most; }

CUresult check_window(const CUlaunchAttributeValue& value) {
  constexpr int kStreaming = 1;
  constexpr int kPersisting = 2;
  const auto& window = value.window;
  return only_if(window.hitRatio >= 0 && window.hitRatio <= 1 && between(0, window.hitProp, kPersisting) &&
                 between(0, window.missProp, kStreaming));
}

CUresult check_value(int id, const CUlaunchAttributeValue& value, std::uint32_t device) {
  switch (id) {
    case kAccessWindow:
      return check_window(value);
    case kSynchronization:
      return only_if(between(1, value.number, 4));
    case kCluster:
    case kPreferredCluster:
      return check_cluster(value);
    case kClusterScheduling:
      return only_if(between(0, value.number, 3));
    case kDomainMap:
      return only_if(value.domains[0] < domains(device) && value.domains[1] < domains(device));
    case kCooperative:
    case kDomain:
    case kLinkScheduling:
      return only_if(between(0, value.number, 1));
    case kDeviceUpdatable:
      return value.number == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;  // no kernel changes a graph
    case kCarveout:
      return only_if(between(-1, value.number, 100));
    case kClusterMode:
      return only_if(between(0, value.number, 2));
    case kSharedMode:
      return only_if(between(0, value.number, 4));
    default:
      return CUDA_SUCCESS;
  }
}

CUlaunchAttributeValue default_of(int id, const AttributeDefaults& otherwise) {
  CUlaunchAttributeValue value{};
  if (id == kCooperative) value.number = otherwise.cooperative ? 1 : 0;
  if (id == kPriority) value.number = otherwise.priority;
  if (id == kCluster && otherwise.cluster != nullptr)
    std::memcpy(value.dimensions, otherwise.cluster, sizeof value.dimensions);
  if (id == kSynchronization) value.number = 1;  // as the driver finds best
  if (id == kDomainMap) value.domains[1] = domains(otherwise.device) > 1 ? 1 : 0;
  return value;
}

}  // namespace

CUresult check_cluster(const CUlaunchAttributeValue& value) {
  constexpr std::uint64_t kMostBlocks = 16;
  std::uint64_t blocks = 1;
  for (const unsigned each : value.dimensions) {
    if (each == 0) return CUDA_ERROR_INVALID_VALUE;
    if (each > kMostBlocks || (blocks *= each) > kMostBlocks) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  return CUDA_SUCCESS;
}

CUresult get_attribute(AttributeOwner owner, const WorkItem* kept, int id, const AttributeDefaults& otherwise,
                       CUlaunchAttributeValue* out) {
  if (out == nullptr || !has(owner, id)) return CUDA_ERROR_INVALID_VALUE;
  const bool given = kept != nullptr && (of(*kept).given >> id & 1) != 0;
  *out = given ? of(*kept).value[id] : default_of(id, otherwise);
  return CUDA_SUCCESS;
}

CUresult set_attribute(AttributeOwner owner, WorkItem** kept, int id, const CUlaunchAttributeValue& value,
                       std::uint32_t device) {
  if (!has(owner, id)) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult code = check_value(id, value, device); code != CUDA_SUCCESS) return code;
  if (*kept == nullptr) {
    *kept = create_item(sizeof(LaunchAttributes));
    if (*kept == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    of(**kept) = {};
  }
  of(**kept).given |= std::uint32_t{1} << id;
  of(**kept).value[id] = value;
  if (id == kPriority) of(**kept).value[id].number = clamp_priority(value.number);
  return CUDA_SUCCESS;
}

CUresult copy_attributes(WorkItem** to, const WorkItem* from) {
  WorkItem* const made = from == nullptr ? nullptr : copy_item(*from);
  if (from != nullptr && made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  if (*to != nullptr) release_item(*to);
  *to = made;
  return CUDA_SUCCESS;
}

}  // namespace nvmlab::cuda
