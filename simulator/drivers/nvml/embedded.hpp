// SPDX-License-Identifier: Apache-2.0
//
// What is linked into a library beside its code.
//
// Machine files of all shipped profiles (compiler/CMakeLists.txt compiles them), each from a multiple of
// kImageAlignment on; the one that the library simulates when nobody asks for another lies apart from the others.
#pragma once

namespace nvmlab::driver {

inline constexpr unsigned long kImageAlignment = 64;

}  // namespace nvmlab::driver

extern "C" {
extern const unsigned char nvmlab_default_machine[];
extern const unsigned char nvmlab_machines[];
extern const unsigned long nvmlab_machines_size;

// The driver whose export set this library has, as a full version; empty in the library that exports everything.
extern const char nvmlab_library_driver[];

// A mark, and behind it the path of the machine that this copy of the library simulates, or zeros.
extern const char nvmlab_library_machine[];
}
