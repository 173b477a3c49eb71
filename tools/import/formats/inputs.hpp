// SPDX-License-Identifier: Apache-2.0
//
// All inputs of one machine, each to what reads it: whole files and logs in the order in which they were given, then
// the outputs of other commands, those that name GPUs before those that only count them. Internal to the importer.
#pragma once

#include <span>

#include "import/evidence/evidence.hpp"
#include "import/importer.hpp"

namespace nvmlab::importer {

// What could not be read at all; mistakes in values are among the evidence's problems.
Complaints read_inputs(Evidence& evidence, std::span<const Input> inputs, const Options& options);

}  // namespace nvmlab::importer
