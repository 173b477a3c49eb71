// SPDX-License-Identifier: Apache-2.0
//
// A capture as a side, in the words in which nvidia-smi printed it. For two captures of one format: it shows also what
// no field of the state holds, and what one version of nvidia-smi prints and another does not. Leaves that differ in
// a number only ("processes/process_info[3]/pid") are parts of one list. Tests: tests/unit/compare/leaves_test.cpp.
#pragma once

#include <string_view>

#include "compare/side.hpp"
#include "import/capture/capture.hpp"

namespace nvmlab::compare {

Side leaves_of(const capture::Capture& capture);

// What a difference in the leaf means. It is what the field is of which the importer takes the leaf to be a reading,
// and a reviewed list says it of those that are none.
Nature nature_of_leaf(capture::Format format, std::string_view path);

}  // namespace nvmlab::compare
