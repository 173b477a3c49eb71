// SPDX-License-Identifier: Apache-2.0
//
// Error correction: modes, counters, retired pages, remapped rows.
#include "import/smi/rules.hpp"

namespace nvmlab::importer {
namespace {

using enum PrintedForm;

// The counters of boards before Ampere: one for each unit of the chip.
#define NVMLAB_UNITS(printed, words, field)                                                                           \
  {"ecc_errors/" printed "/device_memory", "ECC Errors/" words "/Device Memory", field ".dram", number},              \
      {"ecc_errors/" printed "/register_file", "ECC Errors/" words "/Register File", field ".register_file", number}, \
      {"ecc_errors/" printed "/l1_cache", "ECC Errors/" words "/L1 Cache", field ".l1_cache", number},                \
      {"ecc_errors/" printed "/l2_cache", "ECC Errors/" words "/L2 Cache", field ".l2_cache", number},                \
      {"ecc_errors/" printed "/texture_memory", "ECC Errors/" words "/Texture Memory", field ".texture_memory",       \
       number},                                                                                                       \
      {"ecc_errors/" printed "/texture_shm", "ECC Errors/" words "/Texture Shared", field ".texture_shm", number},    \
      {"ecc_errors/" printed "/cbu", "ECC Errors/" words "/CBU", field ".cbu", number}, {                             \
    "ecc_errors/" printed "/total", "ECC Errors/" words "/Total", field ".total", number                              \
  }
#define NVMLAB_BANKS(word, text)                                                                            \
  {                                                                                                         \
    "remapped_rows/row_remapper_histogram/row_remapper_histogram_" word,                                    \
        "Remapped Rows/Bank Remap Availability Histogram/" text, "ecc.remap_banks_" word, number, "bank(s)" \
  }

constexpr Rule kErrorRules[] = {
    {"ecc_mode/current_ecc", "ECC Mode/Current", "ecc.mode", word},
    {"ecc_mode/pending_ecc", "ECC Mode/Pending", "ecc.mode_pending", word},
    {"", "Ecc Mode/Current", "ecc.mode", word},  // before 535, as the next
    {"", "Ecc Mode/Pending", "ecc.mode_pending", word},
    {"ecc_errors/volatile/sram_correctable", "ECC Errors/Volatile/SRAM Correctable", "ecc.sram.volatile_correctable",
     number},
    {"ecc_errors/volatile/sram_correctable", "ECC Errors/Volatile/SRAM Correctable", "ecc.corrected_volatile.sram",
     number},
    {"ecc_errors/volatile/sram_uncorrectable_parity", "ECC Errors/Volatile/SRAM Uncorrectable Parity",
     "ecc.sram.volatile_parity", number},
    {"ecc_errors/volatile/sram_uncorrectable_parity", "ECC Errors/Volatile/SRAM Uncorrectable Parity",
     "ecc.sram_supported", some},
    {"ecc_errors/volatile/sram_uncorrectable_secded", "ECC Errors/Volatile/SRAM Uncorrectable SEC-DED",
     "ecc.sram.volatile_secded", number},
    {"ecc_errors/volatile/sram_uncorrectable", "ECC Errors/Volatile/SRAM Uncorrectable",
     "ecc.uncorrected_volatile.sram", number},
    {"ecc_errors/volatile/dram_correctable", "ECC Errors/Volatile/DRAM Correctable", "ecc.corrected_volatile.dram",
     number},
    {"ecc_errors/volatile/dram_uncorrectable", "ECC Errors/Volatile/DRAM Uncorrectable",
     "ecc.uncorrected_volatile.dram", number},
    {"ecc_errors/aggregate/sram_correctable", "ECC Errors/Aggregate/SRAM Correctable", "ecc.sram.aggregate_correctable",
     number},
    {"ecc_errors/aggregate/sram_correctable", "ECC Errors/Aggregate/SRAM Correctable", "ecc.corrected_aggregate.sram",
     number},
    {"ecc_errors/aggregate/sram_uncorrectable_parity", "ECC Errors/Aggregate/SRAM Uncorrectable Parity",
     "ecc.sram.aggregate_parity", number},
    {"ecc_errors/aggregate/sram_uncorrectable_secded", "ECC Errors/Aggregate/SRAM Uncorrectable SEC-DED",
     "ecc.sram.aggregate_secded", number},
    {"ecc_errors/aggregate/sram_uncorrectable", "ECC Errors/Aggregate/SRAM Uncorrectable",
     "ecc.uncorrected_aggregate.sram", number},
    {"ecc_errors/aggregate/dram_correctable", "ECC Errors/Aggregate/DRAM Correctable", "ecc.corrected_aggregate.dram",
     number},
    {"ecc_errors/aggregate/dram_uncorrectable", "ECC Errors/Aggregate/DRAM Uncorrectable",
     "ecc.uncorrected_aggregate.dram", number},
    {"ecc_errors/aggregate/sram_threshold_exceeded", "ECC Errors/Aggregate/SRAM Threshold Exceeded",
     "ecc.sram.threshold_exceeded", word},
    {"ecc_errors/aggregate_uncorrectable_sram_sources/sram_l2",
     "ECC Errors/Aggregate Uncorrectable SRAM Sources/SRAM L2", "ecc.sram.source_l2", number},
    {"ecc_errors/aggregate_uncorrectable_sram_sources/sram_sm",
     "ECC Errors/Aggregate Uncorrectable SRAM Sources/SRAM SM", "ecc.sram.source_sm", number},
    {"ecc_errors/aggregate_uncorrectable_sram_sources/sram_microcontroller",
     "ECC Errors/Aggregate Uncorrectable SRAM Sources/SRAM Microcontroller", "ecc.sram.source_microcontroller", number},
    {"ecc_errors/aggregate_uncorrectable_sram_sources/sram_pcie",
     "ECC Errors/Aggregate Uncorrectable SRAM Sources/SRAM PCIE", "ecc.sram.source_pcie", number},
    {"ecc_errors/aggregate_uncorrectable_sram_sources/sram_other",
     "ECC Errors/Aggregate Uncorrectable SRAM Sources/SRAM Other", "ecc.sram.source_other", number},
    {"ecc_errors/channel_repair_pending", "ECC Errors/Channel Repair Pending", "ecc.channel_repair_pending", word},
    {"ecc_errors/tpc_repair_pending", "ECC Errors/TPC Repair Pending", "ecc.tpc_repair_pending", word},
    {"ecc_errors/unrepairable_memory", "ECC Errors/Unrepairable Memory", "ecc.unrepairable_memory", word},
    NVMLAB_UNITS("volatile/single_bit", "Volatile/Single Bit", "ecc.corrected_volatile"),
    NVMLAB_UNITS("volatile/double_bit", "Volatile/Double Bit", "ecc.uncorrected_volatile"),
    NVMLAB_UNITS("aggregate/single_bit", "Aggregate/Single Bit", "ecc.corrected_aggregate"),
    NVMLAB_UNITS("aggregate/double_bit", "Aggregate/Double Bit", "ecc.uncorrected_aggregate"),
    {"retired_pages/pending_retirement", "Retired Pages/Pending Page Blacklist", "ecc.retirement_pending", word},
    {"retired_pages/pending_blacklist", "Retired Pages/Pending Page Blacklist", "ecc.retirement_pending", word},
    {"remapped_rows/remapped_row_corr", "Remapped Rows/Correctable Error", "ecc.remapped_correctable", number},
    {"remapped_rows/remapped_row_unc", "Remapped Rows/Uncorrectable Error", "ecc.remapped_uncorrectable", number},
    {"remapped_rows/remapped_row_corr_inactive", "Remapped Rows/Inactive Correctable Error",
     "ecc.remapped_correctable_inactive", number},
    {"remapped_rows/remapped_row_unc_inactive", "Remapped Rows/Inactive Uncorrectable Error",
     "ecc.remapped_uncorrectable_inactive", number},
    {"remapped_rows/remapped_row_pending", "Remapped Rows/Pending", "ecc.remap_pending", word},
    {"remapped_rows/remapped_row_failure", "Remapped Rows/Remapping Failure Occurred", "ecc.remap_failed", word},
    NVMLAB_BANKS("max", "Max"),
    NVMLAB_BANKS("high", "High"),
    NVMLAB_BANKS("partial", "Partial"),
    NVMLAB_BANKS("low", "Low"),
    NVMLAB_BANKS("none", "None"),
};
#undef NVMLAB_UNITS
#undef NVMLAB_BANKS

}  // namespace

std::span<const Rule> error_rules() { return kErrorRules; }

}  // namespace nvmlab::importer
