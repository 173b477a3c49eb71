// SPDX-License-Identifier: Apache-2.0
// What generated exports include.
#pragma once

#include <cstddef>

#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/rules.hpp"
#include "drivers/nvml/shapes/call.hpp"
#include "drivers/nvml/shapes/find.hpp"
#include "drivers/nvml/shapes/lists.hpp"
#include "drivers/nvml/shapes/read.hpp"
#include "drivers/nvml/shapes/subjects.hpp"
#include "drivers/nvml/shapes/taken.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
using Fn = Function;
}

#define NVMLAB_EXPORT __attribute__((visibility("default")))
// Nearly all exports return a code, as with NVIDIA's own DECLDIR.
#define NVML_API NVMLAB_EXPORT nvmlReturn_t
