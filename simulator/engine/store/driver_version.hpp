// SPDX-License-Identifier: Apache-2.0
//
// Driver releases: from "535" to the version that a branch ended at, and from a version to what depends on it. The
// table is model/drivers.yaml. Used by the profile compiler, the tool and the driver. Tests:
// tests/unit/compiler/driver_version_test.cpp.
#pragma once

#include <cstdint>

#include "engine/state/generated/state.hpp"

namespace nvmlab {

// One row of the table. A driver has the facts of the last row that is not newer than it.
struct DriverRelease {
  std::uint16_t major;  // of the first release of the row
  std::uint16_t minor;
  std::uint32_t cuda;                   // 1000 x major + 10 x minor
  std::uint16_t table_words;            // length of the internal table, its first word included
  std::uint16_t gpm_metric_max;         // metrics that nvmlGpmMetricsGet has room for; 0: no GPM
  std::uint16_t gpu_instance_profiles;  // one more than the highest NVML_GPU_INSTANCE_PROFILE_*
  std::uint16_t nvlink_links;           // links that it can name
  bool wide_process_entries;            // the _v3 process lists have entries of 32 bytes
  bool prefixed_names;                  // boards are called "NVIDIA A100-SXM4-40GB", not "A100-SXM4-40GB"
  char release[16];                     // what the branch's number alone means; empty: none is known
  char library[12];                     // folder of its export set below lib/drivers; empty: none
};

struct DriverVersion {
  char text[80];
  std::uint32_t length;
  std::uint32_t cuda;  // 1000 x major + 10 x minor
};

// `wanted` is a branch ("535") or a full version ("535.161.08"). False when it is neither, or older than any that is
// known.
bool find_driver_version(const char* wanted, DriverVersion* out);

// The row of a full version, as a number that goes into the masks of generated code; a text that is no version has the
// newest.
std::uint32_t driver_row(const char* version);
// The same for the same row, so nobody need ask who has no use for the answer.
[[gnu::const]] const DriverRelease& driver_release(std::uint32_t row);
std::uint32_t driver_release_count();

// Firmware of a GPU that went with the driver before goes with the one now, its name is written as that one writes it,
// and what a profile says to be deprecated is not on an older driver.
void follow_driver_version(const Text<80>& before, const Text<80>& now, Gpu* gpu);

// What a driver refuses as deprecated it refuses on every board. The state of a GPU keeps the values below, so that a
// machine file can be played on an older driver; this is the last step before somebody reads them.
void refuse_deprecated(const Text<80>& driver, Gpu* gpu);

// Makes a node report that driver, and its GPUs follow.
void set_driver_version(const DriverVersion& version, Node* node, Gpu* gpus, std::uint32_t gpu_count);

}  // namespace nvmlab
