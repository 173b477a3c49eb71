// SPDX-License-Identifier: Apache-2.0
//
// What must hold of anything that a compiler of strangers' files answers.
#pragma once

#include "compiler/compile.hpp"
#include "engine/store/image.hpp"
#include "tests/fuzz/fuzzer.hpp"

namespace nvmlab::fuzz {

inline void check_refusal(const compiler::Problems& problems) {
  if (compiler::describe(problems).empty()) wrong("refused without a word");
}

inline void check_machine(const compiler::Machine& machine) {
  Image image;
  if (open_image(machine.image.data(), machine.image.size(), &image) != ImageError::none)
    wrong("compiled to something that is no image");
  if (image.header->gpu_count != machine.gpu_count()) wrong("compiled to another number of GPUs than it says");
}

}  // namespace nvmlab::fuzz
