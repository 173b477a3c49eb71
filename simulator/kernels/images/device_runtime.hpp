// SPDX-License-Identifier: Apache-2.0
// The device runtime: functions that kernels call and that toolkits bring as an archive of objects, libcudadevrt.a,
// which is code of real GPUs. Where a program links that archive, ours takes its place: grids in step (cudaCG...), and
// kernels that launch kernels as those of CUDA 12 do (__cudaCDP2...). Tests:
// tests/unit/kernels/device_runtime_test.cpp.
#pragma once

#include <string_view>

namespace nvmlab::kernels {

// Whether an archive is that of the device runtime, by the names of its members.
bool is_device_runtime(std::string_view archive);
// Its functions as PTX; those for launches, and for what kernels have with them (copies, memory, texts of errors),
// apart, since they want a heap.
std::string_view device_runtime();
std::string_view device_launches();
std::string_view device_copies();
// Whether a text of PTX calls some of the latter two.
bool launches(std::string_view text);

}  // namespace nvmlab::kernels
