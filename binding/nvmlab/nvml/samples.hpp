// SPDX-License-Identifier: Apache-2.0
// Things that NVML keeps with the time at which they happened. Covered by tests/binding/samples_test.cpp.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/generated/enums.hpp"
#include "nvmlab/nvml/ids.hpp"
#include "nvmlab/nvml/units.hpp"
#include "nvmlab/nvml/value.hpp"

namespace nvml::inline v1 {

/// One measurement; what it counts is told by the SamplingType that was asked for.
struct Sample {
  Timestamp timestamp{};  ///< when it was measured
  Value value{};          ///< in the unit of the SamplingType
  bool operator==(const Sample&) const = default;
};

/// A page of memory that is no longer used.
struct RetiredPage {
  std::uint64_t address{};  ///< of the page, in the memory of the GPU
  Timestamp timestamp{};    ///< when it was retired
  bool operator==(const RetiredPage&) const = default;
};

/// How busy a vGPU kept the engines at a moment.
struct VgpuInstanceUtilization {
  VgpuInstanceId instance{};      ///< the vGPU
  Timestamp timestamp{};          ///< when it was measured
  Percent sm{};                   ///< of the multiprocessors
  Percent memory{};               ///< of the memory's bandwidth
  Percent encoder{};              ///< of the video encoders
  Percent decoder{};              ///< of the video decoders
  std::optional<Percent> jpeg{};  ///< of JPEG engines; only nvmlDeviceGetVgpuInstancesUtilizationInfo tells
  std::optional<Percent> ofa{};   ///< of optical flow; likewise
  bool operator==(const VgpuInstanceUtilization&) const = default;
};

namespace detail {

// C: nvmlDeviceGetSamples
Result<std::vector<Sample>> samples(const State& state, abi::nvmlDevice_t device, SamplingType type, Timestamp since);

// C: nvmlDeviceGetSamples. Into the caller's memory, of which the filled part comes back; too little is
// INSUFFICIENT_SIZE.
Result<std::span<Sample>> samples(const State& state, abi::nvmlDevice_t device, SamplingType type, Timestamp since,
                                  std::span<Sample> room);

// C: nvmlDeviceGetRetiredPages_v2
Result<std::vector<RetiredPage>> retired_pages(const State& state, abi::nvmlDevice_t device, PageRetirementCause cause);

// C: nvmlDeviceGetRetiredPages_v2. Into the caller's memory, of which the filled part comes back; too little is
// INSUFFICIENT_SIZE.
Result<std::span<RetiredPage>> retired_pages(const State& state, abi::nvmlDevice_t device, PageRetirementCause cause,
                                             std::span<RetiredPage> room);

// C: nvmlDeviceGetVgpuUtilization
Result<std::vector<VgpuInstanceUtilization>> vgpu_utilization(const State& state, abi::nvmlDevice_t device,
                                                              Timestamp since);

// C: nvmlDeviceGetVgpuUtilization. Into the caller's memory, of which the filled part comes back; too little is
// INSUFFICIENT_SIZE.
Result<std::span<VgpuInstanceUtilization>> vgpu_utilization(const State& state, abi::nvmlDevice_t device,
                                                            Timestamp since, std::span<VgpuInstanceUtilization> room);

// C: nvmlDeviceGetVgpuInstancesUtilizationInfo
Result<std::vector<VgpuInstanceUtilization>> vgpu_instances_utilization(const State& state, abi::nvmlDevice_t device,
                                                                        Timestamp since);

// C: nvmlDeviceGetVgpuInstancesUtilizationInfo. Into the caller's memory, of which the filled part comes back; too
// little is INSUFFICIENT_SIZE.
Result<std::span<VgpuInstanceUtilization>> vgpu_instances_utilization(const State& state, abi::nvmlDevice_t device,
                                                                      Timestamp since,
                                                                      std::span<VgpuInstanceUtilization> room);

}  // namespace detail

}  // namespace nvml::inline v1
