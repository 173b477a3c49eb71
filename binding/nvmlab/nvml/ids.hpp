// SPDX-License-Identifier: Apache-2.0
// Numbers that name something, each a type of its own: C has one `unsigned int` for a vGPU type and for a vGPU.
#pragma once

namespace nvml::inline v1 {

enum class VgpuTypeId : unsigned {};      ///< of a VgpuType
enum class VgpuInstanceId : unsigned {};  ///< of a VgpuInstance

}  // namespace nvml::inline v1
