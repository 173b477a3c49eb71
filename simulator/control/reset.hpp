// SPDX-License-Identifier: Apache-2.0
// Resets of GPUs, as `nvidia-smi -r` does them. Tests: tests/command/reset_test.cpp.
#pragma once

#include <expected>
#include <optional>
#include <span>

#include "control/kernel_log.hpp"

namespace nvmlab::control {

// Resets all of these GPUs, or none if persistence mode or a process holds one. Lines of Xids go to `log` if there is
// one. The error says everything that is wrong.
std::expected<void, Complaints> reset(Machine& machine, std::span<const std::uint32_t> gpus,
                                      std::optional<KernelLog>& log);

}  // namespace nvmlab::control
