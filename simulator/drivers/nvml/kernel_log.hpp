// SPDX-License-Identifier: Apache-2.0
//
// The line that the kernel module writes when a program's own call, such as the reset of `nvidia-smi -r`, changes what
// recovery a GPU asks for: Xid 154. Lines of other Xids come with faults, which nvmlab makes and tells of. Tests:
// tests/clients/smi_fault_test.cpp.
#pragma once

#include "engine/store/store.hpp"

namespace nvmlab::driver {

// modes.recovery_action of a GPU; 0 where there is none.
std::uint32_t recovery_of(const Store& store, std::uint32_t gpu);

// Into the log that the machine was brought up with, which has to be the user's own, if the action has changed.
void tell_kernel_log(const Store& store, std::uint32_t gpu, std::uint32_t recovery_before);

}  // namespace nvmlab::driver
