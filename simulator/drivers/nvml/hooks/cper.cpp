// SPDX-License-Identifier: Apache-2.0
//
// Common platform error records, one a call. The cursor's handle is the number of the record that comes next; a filter
// skips the records of other GPUs. Tests: tests/drivers/functions/records_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

// The first record from `at` on that is about the GPU, or about any where the UUID is empty; its number, or how many
// records there are.
std::uint64_t next_record(const System& system, std::uint64_t at, const char (&uuid)[80], System::CperRecord* found) {
  const std::uint32_t count = length_of(system.cper_records);
  for (; at < count; ++at) {
    load_into(*found, system.cper_records.items[at]);
    if (uuid[0] == '\0' || std::strncmp(uuid, found->uuid.data, sizeof uuid) == 0) return at;
  }
  return count;
}

}  // namespace

nvmlReturn_t hooks::nvmlSystemGetCPER_v1(Store& node, nvmlGetCPER_v1_t* cper) {
  const Fact<std::uint32_t> kept = read_field(node.node, &Node::system, &System::cper);
  if (!kept.has_value()) return code_of(kept.code());
  if (kept.value == 0) return NVML_ERROR_NOT_SUPPORTED;
  if (cper->buffer == nullptr && cper->bufferSize != 0) return NVML_ERROR_INVALID_ARGUMENT;
  if ((cper->cursor.cperTypeMask & NVML_CPER_ACCESS_TYPE_GPU) == 0) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  System::CperRecord record{};
  std::uint64_t at = 0;
  const bool found = consistent(node.node, [&](const Node& state) {
    at = next_record(state.system, cper->cursor.handle, cper->cursor.uuid, &record);
    return at < length_of(state.system.cper_records);
  });
  if (!found) {
    cper->bufferSize = 0;
    return NVML_SUCCESS;
  }
  const std::uint32_t size = record.size_bytes.value_or(0);
  if (size > sizeof record.data.data) return NVML_ERROR_UNKNOWN;
  const bool fits = cper->bufferSize >= size;
  cper->bufferSize = size;
  if (!fits) return NVML_ERROR_INSUFFICIENT_SIZE;
  if (size > 0) std::memcpy(cper->buffer, record.data.data, size);  // no room may be a null pointer
  cper->cursor.handle = at + 1;
  return NVML_SUCCESS;
}

}  // namespace nvmlab::driver
