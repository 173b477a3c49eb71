// SPDX-License-Identifier: Apache-2.0
//
// How often this process has asked for heap memory: a program that links allocation_count.cpp replaces the C library's
// malloc family, for itself and for whatever it loads, by functions that count and pass on.
#pragma once

namespace nvmlab::abi_test {

unsigned long allocation_count();

}  // namespace nvmlab::abi_test
