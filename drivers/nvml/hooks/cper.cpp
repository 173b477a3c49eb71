// SPDX-License-Identifier: Apache-2.0
//
// Common platform error records, one a call. The cursor's handle is the number of the record that comes next; a filter
// skips the records of other GPUs. Tests: tests/drivers/functions/records_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver::hooks {

nvmlReturn_t nvmlSystemGetCPER_v1(Store& node, nvmlGetCPER_v1_t* cper) {
  const System system = consistent(node.node, [](const Node& state) { return load(state.system); });
  if (!system.cper.has_value()) return code_of(system.cper.code());
  if (system.cper.value == 0) return NVML_ERROR_NOT_SUPPORTED;
  if (cper->buffer == nullptr && cper->bufferSize != 0) return NVML_ERROR_INVALID_ARGUMENT;
  if ((cper->cursor.cperTypeMask & NVML_CPER_ACCESS_TYPE_GPU) == 0) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  const auto& records = system.cper_records;
  for (std::uint64_t at = cper->cursor.handle; at < records.size(); ++at) {
    const System::CperRecord& record = records.items[at];
    const bool wanted = cper->cursor.uuid[0] == '\0' ||
                        std::strncmp(cper->cursor.uuid, record.uuid.data, sizeof cper->cursor.uuid) == 0;
    if (!wanted) continue;
    const std::uint32_t size = record.size_bytes.value_or(0);
    if (size > sizeof record.data.data) return NVML_ERROR_UNKNOWN;
    const bool fits = cper->bufferSize >= size;
    cper->bufferSize = size;
    if (!fits) return NVML_ERROR_INSUFFICIENT_SIZE;
    if (size > 0) std::memcpy(cper->buffer, record.data.data, size);  // no room may be a null pointer
    cper->cursor.handle = at + 1;
    return NVML_SUCCESS;
  }
  cper->bufferSize = 0;
  return NVML_SUCCESS;
}

}  // namespace nvmlab::driver::hooks
