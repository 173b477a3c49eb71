// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {
namespace {

struct ItemSize {
  std::uint32_t payload;
  std::uint32_t at_once;  // how many are mapped together
};
constexpr ItemSize kItemSizes[] = {{640, 64}, {5 << 10, 12}, {kMostPayload, 4}};
constexpr std::uint32_t kItemClasses = sizeof kItemSizes / sizeof kItemSizes[0];

WorkItem* free_items[kItemClasses];

bool make_items(std::uint32_t size_class) {
  const ItemSize& size = kItemSizes[size_class];
  const std::uint64_t stride = sizeof(WorkItem) + size.payload;
  auto* page = static_cast<char*>(sys::map_private(stride * size.at_once));
  if (page == nullptr) return false;
  for (std::uint32_t i = 0; i < size.at_once; ++i, page += stride) {
    auto* const item = reinterpret_cast<WorkItem*>(page);
    item->next = free_items[size_class];
    free_items[size_class] = item;
  }
  return true;
}

}  // namespace

WorkItem* create_item(std::uint32_t payload) {
  std::uint32_t size_class = 0;
  while (kItemSizes[size_class].payload < payload)
    ++size_class;
  if (free_items[size_class] == nullptr && !make_items(size_class)) return nullptr;
  WorkItem* const item = free_items[size_class];
  free_items[size_class] = item->next;
  item->next = nullptr;
  item->disabled = false;
  item->size = payload;
  item->size_class = size_class;
  return item;
}

void release_item(WorkItem* item) {
  item->next = free_items[item->size_class];
  free_items[item->size_class] = item;
}

CUresult make_sized_item(const Work& work, std::uint64_t size, WorkItem** out) {
  if (size > kMostPayload) return CUDA_ERROR_INVALID_VALUE;
  WorkItem* const made = create_item(static_cast<std::uint32_t>(size));
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  made->work = work;
  *out = made;
  return CUDA_SUCCESS;
}

WorkItem* copy_item(const WorkItem& from) {
  WorkItem* const made = create_item(from.size);
  if (made == nullptr) return nullptr;
  made->work = from.work;
  std::memcpy(payload_of(*made), payload_of(from), from.size);
  return made;
}

}  // namespace nvmlab::cuda
