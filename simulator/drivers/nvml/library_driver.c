// SPDX-License-Identifier: Apache-2.0
// The one object in which the libraries differ; see embedded.hpp.
#include "drivers/nvml/library_machine.h"

__attribute__((visibility("hidden"), section(".rodata.nvmlab_library_driver"))) const char nvmlab_library_driver[] =
    NVMLAB_LIBRARY_DRIVER;
__attribute__((visibility("hidden"), section(".rodata.nvmlab_library_machine")))
const char nvmlab_library_machine[NVMLAB_LIBRARY_MACHINE_ROOM] = NVMLAB_LIBRARY_MACHINE_MARK;
