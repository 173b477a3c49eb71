// SPDX-License-Identifier: Apache-2.0
// Where this library lies on disk, to find what was installed beside it.
#pragma once

namespace nvmlab::driver {

struct LibraryPath {
  char text[1024] = {};
};

// "<folder of this library>/" + name; false when the folder is not known.
bool beside_library(const char* name, LibraryPath* path);

}  // namespace nvmlab::driver
