// SPDX-License-Identifier: Apache-2.0
//
// Which driver and which CUDA release it supports, as the outputs of nvidia-smi that are no logs print them.
#pragma once

#include "import/formats/section_reader.hpp"

namespace nvmlab::importer {

// Text that is no version ("Deprecated, see KMD version") says nothing.
void observe_driver(SectionReader& reader, std::string_view driver, std::size_t line);
void observe_cuda(SectionReader& reader, std::string_view version, std::size_t line);

}  // namespace nvmlab::importer
