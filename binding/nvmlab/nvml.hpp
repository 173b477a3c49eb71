// SPDX-License-Identifier: Apache-2.0
// All of the binding but what only tests need (nvmlab/nvml/fake.hpp).
#pragma once

#include "nvmlab/nvml/library.hpp"  // IWYU pragma: export
#include "nvmlab/nvml/object.hpp"   // IWYU pragma: export
#include "nvmlab/nvml/units.hpp"    // IWYU pragma: export
