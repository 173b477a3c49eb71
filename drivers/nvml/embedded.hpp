// SPDX-License-Identifier: Apache-2.0
//
// What is linked into a library beside its code.
//
// The machine that the library simulates when nobody asks for another: compiled from profiles/machines/dgx-a100.yaml
// when the library is built (compiler/machines/CMakeLists.txt).
#pragma once

extern "C" {
extern const unsigned char nvmlab_default_machine[];
extern const unsigned long nvmlab_default_machine_size;

// The driver whose export set this library has, as a full version; empty in the library that exports everything.
extern const char nvmlab_library_driver[];
}
