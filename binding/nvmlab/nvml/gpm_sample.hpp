// SPDX-License-Identifier: Apache-2.0
// A sample of a GPU's performance counters, from Library::create_gpm_sample(). Freed with its last copy.
// Covered by tests/binding/owned_test.cpp.
#pragma once

#include "nvmlab/nvml/generated/gpm_sample_methods.hpp"
#include "nvmlab/nvml/owned.hpp"

namespace nvml::inline v1 {

/// The counters of a GPU at a moment, of which two make metrics. Freed with its last copy.
class GpmSample : public GpmSampleMethods {
 public:
  /// Takes over the handle.
  GpmSample(const detail::Shared& library, abi::nvmlGpmSample_t handle);

  /// Frees it before its last copy does. No copy may be used afterwards.
  ///
  /// C: nvmlGpmSampleFree
  [[nodiscard]] Result<void> free() const { return detail::free_now(owner_); }

  friend bool operator==(const GpmSample&, const GpmSample&) = default;

 private:
  detail::Counted<detail::Owner<abi::nvmlGpmSample_t>> owner_;
};

}  // namespace nvml::inline v1
