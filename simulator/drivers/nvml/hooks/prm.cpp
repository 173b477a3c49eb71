// SPDX-License-Identifier: Apache-2.0
//
// Port registers of the NVLink side of a chip. A register access is a chain of type-length-values in network byte
// order, as NVIDIA's network tools send it: an operation (four words: type 1, the register's number and a method), the
// register itself (type 3) and an end (type 0). Tests: tests/drivers/functions/records_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

constexpr std::uint32_t kOperation = 1;
constexpr std::uint32_t kRegister = 3;
constexpr std::uint32_t kQuery = 1;
constexpr std::uint32_t kWrite = 2;
constexpr std::uint32_t kOperationBytes = 16;
constexpr std::uint32_t kWordBytes = 4;

// Answers of a register access, in the status of the operation.
constexpr std::uint32_t kUnknownRegister = 4;
constexpr std::uint32_t kUnknownMethod = 7;

std::uint32_t word_at(const unsigned char* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

std::uint32_t type_of(std::uint32_t word) { return word >> 27; }
std::uint32_t bytes_of(std::uint32_t word) { return (word >> 16 & 0x7FF) * kWordBytes; }

std::uint32_t content_size(const Prm::Register& reg) {
  const std::uint32_t size = reg.size_bytes.value_or(0);
  return size < sizeof reg.data.data ? size : static_cast<std::uint32_t>(sizeof reg.data.data);
}

nvmlReturn_t check(const Device& gpu) {
  const Fact<std::uint32_t> supported = read_field(gpu.slot, &Gpu::prm, &Prm::supported);
  if (!supported.has_value()) return code_of(supported.code());
  if (supported.value == 0) return NVML_ERROR_NOT_SUPPORTED;
  return may_administrate() ? NVML_SUCCESS : NVML_ERROR_NO_PERMISSION;
}

nvmlReturn_t write_register(const Device& gpu, const Prm::Register& reg, const unsigned char* content) {
  WritePortRegister change{reg.id.value, content_size(reg), {}};
  std::memcpy(change.content, content, change.size);
  return apply(gpu, change);
}

void read_counter(const Device& gpu, nvmlPRMCounter_v1_t& asked) {
  asked.counterValue.status = NVML_ERROR_NOT_SUPPORTED;
  Prm::Counter found{};
  const bool counted = consistent(gpu.slot, [&](const Gpu& state) {
    return visit_until(state.prm.counters, [&](const Prm::Counter& each) {
      load_into(found, each);
      return found.id.value == asked.counterId && found.port.value == asked.inData.localPort;
    });
  });
  if (!counted) return;
  asked.counterValue.status = NVML_SUCCESS;
  asked.counterValue.outputType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;
  asked.counterValue.outputValue.ullVal = found.total.value_or(0);
}

}  // namespace

namespace hooks {

// Each counter has an answer of its own; one that the board does not count is NOT_SUPPORTED.
nvmlReturn_t nvmlDeviceReadPRMCounters_v1(const Device& gpu, nvmlPRMCounterList_v1_t* counterList) {
  if (const nvmlReturn_t code = check(gpu); code != NVML_SUCCESS) return code;
  if (counterList->counters == nullptr || counterList->numCounters == 0) return NVML_ERROR_INVALID_ARGUMENT;
  unchanged(gpu.slot, [&] {
    for (unsigned int i = 0; i < counterList->numCounters; ++i)
      read_counter(gpu, counterList->counters[i]);
  });
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceReadWritePRM_v1(const Device& gpu, nvmlPRMTLV_v1_t* buffer) {
  if (const nvmlReturn_t code = check(gpu); code != NVML_SUCCESS) return code;
  const std::uint32_t size = buffer->dataSize;
  if (size < kOperationBytes + kWordBytes || size > sizeof buffer->inData) return NVML_ERROR_INVALID_ARGUMENT;
  const std::uint32_t operation = word_at(buffer->inData);
  const std::uint32_t call = word_at(buffer->inData + kWordBytes);
  unsigned char* content = buffer->inData + kOperationBytes;
  const std::uint32_t header = word_at(content);
  const bool well_formed = type_of(operation) == kOperation && bytes_of(operation) == kOperationBytes &&
                           type_of(header) == kRegister && bytes_of(header) >= kWordBytes &&
                           bytes_of(header) <= size - kOperationBytes;
  if (!well_formed) return NVML_ERROR_INVALID_ARGUMENT;
  content += kWordBytes;
  const std::uint32_t method = call >> 8 & 0x7F;
  Prm::Register reg{};
  const bool known = find_item(gpu.slot, &Gpu::prm, &Prm::registers, &Prm::Register::id, call >> 16, &reg);
  buffer->status = 0;
  if (!known || bytes_of(header) - kWordBytes != content_size(reg)) {
    buffer->status = kUnknownRegister;
  } else if (method == kQuery) {
    std::memcpy(content, reg.data.data, content_size(reg));
  } else if (method == kWrite && reg.writable.value_or(0) != 0) {
    return write_register(gpu, reg, content);
  } else {
    buffer->status = kUnknownMethod;
  }
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
