// SPDX-License-Identifier: Apache-2.0
//
// Where the drop-in libnvidia-ml.so.1 lies: beside this program, in a build folder as in an installation.
// Tests: tests/command/run_test.cpp.
#pragma once

#include <expected>
#include <string>

namespace nvmlab::tool {

// The folder of the library that exports everything; never one with a real driver's.
std::expected<std::string, std::string> library_folder();

// The folder whose library exports what that driver does, and whose file carries that very version where a
// shipped machine has it; for a driver newer than all that are known, the library that exports everything.
std::expected<std::string, std::string> library_folder_of_driver(const std::string& driver);

}  // namespace nvmlab::tool
