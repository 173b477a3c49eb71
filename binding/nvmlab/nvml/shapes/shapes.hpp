// SPDX-License-Identifier: Apache-2.0
// All shapes of methods, for the generated sources.
#pragma once

#include "nvmlab/nvml/shapes/blob.hpp"          // IWYU pragma: export
#include "nvmlab/nvml/shapes/command.hpp"       // IWYU pragma: export
#include "nvmlab/nvml/shapes/families.hpp"      // IWYU pragma: export
#include "nvmlab/nvml/shapes/instances.hpp"     // IWYU pragma: export
#include "nvmlab/nvml/shapes/keyed.hpp"         // IWYU pragma: export
#include "nvmlab/nvml/shapes/lists.hpp"         // IWYU pragma: export
#include "nvmlab/nvml/shapes/object.hpp"        // IWYU pragma: export
#include "nvmlab/nvml/shapes/processes.hpp"     // IWYU pragma: export
#include "nvmlab/nvml/shapes/record.hpp"        // IWYU pragma: export
#include "nvmlab/nvml/shapes/scalar.hpp"        // IWYU pragma: export
#include "nvmlab/nvml/shapes/several.hpp"       // IWYU pragma: export
#include "nvmlab/nvml/shapes/sized_arrays.hpp"  // IWYU pragma: export
#include "nvmlab/nvml/shapes/text.hpp"          // IWYU pragma: export
#include "nvmlab/nvml/shapes/within.hpp"        // IWYU pragma: export
