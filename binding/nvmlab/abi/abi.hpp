// SPDX-License-Identifier: Apache-2.0
// NVML's C interface in namespace nvml::abi, under NVML's own names, without NVIDIA's header: types, enumerations,
// constants, version words, function types, and layouts of the past. Includes nothing of the standard library and links
// nothing.
//
//   nvmlDevice_t, nvmlMemory_v2_t      types and enumerators keep their names
//   DEVICE_NAME_BUFFER_SIZE            a macro NVML_X is the constant X (nvmlX is X, X is X_): macros of a nvml.h that
//   is included FI_DEV_ECC_CURRENT                 in the same file cannot replace these names
//   version_of<nvmlMemory_v2_t>        the version word of a struct, also struct_version::Memory_v2
//   nvmlDeviceGetName_fn               the type of a function
//   historic::nvmlProcessInfo_t_before_11_1
//
// Layouts are those of x86_64 Linux and are asserted in layout.cpp. Made by nvmlgen (codegen/emit/abi.hpp).
// Covered by tests/unit/codegen/abi_*_test.cpp.
#pragma once

#include "nvmlab/abi/generated/constants.hpp"        // IWYU pragma: export
#include "nvmlab/abi/generated/conversions.hpp"      // IWYU pragma: export
#include "nvmlab/abi/generated/enums.hpp"            // IWYU pragma: export
#include "nvmlab/abi/generated/field_ids.hpp"        // IWYU pragma: export
#include "nvmlab/abi/generated/functions.hpp"        // IWYU pragma: export
#include "nvmlab/abi/generated/historic.hpp"         // IWYU pragma: export
#include "nvmlab/abi/generated/struct_versions.hpp"  // IWYU pragma: export
#include "nvmlab/abi/generated/types.hpp"            // IWYU pragma: export
