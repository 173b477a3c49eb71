// SPDX-License-Identifier: Apache-2.0
// All objects that a library gives.
#pragma once

#include "nvmlab/nvml/compute_instance.hpp"    // IWYU pragma: export
#include "nvmlab/nvml/device.hpp"              // IWYU pragma: export
#include "nvmlab/nvml/event.hpp"               // IWYU pragma: export
#include "nvmlab/nvml/event_set.hpp"           // IWYU pragma: export
#include "nvmlab/nvml/gpm_sample.hpp"          // IWYU pragma: export
#include "nvmlab/nvml/gpu_instance.hpp"        // IWYU pragma: export
#include "nvmlab/nvml/mig_device.hpp"          // IWYU pragma: export
#include "nvmlab/nvml/system_event_set.hpp"    // IWYU pragma: export
#include "nvmlab/nvml/unit.hpp"                // IWYU pragma: export
#include "nvmlab/nvml/values/pci_address.hpp"  // IWYU pragma: export
#include "nvmlab/nvml/vgpu_instance.hpp"       // IWYU pragma: export
#include "nvmlab/nvml/vgpu_type.hpp"           // IWYU pragma: export
