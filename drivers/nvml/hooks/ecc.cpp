// SPDX-License-Identifier: Apache-2.0
// Error counters in the three shapes that boards have. Tests: tests/drivers/functions/ecc_test.cpp.
#include "engine/topics/ecc/ecc_rules.hpp"

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

using Counts = Ecc::Counts;

// Null for enumerators that are none.
Counts Ecc::*counts_of(nvmlMemoryErrorType_t error, nvmlEccCounterType_t counter) {
  const bool is_volatile = counter == NVML_VOLATILE_ECC;
  if (!is_volatile && counter != NVML_AGGREGATE_ECC) return nullptr;
  switch (error) {
    case NVML_MEMORY_ERROR_TYPE_CORRECTED:
      return is_volatile ? &Ecc::corrected_volatile : &Ecc::corrected_aggregate;
    case NVML_MEMORY_ERROR_TYPE_UNCORRECTED:
      return is_volatile ? &Ecc::uncorrected_volatile : &Ecc::uncorrected_aggregate;
    default:
      return nullptr;
  }
}

Fact<std::uint64_t> Counts::*counter_at(nvmlMemoryLocation_t location) {
  switch (location) {
    case NVML_MEMORY_LOCATION_L1_CACHE:
      return &Counts::l1_cache;
    case NVML_MEMORY_LOCATION_L2_CACHE:
      return &Counts::l2_cache;
    case NVML_MEMORY_LOCATION_DRAM:
      return &Counts::dram;
    case NVML_MEMORY_LOCATION_REGISTER_FILE:
      return &Counts::register_file;
    case NVML_MEMORY_LOCATION_TEXTURE_MEMORY:
      return &Counts::texture_memory;
    case NVML_MEMORY_LOCATION_TEXTURE_SHM:
      return &Counts::texture_shm;
    case NVML_MEMORY_LOCATION_CBU:
      return &Counts::cbu;
    case NVML_MEMORY_LOCATION_SRAM:
      return &Counts::sram;
    default:
      return nullptr;
  }
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetTotalEccErrors(const Device& gpu, nvmlMemoryErrorType_t errorType,
                                         nvmlEccCounterType_t counterType, unsigned long long* eccCounts) {
  const auto counts = counts_of(errorType, counterType);
  if (counts == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const auto [mode, state] = fetch(gpu, &Gpu::ecc, &Ecc::mode, counts);
  if (const std::uint32_t code = correction_missing(mode); code != kSuccess) return code_of(code);
  return give(total_errors(state), eccCounts);
}

nvmlReturn_t nvmlDeviceGetMemoryErrorCounter(const Device& gpu, nvmlMemoryErrorType_t errorType,
                                             nvmlEccCounterType_t counterType, nvmlMemoryLocation_t locationType,
                                             unsigned long long* count) {
  const auto counts = counts_of(errorType, counterType);
  const auto counter = counter_at(locationType);
  if (counts == nullptr || counter == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const auto [mode, state] = fetch(gpu, &Gpu::ecc, &Ecc::mode, counts);
  if (const std::uint32_t code = correction_missing(mode); code != kSuccess) return code_of(code);
  return give(state.*counter, count);
}

nvmlReturn_t nvmlDeviceGetSramEccErrorStatus(const Device& gpu, nvmlEccSramErrorStatus_t* status) {
  const auto [supported, mode, sram] = fetch(gpu, &Gpu::ecc, &Ecc::sram_supported, &Ecc::mode, &Ecc::sram);
  if (!supported.has_value()) return code_of(supported.code());
  if (supported.value == 0) return NVML_ERROR_NOT_SUPPORTED;
  if (const std::uint32_t code = correction_missing(mode); code != kSuccess) return code_of(code);
  status->aggregateUncParity = sram.aggregate_parity.value_or(0);
  status->aggregateUncSecDed = sram.aggregate_secded.value_or(0);
  status->aggregateCor = sram.aggregate_correctable.value_or(0);
  status->volatileUncParity = sram.volatile_parity.value_or(0);
  status->volatileUncSecDed = sram.volatile_secded.value_or(0);
  status->volatileCor = sram.volatile_correctable.value_or(0);
  status->aggregateUncBucketL2 = sram.source_l2.value_or(0);
  status->aggregateUncBucketSm = sram.source_sm.value_or(0);
  status->aggregateUncBucketPcie = sram.source_pcie.value_or(0);
  status->aggregateUncBucketMcu = sram.source_microcontroller.value_or(0);
  status->aggregateUncBucketOther = sram.source_other.value_or(0);
  status->bThresholdExceeded = sram.threshold_exceeded.value_or(0);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceClearEccErrorCounts(const Device& gpu, nvmlEccCounterType_t counterType) {
  using Life = ClearEccCounts::Life;
  switch (counterType) {
    case NVML_VOLATILE_ECC:
      return apply(gpu, ClearEccCounts{Life::volatile_counts});
    case NVML_AGGREGATE_ECC:
      return apply(gpu, ClearEccCounts{Life::aggregate_counts});
    default: {
      const Fact<std::uint32_t> mode = read_field(gpu.slot, &Gpu::ecc, &Ecc::mode);
      return mode.has_value() ? NVML_ERROR_INVALID_ARGUMENT : code_of(mode.code());
    }
  }
}

nvmlReturn_t nvmlDeviceGetDetailedEccErrors(const Device& gpu, nvmlMemoryErrorType_t errorType,
                                            nvmlEccCounterType_t counterType, nvmlEccErrorCounts_t* eccCounts) {
  const auto counts = counts_of(errorType, counterType);
  if (counts == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const auto [mode, state] = fetch(gpu, &Gpu::ecc, &Ecc::mode, counts);
  if (const std::uint32_t code = correction_missing(mode); code != kSuccess) return code_of(code);
  // Boards that count all on-chip memory as one do not have this view.
  if (!state.l1_cache.has_value()) return code_of(state.l1_cache.code());
  *eccCounts = {state.l1_cache.value, state.l2_cache.value_or(0), state.dram.value_or(0),
                state.register_file.value_or(0)};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts(const Device& gpu,
                                                              nvmlEccSramUniqueUncorrectedErrorCounts_t* errorCounts) {
  const Ecc ecc = fetch(gpu, &Gpu::ecc);
  if (ecc.sram_unique_supported.value_or(0) == 0) return NVML_ERROR_NOT_SUPPORTED;
  if (const std::uint32_t code = correction_missing(ecc.mode); code != kSuccess) return code_of(code);
  const std::uint32_t offered = errorCounts->entryCount;
  errorCounts->entryCount = ecc.sram_unique.size();
  if (errorCounts->entries == nullptr) return NVML_SUCCESS;  // asks for the number alone
  if (offered < ecc.sram_unique.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
  auto* entry = errorCounts->entries;
  for (const Ecc::SramError& error : ecc.sram_unique) {
    *entry++ = {error.unit.value_or(0),        error.location.value_or(0), error.sublocation.value_or(0),
                error.extlocation.value_or(0), error.address.value_or(0),  error.parity.value_or(0),
                error.times.value_or(0)};
  }
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
