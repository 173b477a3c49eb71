// SPDX-License-Identifier: Apache-2.0
//
// Memory that was taken out of use: pages before Ampere, rows and banks since. Tests:
// tests/drivers/functions/ecc_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "engine/topics/ecc/ecc_rules.hpp"

namespace nvmlab::driver {
namespace {

// Protocol A. Either array may be missing where there is nothing to write; the newer function has two.
nvmlReturn_t give_pages(const Device& gpu, nvmlPageRetirementCause_t cause, unsigned int* count,
                        unsigned long long* addresses, unsigned long long* times, bool with_times) {
  const Ecc ecc = fetch(gpu, &Gpu::ecc);
  if (!ecc.retirement_pending.has_value()) return code_of(ecc.retirement_pending.code());
  if (cause != NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS &&
      cause != NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR) {
    return NVML_ERROR_INVALID_ARGUMENT;
  }
  const auto& pages =
      cause == NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR ? ecc.retired_double_bit : ecc.retired_single_bit;
  const std::uint32_t offered = *count;
  const bool half_missing = with_times && (addresses == nullptr) != (times == nullptr);
  if (offered > 0 && half_missing) return NVML_ERROR_INVALID_ARGUMENT;
  *count = pages.size();
  if (offered < pages.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
  if (addresses == nullptr) return pages.size() > 0 ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
  for (std::uint32_t i = 0; i < pages.size(); ++i) {
    addresses[i] = pages[i].address.value_or(0);
    if (times != nullptr) times[i] = pages[i].retired_us.value_or(0);
  }
  return NVML_SUCCESS;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetRetiredPages(const Device& gpu, nvmlPageRetirementCause_t cause, unsigned int* pageCount,
                                       unsigned long long* addresses) {
  return give_pages(gpu, cause, pageCount, addresses, nullptr, false);
}

nvmlReturn_t nvmlDeviceGetRetiredPages_v2(const Device& gpu, nvmlPageRetirementCause_t cause, unsigned int* pageCount,
                                          unsigned long long* addresses, unsigned long long* timestamps) {
  return give_pages(gpu, cause, pageCount, addresses, timestamps, true);
}

nvmlReturn_t nvmlDeviceGetRemappedRows_v2(const Device& gpu, nvmlRemappedRowsInfo_v2_t* info) {
  const Ecc ecc = fetch(gpu, &Gpu::ecc);
  if (!ecc.remapped_correctable.has_value()) return code_of(ecc.remapped_correctable.code());
  *info = {active_remaps(ecc.remapped_correctable, ecc.remapped_correctable_inactive),
           ecc.remapped_correctable_inactive.value_or(0),
           active_remaps(ecc.remapped_uncorrectable, ecc.remapped_uncorrectable_inactive),
           ecc.remapped_uncorrectable_inactive.value_or(0),
           ecc.remap_pending.value_or(0),
           ecc.remap_failed.value_or(0)};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetBankRemapperStatus_v1(const Device& gpu,
                                                nvmlEccBankRemapperStatus_v1_t* pBankRemapperStatus) {
  const Ecc ecc = fetch(gpu, &Gpu::ecc);
  if (!ecc.bank_remaps_active.has_value()) return code_of(ecc.bank_remaps_active.code());
  *pBankRemapperStatus = {ecc.bank_remaps_active.value,
                          ecc.bank_remaps_inactive.value_or(0),
                          ecc.bank_remap_pending.value_or(0),
                          {ecc.bank_groups_max.value_or(0), ecc.bank_groups_none.value_or(0)}};
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
