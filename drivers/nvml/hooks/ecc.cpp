// SPDX-License-Identifier: Apache-2.0
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

void clear(Fact<std::uint64_t>& counter) {
  if (counter.known()) counter.set(0);
}

void clear(Counts& counts) {
  constexpr Fact<std::uint64_t> Counts::*counters[] = {
      &Counts::l1_cache,    &Counts::l2_cache, &Counts::dram, &Counts::register_file, &Counts::texture_memory,
      &Counts::texture_shm, &Counts::cbu,      &Counts::sram, &Counts::total};
  for (const auto counter : counters)
    clear(counts.*counter);
}

void clear_volatile(Ecc& ecc) {
  clear(ecc.corrected_volatile);
  clear(ecc.uncorrected_volatile);
  clear(ecc.sram.volatile_correctable);
  clear(ecc.sram.volatile_parity);
  clear(ecc.sram.volatile_secded);
}

void clear_aggregate(Ecc& ecc) {
  clear(ecc.corrected_aggregate);
  clear(ecc.uncorrected_aggregate);
  using Sram = Ecc::SramStatus;
  constexpr Fact<std::uint64_t> Sram::*counters[] = {&Sram::aggregate_correctable,
                                                     &Sram::aggregate_parity,
                                                     &Sram::aggregate_secded,
                                                     &Sram::source_l2,
                                                     &Sram::source_sm,
                                                     &Sram::source_microcontroller,
                                                     &Sram::source_pcie,
                                                     &Sram::source_other};
  for (const auto counter : counters)
    clear(ecc.sram.*counter);
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetTotalEccErrors(const Device& gpu, nvmlMemoryErrorType_t errorType,
                                         nvmlEccCounterType_t counterType, unsigned long long* eccCounts) {
  const auto counts = counts_of(errorType, counterType);
  if (counts == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return give(total_errors(read_field(gpu.slot, &Gpu::ecc, counts)), eccCounts);
}

nvmlReturn_t nvmlDeviceGetMemoryErrorCounter(const Device& gpu, nvmlMemoryErrorType_t errorType,
                                             nvmlEccCounterType_t counterType, nvmlMemoryLocation_t locationType,
                                             unsigned long long* count) {
  const auto counts = counts_of(errorType, counterType);
  const auto counter = counter_at(locationType);
  if (counts == nullptr || counter == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return give(read_field(gpu.slot, &Gpu::ecc, counts).*counter, count);
}

nvmlReturn_t nvmlDeviceGetSramEccErrorStatus(const Device& gpu, nvmlEccSramErrorStatus_t* status) {
  const Ecc ecc = fetch(gpu, &Gpu::ecc);
  if (!ecc.sram_supported.known()) return code_of(ecc.sram_supported.code());
  if (ecc.sram_supported.value == 0) return NVML_ERROR_NOT_SUPPORTED;
  const Ecc::SramStatus& sram = ecc.sram;
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
  const Fact<std::uint32_t> mode = read_field(gpu.slot, &Gpu::ecc, &Ecc::mode);
  if (!mode.known()) return code_of(mode.code());
  if (counterType != NVML_VOLATILE_ECC && counterType != NVML_AGGREGATE_ECC) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [counterType](Gpu& state) {
    if (counterType == NVML_VOLATILE_ECC) {
      clear_volatile(state.ecc);
    } else {
      clear_aggregate(state.ecc);
    }
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceGetDetailedEccErrors(const Device& gpu, nvmlMemoryErrorType_t errorType,
                                            nvmlEccCounterType_t counterType, nvmlEccErrorCounts_t* eccCounts) {
  const auto counts = counts_of(errorType, counterType);
  if (counts == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const Counts state = read_field(gpu.slot, &Gpu::ecc, counts);
  // Boards that count all on-chip memory as one do not have this view.
  if (!state.l1_cache.known()) return code_of(state.l1_cache.code());
  *eccCounts = {state.l1_cache.value, state.l2_cache.value_or(0), state.dram.value_or(0),
                state.register_file.value_or(0)};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetRetiredPages(const Device& gpu, nvmlPageRetirementCause_t cause, unsigned int* pageCount,
                                       unsigned long long* addresses) {
  const Ecc ecc = fetch(gpu, &Gpu::ecc);
  if (!ecc.retirement_pending.known()) return code_of(ecc.retirement_pending.code());
  if (cause != NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS &&
      cause != NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  const auto& pages =
      cause == NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR ? ecc.retired_double_bit : ecc.retired_single_bit;
  const std::uint32_t offered = *pageCount;
  *pageCount = pages.size();
  if (offered < pages.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
  if (addresses == nullptr && pages.size() > 0) return NVML_ERROR_INVALID_ARGUMENT;
  for (std::uint32_t i = 0; i < pages.size(); ++i)
    addresses[i] = pages[i];
  return NVML_SUCCESS;
}

// When a page was retired is not part of the state; the time is zero, as for pages retired before the driver kept
// times.
nvmlReturn_t nvmlDeviceGetRetiredPages_v2(const Device& gpu, nvmlPageRetirementCause_t cause, unsigned int* pageCount,
                                          unsigned long long* addresses, unsigned long long* timestamps) {
  const std::uint32_t offered = *pageCount;
  if (timestamps == nullptr && addresses != nullptr && offered > 0) return NVML_ERROR_INVALID_ARGUMENT;
  const nvmlReturn_t code = nvmlDeviceGetRetiredPages(gpu, cause, pageCount, addresses);
  if (code != NVML_SUCCESS || timestamps == nullptr) return code;
  for (std::uint32_t i = 0; i < *pageCount; ++i)
    timestamps[i] = 0;
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
