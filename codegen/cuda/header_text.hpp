// SPDX-License-Identifier: Apache-2.0
// What the headers of the driver and of the runtime have in common when libclang reads them.
#pragma once

#include "codegen/cuda/facts.hpp"
#include "codegen/parser/clang.hpp"

namespace nvmlab::codegen::cuda {

inline constexpr std::string_view kTypesOfC =
    "typedef unsigned long size_t; typedef unsigned int uint32_t; typedef unsigned long uint64_t;\n"
    "typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef int int32_t; typedef long int64_t;\n"
    "typedef unsigned long uintptr_t;\n";

// Nothing is read from the disk but the named headers, so what they include is left out, line by line.
std::string without_includes(std::string_view text);

std::vector<Parameter> parameters_of(CXCursor function);
void read_constants(CXCursor enumeration, std::string_view prefix, std::map<std::string, std::int64_t>& into);

// Of "#define CUDA_VERSION 13050"; 0 where the text does not say it.
std::uint32_t stated_number(std::string_view text, std::string_view macro);

}  // namespace nvmlab::codegen::cuda
