// SPDX-License-Identifier: Apache-2.0
// libnvmlab-kernels.so beside this library: opened when the first module is loaded, since it brings a C++ runtime and
// threads along. Tests: tests/drivers/cuda/modules_test.cpp.
#pragma once

#include "kernels/kernels_api.h"

namespace nvmlab::cuda {

// Null where it is not there, which has been said. Under the lock of the process.
const nvmlab_kernels* open_kernels();
// The one that was opened.
const nvmlab_kernels* kernels();

}  // namespace nvmlab::cuda
