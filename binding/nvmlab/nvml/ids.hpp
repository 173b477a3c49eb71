// SPDX-License-Identifier: Apache-2.0
// Numbers that name something, each a type of its own: C has one `unsigned int` for a vGPU type and for a vGPU.
#pragma once

namespace nvml::inline v1 {

/// The number of a VgpuType.
enum class VgpuTypeId : unsigned {};
/// The number of a VgpuInstance.
enum class VgpuInstanceId : unsigned {};

/// A mode of reduced bandwidth of a board's links: NVML numbers them and gives them no names.
enum class NvlinkBwModeId : unsigned {};

}  // namespace nvml::inline v1
