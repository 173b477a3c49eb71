// SPDX-License-Identifier: Apache-2.0
//
// The CUDA runtimes of ours, which programs get for whom `nvmlab run --cudart` asks. Tests:
// tests/command/run_cudart_test.cpp.
#pragma once

#include <optional>
#include <string>

namespace nvmlab::tool {

// What is wrong with the word, or nothing: 12 or 13.
std::string take_cudart(const std::string& word, std::optional<std::string>& major);

// Puts its folder first in LD_LIBRARY_PATH, and the library into LD_PRELOAD: what wheels of PyTorch name by RPATH is
// looked for before LD_LIBRARY_PATH. Nothing where none is asked for. Complains where it is not to be had, and about a
// driver that programs of this runtime refuse; the exit code.
int prepare_cudart(const std::optional<std::string>& major, const std::string& driver);

}  // namespace nvmlab::tool
