// SPDX-License-Identifier: Apache-2.0
// A machine in one line, for people: "8 x NVIDIA H100 80GB HBM3, driver 550.163.01". Tests:
// tests/command/machines_test.cpp.
#pragma once

#include <string>
#include <vector>

namespace nvmlab::compiler {

// "4 x NVIDIA L4 + 1 x Tesla T4"; `names` are those of all GPUs in order, empty where one has none.
std::string count_boards(const std::vector<std::string>& names);

// `driver` may be empty.
std::string summary(const std::vector<std::string>& names, const std::string& driver);

}  // namespace nvmlab::compiler
