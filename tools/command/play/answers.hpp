// SPDX-License-Identifier: Apache-2.0
//
// What functions of NVML answer on a machine: asked of the driver's library itself, in a process of its own, as a
// program would that had its handles before. Tests: tests/command/play_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "control/machine.hpp"

namespace nvmlab::tool {

struct Question {
  std::string function;
  std::uint32_t gpu = 0;  // its index; of a function about the machine it does not matter
};

// An error names the nearest: getters of GPUs and of the machine can be asked, and nvmlInit.
std::expected<void, std::string> check_question(const std::string& function);
bool is_about_gpu(std::string_view function);

// "SUCCESS", "GPU_IS_LOST", or "hangs" where no answer comes; as answers are told.
std::expected<std::string, std::string> read_answer(const std::string& word);

// An answer to each question, of the machine that NVMLAB_MACHINE names; an error is a sentence.
std::expected<std::vector<std::string>, std::string> ask(const Machine& machine, std::span<const Question> questions);

}  // namespace nvmlab::tool
