// SPDX-License-Identifier: Apache-2.0
// The one object in which the libraries differ; see embedded.hpp.
__attribute__((visibility("hidden"), section(".rodata.nvmlab_library_driver"))) const char nvmlab_library_driver[] =
    NVMLAB_LIBRARY_DRIVER;
