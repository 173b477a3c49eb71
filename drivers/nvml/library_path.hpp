// SPDX-License-Identifier: Apache-2.0
// Where this library lies on disk, to find what was installed beside it.
#pragma once

namespace nvmlab::driver {

struct LibraryPath {
  char text[1024] = {};
};

// "<folder of this library>/" + folder + name + ending; false when the folder is not known or the name tries to leave
// it.
bool beside_library(const char* folder, const char* name, const char* ending, LibraryPath* path);

}  // namespace nvmlab::driver
