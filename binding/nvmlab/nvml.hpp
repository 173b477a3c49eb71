// SPDX-License-Identifier: Apache-2.0
// All of the binding but what few programs need: nvml/snapshot.hpp (everything about a device), nvml/watch.hpp (a loop
// over events) and nvml/fake.hpp (libraries for tests).
#pragma once

#include "nvmlab/nvml/outcome.hpp"  // IWYU pragma: export; first: it says what all need of the compiler

#include "nvmlab/nvml/generated/field_id.hpp"  // IWYU pragma: export
#include "nvmlab/nvml/library.hpp"             // IWYU pragma: export
#include "nvmlab/nvml/literals.hpp"            // IWYU pragma: export
#include "nvmlab/nvml/objects.hpp"             // IWYU pragma: export
#include "nvmlab/nvml/units.hpp"               // IWYU pragma: export
