// SPDX-License-Identifier: Apache-2.0
//
// nvmlInternalGetExportTable: the one undeclared function that nvidia-smi needs. It hands out a table of functions by a
// UUID; word 0 is the table's size in bytes, word N a function. Known here is what nvidia-smi shows of them from
// outside (docs/reference/internal-table.md): a slot that nobody understands stays null, which nvidia-smi skips,
// because a function that pretends would leave its outputs unwritten. Tests: tests/abi/internal_table_test.cpp,
// tests/clients.
#include <cstring>

#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/internal/slots.hpp"

namespace nvmlab::driver {
namespace {

// Slots up to the newest that any known driver publishes (555 has 255 words).
constexpr std::size_t kWords = 256;

// 6c3efec4-8fc9-4e6c-a327-ee696e12f7c4 as it lies in memory: the first three parts are little-endian numbers.
constexpr unsigned char kTableId[16] = {0xC4, 0xFE, 0x3E, 0x6C, 0xC9, 0x8F, 0x6C, 0x4E,
                                        0xA3, 0x27, 0xEE, 0x69, 0x6E, 0x12, 0xF7, 0xC4};

struct Table {
  std::uint64_t size;
  const void* slots[kWords - 1];
};

template <class Function>
constexpr void put(Table& table, std::size_t slot, Function* function) {
  table.slots[slot - 1] = reinterpret_cast<const void*>(function);
}

Table table;

void fill() {
  put(table, 12, slot::parse_pci_id);
  put(table, 20, slot::is_primary);
  put(table, 23, slot::path_between);
  put(table, 26, slot::debug_log);
  put(table, 65, slot::architecture);
  put(table, 72, slot::is_monitored);
  put(table, 75, slot::pci_place);
  put(table, 81, slot::pci_id_text);
  put(table, 108, slot::enforced_power_limit);
  put(table, 138, slot::thermal_violation);
  put(table, 139, slot::is_monitored);
  put(table, 145, slot::process_samples);
  put(table, 157, slot::two_zeros);
  put(table, 165, slot::field_values);
  put(table, 207, slot::module_id);
  put(table, 209, slot::voltage);
  put(table, 210, slot::base_clock);
  put(table, 211, slot::gsp_version);
  put(table, 213, slot::compute_processes);
  put(table, 214, slot::mps_processes);
  put(table, 215, slot::graphics_processes);
  put(table, 226, slot::atomics_outbound);
  put(table, 230, slot::host_link_generation);
  put(table, 231, slot::gpu_part_number);
  put(table, 232, slot::deferred_memory_clock);
  put(table, 237, slot::fru_part_number);
  put(table, 240, slot::temperature_limit);
  put(table, 242, slot::addressing_mode);
  put(table, 243, slot::sparse_operation);  // where 535 looks for it
  put(table, 249, slot::sparse_operation);  // where 550 and later do
  table.size = sizeof table;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlInternalGetExportTable(const void** out, const void* id) {
  if (out == nullptr || id == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *out = nullptr;  // also for an id that is unknown, as real libraries do
  if (std::memcmp(id, kTableId, sizeof kTableId) != 0) return NVML_ERROR_INVALID_ARGUMENT;
  // Filled at the first call: a constant table would need a relocation for each of its words whenever the library
  // loads.
  process.lock.lock();
  if (table.size == 0) fill();
  process.lock.unlock();
  *out = &table;
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
