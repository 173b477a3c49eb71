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
#include "drivers/nvml/internal/told_slot.hpp"

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
// One that has faults and is traced; `Parameters` as trace.cpp has them.
template <std::size_t Slot, auto Function, FixedText Parameters>
void put(const DriverRelease& driver, unsigned first = 0, unsigned last = ~0u) {
  put(driver, Slot, ToldSlot<Slot, Function, Parameters>::call, first, last);
}

void fill(const DriverRelease& driver) {
  table = {};
  put<12, slot::parse_pci_id, "text:s domain:u4* bus:u4* device:u4* function:u4*">(driver);
  put<20, slot::is_primary, "device:D isPrimary:u4*">(driver);
  put<23, slot::path_between, "pciA:s pciB:s path:u4*">(driver);
  put(driver, 26, slot::debug_log);
  put<65, slot::architecture, "device:D architecture:u4*">(driver);
  put<72, slot::is_monitored, "device:D isMonitored:u4*">(driver);
  put<75, slot::pci_place, "index:u4 domain:u4* bus:u4* device:u4*">(driver);
  put<81, slot::pci_id_text, "index:u4 text:s length:u4">(driver);
  put<108, slot::enforced_power_limit, "device:D limit:u4*">(driver);
  put<138, slot::thermal_violation, "device:D violation:u4*">(driver);
  put<139, slot::is_monitored, "device:D isMonitored:u4*">(driver);
  put<145, slot::process_samples, "device:D since:u8 interval:u4* count:u4* entries:p">(driver);
  put<157, slot::lists_graphics, "device:D can:u4* unknown:u4*">(driver);
  put<165, slot::field_values, "device:D count:u4 entries:p">(driver);
  put<168, slot::reset_devices_alone, "count:u4 devices:p results:p">(driver, 0, 524);
  put<168, slot::reset_devices, "count:u4 devices:p results:p switchesToo:u4*">(driver, 525);
  put<169, slot::fabric_forbids_reset, "forbids:u4*">(driver);
  put<182, slot::create_reset_group, "group:u8* devices:p count:u4">(driver);
  put<183, slot::missing_from_reset_group, "group:u8 texts:p count:u4*">(driver);
  put<184, slot::free_reset_group, "group:u8">(driver);
  put<189, slot::license_state, "device:D state:u4*">(driver, 470);
  put<192, slot::set_compute_policy, "device:D policy:p">(driver);
  put<193, slot::compute_policies, "device:D policies:p">(driver);
  put<207, slot::module_id, "device:D moduleId:u4*">(driver);
  put<209, slot::voltage, "device:D microvolts:u4*">(driver);
  put<210, slot::base_clock, "device:D type:u4 mhz:u4*">(driver);
  put<211, slot::gsp_version, "device:D version:s">(driver);
  put<213, slot::compute_processes, "device:D count:u4* entries:p">(driver);
  put<214, slot::mps_processes, "device:D count:u4* entries:p">(driver);
  put<215, slot::graphics_processes, "device:D count:u4* entries:p">(driver);
  put<223, slot::nearby_numa_nodes, "device:D words:u4 mask:p">(driver);
  put<226, slot::atomics_outbound, "device:D mask:u4*">(driver);
  put<230, slot::host_link_generation, "device:D generation:u4*">(driver);
  put<231, slot::gpu_part_number, "device:D text:s length:u4">(driver);
  put<232, slot::deferred_memory_clock, "device:D words:p">(driver);
  put<237, slot::fru_part_number, "device:D text:s length:u4">(driver);
  put<240, slot::temperature_limit, "device:D limit:i4*">(driver);
  put<242, slot::addressing_mode, "device:D mode:u4*">(driver);
  put<243, slot::sparse_operation, "device:D mode:u4*">(driver, 535, 549);
  put<249, slot::sparse_operation, "device:D mode:u4*">(driver, 550);
  put<250, slot::set_sparse_operation, "device:D mode:u4">(driver, 550);
  put<251, slot::set_persistence_mode, "device:D mode:u4">(driver, 555);
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
