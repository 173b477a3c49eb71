// SPDX-License-Identifier: Apache-2.0
//
// The functions of the internal table, one for each slot that is understood, with the parameters that nvidia-smi
// passes. Return values are NVML's: 0 is shown, 3 is "N/A". Source: observation of nvidia-smi 340 to 555.
#pragma once

#include "drivers/nvml/process.hpp"

namespace nvmlab::driver::slot {

extern "C" {

using u32 = std::uint32_t;

nvmlReturn_t parse_pci_id(const char* text, u32* domain, u32* bus, u32* device, u32* function);  // 12
nvmlReturn_t is_primary(nvmlDevice_t device, u32* out);                                          // 20
// 0 PIX, 1 PXB, 2 PHB, 3 NODE, 4 SYS, 4 + n: n NVLink links.
nvmlReturn_t path_between(const char* pci_a, const char* pci_b, u32* out);  // 23
nvmlReturn_t debug_log();                                                 // 26; takes what it likes, as C functions may
nvmlReturn_t architecture(nvmlDevice_t device, u32* out);                 // 65
nvmlReturn_t is_monitored(nvmlDevice_t device, u32* out);                 // 72, 139
nvmlReturn_t pci_place(u32 index, u32* domain, u32* bus, u32* device);    // 75
nvmlReturn_t pci_id_text(u32 index, char* text, u32 length);              // 81
nvmlReturn_t enforced_power_limit(nvmlDevice_t device, u32* milliwatts);  // 108
nvmlReturn_t thermal_violation(nvmlDevice_t device, u32* out);            // 138
// 145: entries are one block of 80 bytes for each of sm, mem, enc, dec, jpg, ofa; value at 8, pid at 16.
nvmlReturn_t process_samples(nvmlDevice_t device, std::uint64_t since, u32* interval, u32* count,
                             unsigned char* entries);
nvmlReturn_t lists_graphics(nvmlDevice_t device, u32* can, u32* unknown);              // 157; asked by 390
nvmlReturn_t field_values(nvmlDevice_t device, u32 count, nvmlFieldValue_t* entries);  // 165; ids of its own
// 168: a code for each GPU; the last output tells whether NVSwitches were reset as well.
nvmlReturn_t reset_devices(u32 count, const nvmlDevice_t* devices, u32* results, u32* switches_too);
nvmlReturn_t reset_devices_alone(u32 count, const nvmlDevice_t* devices, u32* results);
nvmlReturn_t fabric_forbids_reset(u32* out);                                                    // 169
nvmlReturn_t create_reset_group(std::uint64_t* group, const nvmlDevice_t* devices, u32 count);  // 182
nvmlReturn_t missing_from_reset_group(std::uint64_t group, char** texts, u32* count);           // 183
nvmlReturn_t free_reset_group(std::uint64_t group);                                             // 184
nvmlReturn_t license_state(nvmlDevice_t device, u32* state);  // 189; of a GPU in a guest
// 192, 193: how processes share the GPU; one policy is known, the length of a time slice.
struct ComputePolicy {
  u32 id;
  u32 value;
};
struct ComputePolicies {
  u32 count;
  ComputePolicy items[1];
};
nvmlReturn_t set_compute_policy(nvmlDevice_t device, const ComputePolicy* policy);         // 192
nvmlReturn_t compute_policies(nvmlDevice_t device, ComputePolicies* out);                  // 193
nvmlReturn_t module_id(nvmlDevice_t device, u32* out);                                     // 207
nvmlReturn_t voltage(nvmlDevice_t device, u32* microvolts);                                // 209
nvmlReturn_t base_clock(nvmlDevice_t device, u32 clock_type, u32* megahertz);              // 210
nvmlReturn_t gsp_version(nvmlDevice_t device, char* text);                                 // 211
nvmlReturn_t compute_processes(nvmlDevice_t device, u32* count, unsigned char* entries);   // 213
nvmlReturn_t mps_processes(nvmlDevice_t device, u32* count, unsigned char* entries);       // 214
nvmlReturn_t graphics_processes(nvmlDevice_t device, u32* count, unsigned char* entries);  // 215
nvmlReturn_t nearby_numa_nodes(nvmlDevice_t device, u32 words, std::uint64_t* mask);       // 223
nvmlReturn_t atomics_outbound(nvmlDevice_t device, u32* mask);                             // 226
nvmlReturn_t host_link_generation(nvmlDevice_t device, u32* out);                          // 230
nvmlReturn_t gpu_part_number(nvmlDevice_t device, char* text, u32 length);                 // 231
nvmlReturn_t deferred_memory_clock(nvmlDevice_t device, u32* words);                       // 232; word 0: valid
nvmlReturn_t fru_part_number(nvmlDevice_t device, char* text, u32 length);                 // 237
nvmlReturn_t temperature_limit(nvmlDevice_t device, std::int32_t* out);                    // 240
nvmlReturn_t addressing_mode(nvmlDevice_t device, u32* out);                               // 242
nvmlReturn_t sparse_operation(nvmlDevice_t device, u32* out);                              // 243, 249
nvmlReturn_t set_sparse_operation(nvmlDevice_t device, u32 mode);                          // 250
nvmlReturn_t set_persistence_mode(nvmlDevice_t device, u32 mode);                          // 251

}  // extern "C"

}  // namespace nvmlab::driver::slot
