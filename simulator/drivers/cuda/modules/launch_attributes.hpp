// SPDX-License-Identifier: Apache-2.0
//
// Attributes that a kernel node or a stream was given: checked, kept by their numbers and told again. Of those that are
// hints nothing follows here. They lie where the items of queues do. Under the lock of the process. Tests:
// tests/drivers/cuda/launch_attributes_test.cpp.
#pragma once

#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {

// CU_LAUNCH_ATTRIBUTE_...
inline constexpr int kAccessWindow = 1;
inline constexpr int kCooperative = 2;
inline constexpr int kSynchronization = 3;
inline constexpr int kCluster = 4;
inline constexpr int kClusterScheduling = 5;
inline constexpr int kEventOfBlocks = 7;
inline constexpr int kPriority = 8;
inline constexpr int kDomainMap = 9;
inline constexpr int kDomain = 10;
inline constexpr int kPreferredCluster = 11;
inline constexpr int kEventOfCompletion = 12;
inline constexpr int kDeviceUpdatable = 13;
inline constexpr int kCarveout = 14;
inline constexpr int kLinkScheduling = 16;
inline constexpr int kClusterMode = 17;
inline constexpr int kSharedMode = 18;

enum class AttributeOwner : std::uint8_t { stream, kernel_node };

struct AttributeDefaults {
  bool cooperative;
  std::int32_t priority;
  std::uint32_t device;
  const std::uint32_t* cluster = nullptr;  // of a launch; null: of a stream
};

// `kept` is null where none was given yet.
CUresult get_attribute(AttributeOwner owner, const WorkItem* kept, int id, const AttributeDefaults& otherwise,
                       CUlaunchAttributeValue* out);
// CUDA_ERROR_INVALID_VALUE: there is no such value; CUDA_ERROR_NOT_SUPPORTED: there is, but not here.
CUresult set_attribute(AttributeOwner owner, WorkItem** kept, int id, const CUlaunchAttributeValue& value,
                       std::uint32_t device);
CUresult copy_attributes(WorkItem** to, const WorkItem* from);

// Whether blocks can form clusters of this shape on any device.
CUresult check_cluster(const CUlaunchAttributeValue& value);

// Where a stream may stand among others: what is beyond becomes the nearest.
inline constexpr std::int32_t kHighestPriority = -5;
inline std::int32_t clamp_priority(std::int32_t priority) {
  return priority > 0 ? 0 : priority < kHighestPriority ? kHighestPriority : priority;
}

}  // namespace nvmlab::cuda
