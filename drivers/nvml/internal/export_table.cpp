// SPDX-License-Identifier: Apache-2.0
//
// nvmlInternalGetExportTable: the one undeclared function that nvidia-smi needs. It hands out a table of functions by a
// UUID; word 0 is the table's size in bytes, word N a function. Known here is what nvidia-smi shows of them from
// outside (docs/reference/internal-table.md): a slot that nobody understands stays null, which nvidia-smi skips,
// because a function that pretends would leave its outputs unwritten. Tests: tests/drivers/abi/internal_table_test.cpp,
// tests/clients.
#include <cstring>

#include "drivers/common/engine_table.hpp"
#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/internal/slots.hpp"

namespace nvmlab::driver {
namespace {

// The longest table of any known driver (555), its first word included.
constexpr std::size_t kWords = 255;

// 6c3efec4-8fc9-4e6c-a327-ee696e12f7c4 as it lies in memory: the first three parts are little-endian numbers.
constexpr unsigned char kTableId[16] = {0xC4, 0xFE, 0x3E, 0x6C, 0xC9, 0x8F, 0x6C, 0x4E,
                                        0xA3, 0x27, 0xEE, 0x69, 0x6E, 0x12, 0xF7, 0xC4};

struct Table {
  std::uint64_t size;
  const void* slots[kWords - 1];
};

Table table;
std::uint32_t filled_row = ~0u;

// Slots above 240 or so have moved between drivers; `first` and `last` are the major versions that have one there.
template <class Function>
void put(const DriverRelease& driver, std::size_t slot, Function* function, unsigned first = 0, unsigned last = ~0u) {
  if (slot < driver.table_words && driver.major >= first && driver.major <= last)
    table.slots[slot - 1] = reinterpret_cast<const void*>(function);
}

void fill(const DriverRelease& driver) {
  table = {};
  put(driver, 12, slot::parse_pci_id);
  put(driver, 20, slot::is_primary);
  put(driver, 23, slot::path_between);
  put(driver, 26, slot::debug_log);
  put(driver, 65, slot::architecture);
  put(driver, 72, slot::is_monitored);
  put(driver, 75, slot::pci_place);
  put(driver, 81, slot::pci_id_text);
  put(driver, 108, slot::enforced_power_limit);
  put(driver, 138, slot::thermal_violation);
  put(driver, 139, slot::is_monitored);
  put(driver, 145, slot::process_samples);
  put(driver, 157, slot::lists_graphics);
  put(driver, 165, slot::field_values);
  put(driver, 168, slot::reset_devices_alone, 0, 524);
  put(driver, 168, slot::reset_devices, 525);
  put(driver, 169, slot::fabric_forbids_reset);
  put(driver, 182, slot::create_reset_group);
  put(driver, 183, slot::missing_from_reset_group);
  put(driver, 184, slot::free_reset_group);
  put(driver, 189, slot::license_state, 470);
  put(driver, 192, slot::set_compute_policy);
  put(driver, 193, slot::compute_policies);
  put(driver, 207, slot::module_id);
  put(driver, 209, slot::voltage);
  put(driver, 210, slot::base_clock);
  put(driver, 211, slot::gsp_version);
  put(driver, 213, slot::compute_processes);
  put(driver, 214, slot::mps_processes);
  put(driver, 215, slot::graphics_processes);
  put(driver, 223, slot::nearby_numa_nodes);
  put(driver, 226, slot::atomics_outbound);
  put(driver, 230, slot::host_link_generation);
  put(driver, 231, slot::gpu_part_number);
  put(driver, 232, slot::deferred_memory_clock);
  put(driver, 237, slot::fru_part_number);
  put(driver, 240, slot::temperature_limit);
  put(driver, 242, slot::addressing_mode);
  put(driver, 243, slot::sparse_operation, 535, 549);
  put(driver, 249, slot::sparse_operation, 550);
  put(driver, 250, slot::set_sparse_operation, 550);
  put(driver, 251, slot::set_persistence_mode, 555);
  table.size = driver.table_words * sizeof(std::uint64_t);
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlInternalGetExportTable(const void** out, const void* id) {
  if (out == nullptr || id == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  *out = nullptr;  // also for an id that is unknown, as real libraries do
  if (std::memcmp(id, kEngineTableId, sizeof kEngineTableId) == 0) {
    *out = engine_table();
    return NVML_SUCCESS;
  }
  if (std::memcmp(id, kTableId, sizeof kTableId) != 0) return NVML_ERROR_INVALID_ARGUMENT;
  // Filled at the first call: it depends on the driver, and a constant table would need a relocation for each of its
  // words whenever the library loads.
  const std::uint32_t row = row_before_init();
  process.lock.lock();
  if (row != filled_row) {
    fill(driver_release(row));
    filled_row = row;
  }
  process.lock.unlock();
  *out = &table;
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
