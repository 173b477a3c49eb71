// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nvmlab::bench {

// Puts the machine, the compiler and the sizes of the library into the report's context.
void describe_machine();

}  // namespace nvmlab::bench
