// SPDX-License-Identifier: Apache-2.0
// The machine that the library simulates when nobody asks for another: compiled from profiles/machines/dgx-a100.yaml
// when the library is built (profiles/CMakeLists.txt).
#pragma once

extern "C" {
extern const unsigned char nvmlab_default_machine[];
extern const unsigned long nvmlab_default_machine_size;
}
