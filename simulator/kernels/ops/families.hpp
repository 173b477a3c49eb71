// SPDX-License-Identifier: Apache-2.0
// The choosers of one instruction set, which handlers() puts together.
#pragma once

#include "kernels/ops/handlers.hpp"

namespace nvmlab::kernels::NVMLAB_ISA {

Handler integer(std::string_view word, ptx::Type type);
Handler bitwise(std::string_view word, ptx::Type type);
Handler fields(std::string_view word, ptx::Type type);
Handler carrying(std::string_view word, ptx::Type type);
Handler floating(std::string_view word, ptx::Type type, const Numeric& how);
Handler half(std::string_view word, ptx::Type type, const Numeric& how);
Handler convert(ptx::Type to, ptx::Type from, const Numeric& how);
Handler compare(Comparison how, Join join, ptx::Type type, bool flush);
Handler predicate(std::string_view word);
Handler select(ptx::Type type);
Handler load(ptx::Type type, bool wide_register);
Handler store(ptx::Type type, bool wide_register);
Handler atomic(std::string_view word, ptx::Type type);
Handler across(std::string_view word, ptx::Type type);
Handler video(std::string_view word);
Handler matrix(std::string_view word);
Handler matrix_memory(std::string_view word);

}  // namespace nvmlab::kernels::NVMLAB_ISA
