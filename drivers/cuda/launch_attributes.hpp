// SPDX-License-Identifier: Apache-2.0
//
// Attributes that a kernel node or a stream was given: checked, kept by their numbers and told again. Of those that are
// hints nothing follows here. They lie where the items of queues do. Under the lock of the process. Tests:
// tests/drivers/cuda/launch_attributes_test.cpp.
#pragma once

#include "drivers/cuda/work_items.hpp"

namespace nvmlab::cuda {

inline constexpr int kCooperative = 2;
inline constexpr int kPriority = 8;

enum class AttributeOwner : std::uint8_t { stream, kernel_node };

struct AttributeDefaults {
  bool cooperative;
  std::int32_t priority;
  std::uint32_t device;
};

// `kept` is null where none was given yet.
CUresult get_attribute(AttributeOwner owner, const WorkItem* kept, int id, const AttributeDefaults& otherwise,
                       CUlaunchAttributeValue* out);
// CUDA_ERROR_INVALID_VALUE: there is no such value; CUDA_ERROR_NOT_SUPPORTED: there is, but not here.
CUresult set_attribute(AttributeOwner owner, WorkItem** kept, int id, const CUlaunchAttributeValue& value,
                       std::uint32_t device);
CUresult copy_attributes(WorkItem** to, const WorkItem* from);

// Where a stream may stand among others: what is beyond becomes the nearest.
inline constexpr std::int32_t kHighestPriority = -5;
inline std::int32_t clamp_priority(std::int32_t priority) {
  return priority > 0 ? 0 : priority < kHighestPriority ? kHighestPriority : priority;
}

}  // namespace nvmlab::cuda
