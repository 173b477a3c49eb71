// SPDX-License-Identifier: Apache-2.0
// Several modules become one, as nvlink makes one program of several objects. Tests: tests/unit/kernels/link_test.cpp.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "kernels/ptx/module.hpp"

namespace nvmlab::ptx {

struct LinkInput {
  std::string name;  // for messages
  Module module;
};

// Names that a module keeps to itself are its own; of the others one definition is left, whose parameters all
// declarations must agree with. What is wrong is told in one sentence.
std::expected<Module, std::string> link(std::vector<LinkInput> inputs);

}  // namespace nvmlab::ptx
