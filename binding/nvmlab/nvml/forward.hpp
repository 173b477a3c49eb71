// SPDX-License-Identifier: Apache-2.0
// The names of the objects, for methods that answer one.
#pragma once

namespace nvml::inline v1 {

class Library;
class Device;
class Unit;
class EventSet;
class SystemEventSet;
class GpmSample;
class GpuInstance;
class ComputeInstance;
class VgpuType;
class VgpuInstance;

}  // namespace nvml::inline v1
