// SPDX-License-Identifier: Apache-2.0
//
// Everything that is wrong with what a user asked for, one line each, as the user sees them: nobody should have to run
// a command once for each of his mistakes.
#pragma once

#include <string>
#include <vector>

namespace nvmlab {

using Complaints = std::vector<std::string>;

}  // namespace nvmlab
